import type { DeletedUserData, Storage, UserRecord } from '@halyard/contracts';
import { all, pause } from './conversation-fault.ts';
import { corruptedValues } from './corrupted-values.ts';

/** The fault of a storage, the case that must find it, and its implementation. */
export type UserDataFault = readonly [fault: string, foundBy: string, (storage: Storage) => Partial<Storage['users']>];

const everything = 'exports all data of a user in all stores, each record once, and no data of others';
const asShown =
  'exports the records that the stores return: conversations, messages, working memory, executions and their events';
const inOrder = 'exports all messages of a conversation after it, in order';
const many = 'exports every conversation, every execution and all of its events';
const asGiven = 'exports values as they were written, for any user id';
const deletesAll = 'deletes all data of a user in all stores, and returns the counts';
const deletesStreams = 'deletes the streams of a user and of no other user, in a storage with streams';
const leavesOthers = 'keeps the data of other users, and data without a user';
const nothing: DeletedUserData = { conversations: 0, messages: 0, executions: 0 };

export const userDataFaults: readonly UserDataFault[] = [
  [
    'exports data without a user for an empty user id',
    'exports nothing of an unknown user',
    ({ users }) => ({ export: (userId) => users.export(userId === '' ? 'ben' : userId) }),
  ],
  [
    'exports working memory that is not there',
    'exports nothing of an unknown user',
    exporting((records) => [...records, { type: 'working-memory', content: null }]),
  ],
  ...(['conversation', 'message', 'working-memory', 'execution'] as const).map((type): UserDataFault => [
    `exports no record of type ${type}`,
    everything,
    exporting((records) => records.filter((record) => record.type !== type)),
  ]),
  [
    'exports no sub-workflows',
    everything,
    exporting((records) =>
      records.filter((record) => record.type !== 'execution' || record.execution.parentExecutionId === null),
    ),
  ],
  ['exports everything twice', everything, exporting((records) => [...records, ...records])],
  [
    'exports what others have',
    everything,
    ({ users }) => ({
      async *export() {
        for (const userId of ['ada', 'ben', 'zoe']) yield* users.export(userId);
      },
    }),
  ],
  [
    'exports executions without their events',
    asShown,
    exporting((records) => records.map((record) => (record.type === 'execution' ? { ...record, events: [] } : record))),
  ],
  [
    'exports conversations without their working memory',
    asShown,
    exporting((records) =>
      records.map((record) =>
        record.type === 'conversation' ? { type: record.type, conversation: record.conversation } : record,
      ),
    ),
  ],
  [
    'exports messages without their times',
    asShown,
    exporting((records) =>
      records.map((record) =>
        record.type === 'message' ? { ...record, message: { ...record.message, createdAt: 0 } } : record,
      ),
    ),
  ],
  ['exports messages before their conversation', inOrder, exporting((records) => records.toReversed())],
  [
    'exports the messages of all conversations in the order of their ids',
    inOrder,
    exporting((records) => records.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))),
  ],
  [
    'exports a thousand messages at most',
    inOrder,
    exporting((records) => records.filter((record, index) => record.type !== 'message' || index < 1_000)),
  ],
  [
    'exports a page of conversations',
    many,
    exporting((records) => records.filter((record, index) => record.type !== 'conversation' || index < 200)),
  ],
  [
    'exports a page of events',
    many,
    exporting((records) =>
      records.map((record) =>
        record.type === 'execution' ? { ...record, events: record.events.slice(0, 1_000) } : record,
      ),
    ),
  ],
  ...corruptedValues.map(([fault, , corrupt]): UserDataFault => [
    `${fault} in what it exports`,
    asGiven,
    exporting((records) =>
      records.map((record) =>
        record.type === 'working-memory' ? { ...record, content: corrupt(record.content) } : record,
      ),
    ),
  ]),
  [
    'treats working memory that is null as absent',
    asGiven,
    exporting((records) =>
      records.map((record) =>
        record.type === 'conversation' && record.workingMemory === null
          ? { type: record.type, conversation: record.conversation }
          : record,
      ),
    ),
  ],
  [
    'holds a lock until an export has been read completely',
    'releases its resources when a reader stops early, and exports the same to several readers',
    ({ users }) => {
      let openExports = 0;
      return {
        async *export(userId) {
          openExports += 1;
          if (openExports > 20) return;
          yield* users.export(userId);
          openExports -= 1;
        },
      };
    },
  ],
  [
    'allows one export at a time',
    'releases its resources when a reader stops early, and exports the same to several readers',
    ({ users }) => {
      let isRead = false;
      return {
        async *export(userId) {
          if (isRead) return;
          isRead = true;
          try {
            yield* users.export(userId);
          } finally {
            isRead = false;
          }
        },
      };
    },
  ],
  [
    'stops an export when data is deleted during it',
    'continues when the reader reads and deletes data during the export',
    ({ users, conversations }) => ({
      async *export(userId) {
        const { total } = await conversations.list('anyone', all);
        for await (const record of users.export(userId)) {
          if ((await conversations.list('anyone', all)).total < total) return;
          yield record;
        }
      },
    }),
  ],
  ...(['conversations', 'messages', 'executions'] as const).map((key): UserDataFault => [
    `does not count the ${key} that it deleted`,
    deletesAll,
    ({ users }) => ({ delete: async (userId) => ({ ...(await users.delete(userId)), [key]: 0 }) }),
  ]),
  [
    'keeps the working memory of a deleted user',
    deletesAll,
    ({ users, workingMemory }) => ({
      delete: async (userId) => {
        const key = { scope: 'user', userId } as const;
        const content = await workingMemory.read('anyone', key);
        const deleted = await users.delete(userId);
        await workingMemory.update('anyone', key, () => content);
        return deleted;
      },
    }),
  ],
  [
    'keeps the executions of a deleted user',
    deletesAll,
    ({ conversations }) => ({
      delete: async (userId) => {
        const owned = await conversations.list({ user: userId }, all);
        for (const { id } of owned.conversations) await conversations.delete('anyone', id);
        return { ...nothing, conversations: owned.conversations.length };
      },
    }),
  ],
  [
    'keeps the streams of a deleted user',
    deletesStreams,
    ({ streams, users }) => ({
      delete: async (userId) => {
        const place = { agentId: 'writer', conversationId: 'talk' };
        const live = await streams?.findLive({ user: userId }, place);
        const deleted = await users.delete(userId);
        if (live !== undefined) await streams?.begin(live, 60_000);
        return deleted;
      },
    }),
  ],
  [
    'deletes the streams of all users',
    deletesStreams,
    ({ streams, users }) => ({
      delete: async (userId) => {
        await streams?.deleteUser('ben');
        return users.delete(userId);
      },
    }),
  ],
  [
    'deletes users whose ids begin alike',
    leavesOthers,
    ({ users }) => ({
      delete: async (userId) => {
        await users.delete(`${userId}2`);
        return users.delete(userId);
      },
    }),
  ],
  [
    'deletes users whatever the case of their ids',
    leavesOthers,
    ({ users }) => ({
      delete: async (userId) => {
        await users.delete(userId.replace(/^./, (first) => first.toUpperCase()));
        return users.delete(userId);
      },
    }),
  ],
  [
    'counts data as deleted that it deletes later',
    'frees the ids: new records contain nothing of the deleted ones',
    ({ users }) => ({ delete: async (userId) => (userId === 'ben' ? users.delete(userId) : nothing) }),
  ],
  [
    'does not delete running executions',
    'stops running executions at their next commit, and leaves none of them due',
    ({ executions, users }) => ({
      delete: async (userId) => {
        const filter = { parentExecutionId: null, userId, limit: 1_000, offset: 0 };
        const { executions: owned } = await executions.list('anyone', filter);
        return owned.some(({ runner }) => runner !== null)
          ? { ...nothing, executions: owned.length }
          : users.delete(userId);
      },
    }),
  ],
  [
    'keeps the ids of deleted executions in use',
    'keeps the runner of a deleted execution from the execution of another user that has its id now',
    ({ executions, users }) => ({
      delete: async (userId) => {
        const filter = { parentExecutionId: null, userId, limit: 1_000, offset: 0 };
        const { executions: owned } = await executions.list('anyone', filter);
        const deleted = await users.delete(userId);
        for (const { userId: _, ...execution } of owned)
          await executions.create({ ...execution, events: [] }, { requestId: 'kept' });
        return deleted;
      },
    }),
  ],
  [
    'deletes a page of conversations',
    'deletes any amount of data',
    ({ conversations, users }) => ({
      delete: async (userId) => {
        const owned = await conversations.list({ user: userId }, { ...all, limit: 200 });
        for (const { id } of owned.conversations) await conversations.delete('anyone', id);
        return owned.total > 200 ? { ...nothing, conversations: 200 } : users.delete(userId);
      },
    }),
  ],
  [
    'counts before it deletes',
    'deletes each record once when concurrent calls delete it',
    ({ conversations, users }) => ({
      delete: async (userId) => {
        const { total } = await conversations.list({ user: userId }, all);
        await pause();
        return { ...(await users.delete(userId)), conversations: total };
      },
    }),
  ],
  [
    'deletes in parts, with what is written between them',
    'leaves no partial writes when data is written during the deletion',
    ({ users, workingMemory }) => ({
      delete: async (userId) => {
        const deleted = await users.delete(userId);
        await pause();
        await workingMemory.update('anyone', { scope: 'user', userId }, () => 'late');
        return deleted;
      },
    }),
  ],
  [
    'uses user ids as keys of an object',
    'deletes the data of any user id',
    ({ users }) => ({ delete: async (userId) => (userId in {} ? nothing : users.delete(userId)) }),
  ],
];

/** Changes the records of an export. */
function exporting(change: (records: readonly UserRecord[]) => readonly UserRecord[]): UserDataFault[2] {
  return ({ users }) => ({
    async *export(userId) {
      const records: UserRecord[] = [];
      for await (const record of users.export(userId)) records.push(record);
      yield* change(records);
    },
  });
}

function nameOf(record: UserRecord): string {
  return record.type === 'message' ? record.message.id : '';
}
