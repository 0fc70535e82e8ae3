import type { JsonValue, Storage, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { corruptedValues } from './corrupted-values.ts';

type Stores = Pick<Storage, 'conversations' | 'workingMemory'>;

export type WorkingMemoryFault = (stores: Stores) => {
  readonly workingMemory?: Partial<WorkingMemoryStore>;
  readonly conversations?: Partial<Storage['conversations']>;
};

/** Faults of reading and writing. */
export const workingMemoryFaults: FaultTable<WorkingMemoryFault> = {
  'reads nothing before the first write, and then the last written content': ({ workingMemory }) => ({
    workingMemory: { read: async (owner, key) => (await workingMemory.read(owner, key)) ?? '' },
  }),
  'passes the stored content to a change, and undefined when there is none': ({ workingMemory }) => ({
    workingMemory: { update: (owner, key, change) => workingMemory.update(owner, key, () => change(undefined)) },
  }),
  'deletes the content when a change returns undefined, also when there is none': [
    changing((made, content) => (made === undefined ? content : made)),
    changing((made) => made ?? null),
  ],
  'throws the error of a change, writes nothing, and accepts later changes': ({ workingMemory }) => ({
    workingMemory: { update: (owner, key, change) => workingMemory.update(owner, key, change).catch(() => false) },
  }),
  // Reads before it writes.
  'loses no concurrent change: each gets the content of the one before': ({ workingMemory }) => ({
    workingMemory: {
      update: async (owner, key, change) => {
        const content = await workingMemory.read(owner, key);
        await pause();
        const made = change(content);
        return workingMemory.update(owner, key, () => made);
      },
    },
  }),
  // Rolls back with a change that throws the one that waits for it.
  'loses no concurrent change when some of them throw or delete': ({ workingMemory }) => {
    let before: Promise<boolean> = Promise.resolve(true);
    return {
      workingMemory: {
        update: (owner, key, change) => {
          const write = (): Promise<boolean> => workingMemory.update(owner, key, change);
          const rollBack = (): Promise<boolean> => workingMemory.update(owner, key, (content) => content);
          before = before.then(write, rollBack);
          return before;
        },
      },
    };
  },
  // Identifies conversations and users by their id alone.
  'separates the content of conversations and users, also when their ids are the same': ({ workingMemory }) => ({
    workingMemory: {
      read: (owner, key) => workingMemory.read(owner, ofUser(key)),
      update: (owner, key, change) => workingMemory.update(owner, ofUser(key), change),
    },
  }),
  'treats a conversation of another user like one that does not exist, and does not change its content': ({
    workingMemory,
  }) => ({
    workingMemory: { read: (_owner, key) => workingMemory.read('anyone', key) },
  }),
  // Reads the working memory of a user to everybody.
  'treats the content of another user as if there were none, and does not change it': ({ workingMemory }) => ({
    workingMemory: {
      read: (owner, key) => workingMemory.read(key.scope === 'user' ? 'anyone' : owner, key),
    },
  }),
  // Writes for anyone, and not for the owner.
  'lets the owner and anyone read and change the content': ({ workingMemory }) => ({
    workingMemory: {
      update: async (owner, key, change) => owner === 'anyone' && workingMemory.update(owner, key, change),
    },
  }),
  'distinguishes null, an empty text, false and 0 from no content': [
    changing((made) => made ?? undefined),
    changing((made) => (made === '' ? undefined : made)),
  ],
  'accepts ids of conversations and users with any characters': ({ workingMemory }) => ({
    workingMemory: { read: async (owner, key) => (idOf(key) in {} ? undefined : workingMemory.read(owner, key)) },
  }),
  // Returns the stored objects.
  'is not affected by later changes of passed or returned objects': ({ workingMemory }) => {
    const cached = new Map<string, JsonValue>();
    return {
      workingMemory: {
        update: (owner, key, change) =>
          workingMemory.update(owner, key, (content) => {
            const made = change(content);
            if (made !== undefined) cached.set(JSON.stringify(key), made);
            return made;
          }),
        read: async (_owner, key) => cached.get(JSON.stringify(key)),
      },
    };
  },
  // Changes returned objects.
  'returns values that later writes do not change': ({ workingMemory }) => {
    const returned: JsonValue[] = [];
    return {
      workingMemory: {
        read: async (owner, key) => {
          const content = structuredClone(await workingMemory.read(owner, key));
          if (content !== undefined) returned.push(content);
          return content;
        },
        update: (owner, key, change) => {
          for (const content of returned) Object.assign(content as object, { list: ['changed'] });
          return workingMemory.update(owner, key, change);
        },
      },
    };
  },
  ...Object.fromEntries(
    corruptedValues.map(([sample, corrupt]) => [
      `returns content as it was written, as text, as JSON and in an object: ${sample}`,
      changing((made) => made && corrupt(made)),
    ]),
  ),
};

/** Changes the result of a change before it is written. */
function changing(
  toWritten: (made: JsonValue | undefined, content: JsonValue | undefined) => JsonValue | undefined,
): WorkingMemoryFault {
  return ({ workingMemory }) => ({
    workingMemory: {
      update: (owner, key, change) =>
        workingMemory.update(owner, key, (content) => toWritten(change(content), content)),
    },
  });
}

function ofUser(key: WorkingMemoryKey): WorkingMemoryKey {
  return { scope: 'user', userId: idOf(key) };
}

function idOf(key: WorkingMemoryKey): string {
  return key.scope === 'user' ? key.userId : key.conversationId;
}
