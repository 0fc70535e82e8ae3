import type { DeletedUserData, Storage, UserRecord } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { all } from './conversation-fault.ts';

export type UserDataFault = (storage: Storage) => Partial<Storage['users']>;

const nothing: DeletedUserData = { conversations: 0, messages: 0, executions: 0 };

/** Faults of exporting and deleting the data of a user. */
export const userDataFaults: FaultTable<UserDataFault> = {
  'deletes the decisions about requests of a user and of no other user': () => ({ delete: async () => nothing }),
  'exports nothing of an unknown user': exporting((records) => [...records, { type: 'working-memory', content: null }]),
  'exports all data of a user in all stores, each record once, and no data of others': [
    exporting((records) => [...records, ...records]),
    ...['conversation', 'message', 'working-memory', 'execution'].map((type) =>
      exporting((records) => records.filter((record) => record.type !== type)),
    ),
    // Exports what others have.
    ({ users }) => ({
      async *export() {
        for (const userId of ['ada', 'ben', 'zoe']) yield* users.export(userId);
      },
    }),
  ],
  'exports the records that the stores return: conversations, messages, working memory, executions and their events':
    exporting((records) => records.map((record) => (record.type === 'execution' ? { ...record, events: [] } : record))),
  'exports all messages of a conversation after it, in order': exporting((records) => records.toReversed()),
  'exports every conversation, every execution and all of its events': exporting((records) =>
    records.filter((record, index) => record.type !== 'conversation' || index < 200),
  ),
  // Treats working memory that is null as absent.
  'exports values as they were written, for any user id': exporting((records) =>
    records.map((record) =>
      record.type === 'conversation' && record.workingMemory === null
        ? { type: record.type, conversation: record.conversation }
        : record,
    ),
  ),
  // Holds a lock until an export has been read completely.
  'releases its resources when a reader stops early, and exports the same to several readers': ({ users }) => {
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
  // Stops an export when data is deleted during it.
  'continues when the reader reads and deletes data during the export': ({ users, conversations }) => ({
    async *export(userId) {
      const { total } = await conversations.list('anyone', all);
      for await (const record of users.export(userId)) {
        if ((await conversations.list('anyone', all)).total < total) return;
        yield record;
      }
    },
  }),
  // Keeps the executions of a deleted user.
  'deletes all data of a user in all stores, and returns the counts': ({ conversations }) => ({
    delete: async (userId) => {
      const owned = await conversations.list({ user: userId }, all);
      for (const { id } of owned.conversations) await conversations.delete('anyone', id);
      return { ...nothing, conversations: owned.conversations.length };
    },
  }),
  // Deletes the streams of all users.
  'deletes the streams of a user and of no other user, in a storage with streams': ({ streams, users }) => ({
    delete: async (userId) => {
      await streams?.deleteUser('ben');
      return users.delete(userId);
    },
  }),
  // Deletes users whose ids begin alike.
  'keeps the data of other users, and data without a user': ({ users }) => ({
    delete: async (userId) => {
      await users.delete(`${userId}2`);
      return users.delete(userId);
    },
  }),
  'frees the ids: new records contain nothing of the deleted ones': ({ users }) => ({
    delete: async (userId) => (userId === 'ben' ? users.delete(userId) : nothing),
  }),
  // Does not delete running executions.
  'stops running executions at their next commit, and leaves none of them due': ({ executions, users }) => ({
    delete: async (userId) => {
      const filter = { parentExecutionId: null, userId, limit: 1_000, offset: 0 };
      const { executions: owned } = await executions.list('anyone', filter);
      return owned.some(({ runner }) => runner !== null)
        ? { ...nothing, executions: owned.length }
        : users.delete(userId);
    },
  }),
  // Keeps the ids of deleted executions in use.
  'keeps the runner of a deleted execution from the execution of another user that has its id now': ({
    executions,
    users,
  }) => ({
    delete: async (userId) => {
      const filter = { parentExecutionId: null, userId, limit: 1_000, offset: 0 };
      const { executions: owned } = await executions.list('anyone', filter);
      const deleted = await users.delete(userId);
      for (const { userId: _, ...execution } of owned)
        await executions.create({ ...execution, events: [] }, { requestId: 'kept' });
      return deleted;
    },
  }),
  // Deletes a page of conversations.
  'deletes any amount of data': ({ conversations, users }) => ({
    delete: async (userId) => {
      const owned = await conversations.list({ user: userId }, { ...all, limit: 200 });
      for (const { id } of owned.conversations) await conversations.delete('anyone', id);
      return owned.total > 200 ? { ...nothing, conversations: 200 } : users.delete(userId);
    },
  }),
  // Counts before it deletes.
  'deletes each record once when concurrent calls delete it': ({ conversations, users }) => ({
    delete: async (userId) => {
      const { total } = await conversations.list({ user: userId }, all);
      await pause();
      return { ...(await users.delete(userId)), conversations: total };
    },
  }),
  // Deletes in parts, with what is written between them.
  'leaves no partial writes when data is written during the deletion': ({ users, workingMemory }) => ({
    delete: async (userId) => {
      const deleted = await users.delete(userId);
      await pause();
      await workingMemory.update('anyone', { scope: 'user', userId }, () => 'late');
      return deleted;
    },
  }),
  'deletes the data of any user id': ({ users }) => ({
    delete: async (userId) => (userId in {} ? nothing : users.delete(userId)),
  }),
};

/** Changes the records of an export. */
function exporting(change: (records: readonly UserRecord[]) => readonly UserRecord[]): UserDataFault {
  return ({ users }) => ({
    async *export(userId) {
      const records: UserRecord[] = [];
      for await (const record of users.export(userId)) records.push(record);
      yield* change(records);
    },
  });
}
