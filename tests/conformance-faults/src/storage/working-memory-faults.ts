import {
  ConfigurationError,
  type JsonValue,
  type Storage,
  type WorkingMemoryKey,
  type WorkingMemoryStore,
} from '@halyard/contracts';
import { pause } from './conversation-fault.ts';
import { corruptedValues } from './corrupted-values.ts';

type Stores = Pick<Storage, 'conversations' | 'workingMemory'>;

interface FaultyStores {
  readonly workingMemory?: Partial<WorkingMemoryStore>;
  readonly conversations?: Partial<Storage['conversations']>;
}

/** The fault of a store, the case that must find it, and its implementation. */
export type WorkingMemoryFault = readonly [fault: string, foundBy: string, (stores: Stores) => FaultyStores];

const thrown = 'throws the error of a change, writes nothing, and accepts later changes';
const ofForeign = 'treats a conversation of another user like one that does not exist, and does not change its content';
const ofOther = 'treats the content of another user as if there were none, and does not change it';
const cleared = 'deletes the content when a change returns undefined, also when there is none';
const apart = 'separates the content of conversations and users, also when their ids are the same';
const fromNothing = 'distinguishes null, an empty text, false and 0 from no content';

/** Faults of reading and writing. */
export const workingMemoryFaults: readonly WorkingMemoryFault[] = [
  [
    'reads an empty text where nothing is',
    'reads nothing before the first write, and then the last written content',
    ({ workingMemory }) => ({
      workingMemory: { read: async (owner, key) => (await workingMemory.read(owner, key)) ?? '' },
    }),
  ],
  [
    'passes no stored content to a change',
    'passes the stored content to a change, and undefined when there is none',
    ({ workingMemory }) => ({
      workingMemory: { update: (owner, key, change) => workingMemory.update(owner, key, () => change(undefined)) },
    }),
  ],
  [
    'passes null to a change when there is no content',
    'passes the stored content to a change, and undefined when there is none',
    ({ workingMemory }) => ({
      workingMemory: {
        update: (owner, key, change) => workingMemory.update(owner, key, (content) => change(content ?? null)),
      },
    }),
  ],
  ['keeps deleted content', cleared, changing((made, content) => (made === undefined ? content : made))],
  ['stores null instead of deleting content', cleared, changing((made) => made ?? null)],
  [
    'reports that it did not delete absent content',
    cleared,
    ({ workingMemory }) => ({
      workingMemory: {
        update: async (owner, key, change) => {
          const before = await workingMemory.read(owner, key);
          const isWritten = await workingMemory.update(owner, key, change);
          return isWritten && (before !== undefined || (await workingMemory.read(owner, key)) !== undefined);
        },
      },
    }),
  ],
  [
    'returns false when a change throws',
    thrown,
    ({ workingMemory }) => ({
      workingMemory: { update: (owner, key, change) => workingMemory.update(owner, key, change).catch(() => false) },
    }),
  ],
  [
    'throws another error than the change',
    thrown,
    ({ workingMemory }) => ({
      workingMemory: {
        update: (owner, key, change) =>
          workingMemory.update(owner, key, change).catch((cause: unknown) => {
            throw new ConfigurationError('The transaction failed', { cause });
          }),
      },
    }),
  ],
  [
    'clears what is stored when a change throws',
    thrown,
    ({ workingMemory }) => ({
      workingMemory: {
        update: (owner, key, change) =>
          workingMemory.update(owner, key, change).catch(async (error: unknown) => {
            await workingMemory.update(owner, key, () => undefined);
            throw error;
          }),
      },
    }),
  ],
  [
    'reads before it writes',
    'loses no concurrent change: each gets the content of the one before',
    ({ workingMemory }) => ({
      workingMemory: {
        update: async (owner, key, change) => {
          const content = await workingMemory.read(owner, key);
          await pause();
          const made = change(content);
          return workingMemory.update(owner, key, () => made);
        },
      },
    }),
  ],
  [
    'rolls back with a change that throws the one that waits for it',
    'loses no concurrent change when some of them throw or delete',
    ({ workingMemory }) => {
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
  ],
  [
    'identifies conversations and users by their id alone',
    apart,
    ({ workingMemory }) => ({
      workingMemory: {
        read: (owner, key) => workingMemory.read(owner, ofUser(key)),
        update: (owner, key, change) => workingMemory.update(owner, ofUser(key), change),
      },
    }),
  ],
  [
    'reads the working memory of a conversation to everybody',
    ofForeign,
    ({ workingMemory }) => ({ workingMemory: { read: (_owner, key) => workingMemory.read('anyone', key) } }),
  ],
  [
    'ignores the owner when it changes the working memory of a conversation',
    ofForeign,
    ({ workingMemory }) => ({
      workingMemory: { update: (_owner, key, change) => workingMemory.update('anyone', key, change) },
    }),
  ],
  [
    'shows a change what another person has',
    ofForeign,
    ({ workingMemory }) => ({
      workingMemory: {
        update: async (owner, key, change) => {
          const content = await workingMemory.read('anyone', key);
          const isWritten = await workingMemory.update(owner, key, change);
          if (!isWritten && content !== undefined) change(content);
          return isWritten;
        },
      },
    }),
  ],
  [
    'reports a write for another user',
    ofOther,
    ({ workingMemory }) => ({
      workingMemory: {
        update: async (owner, key, change) => {
          await workingMemory.update(owner, key, change);
          return true;
        },
      },
    }),
  ],
  [
    'reads the working memory of a user to everybody',
    ofOther,
    ({ workingMemory }) => ({
      workingMemory: {
        read: (owner, key) => workingMemory.read(key.scope === 'user' ? 'anyone' : owner, key),
      },
    }),
  ],
  [
    'writes for anyone, and not for the owner',
    'lets the owner and anyone read and change the content',
    ({ workingMemory }) => ({
      workingMemory: {
        update: async (owner, key, change) => owner === 'anyone' && workingMemory.update(owner, key, change),
      },
    }),
  ],
  ...corruptedValues.map(([fault, sample, corrupt]): WorkingMemoryFault => [
    fault,
    `returns content as it was written, as text, as JSON and in an object: ${sample}`,
    changing((made) => (made === undefined ? made : corrupt(made))),
  ]),
  ['treats null as absent', fromNothing, changing((made) => made ?? undefined)],
  ['treats an empty text as absent', fromNothing, changing((made) => (made === '' ? undefined : made))],
  [
    'uses ids as keys of an object',
    'accepts ids of conversations and users with any characters',
    ({ workingMemory }) => ({
      workingMemory: { read: async (owner, key) => (idOf(key) in {} ? undefined : workingMemory.read(owner, key)) },
    }),
  ],
  [
    'returns the stored objects',
    'is not affected by later changes of passed or returned objects',
    ({ workingMemory }) => {
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
  ],
  [
    'changes returned objects',
    'returns values that later writes do not change',
    ({ workingMemory }) => {
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
  ],
];

/** Changes the result of a change before it is written. */
function changing(
  toWritten: (made: JsonValue | undefined, content: JsonValue | undefined) => JsonValue | undefined,
): WorkingMemoryFault[2] {
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
