import { ConfigurationError, type DeletedUserData, type Storage, type UserDataStore } from '@halyard/contracts';
import type { Services } from '../../define/services.ts';

/** A memory may be given parts of a storage. */
type MemoryStorage = Pick<Storage, 'conversations'> & Partial<Pick<Storage, 'users'>>;

/** Deletes what every storage and vector store of a server has of a user. */
export async function deleteUser(
  userId: string,
  { memories, storage }: Pick<Services, 'memories' | 'storage'>,
): Promise<DeletedUserData> {
  const stores = userStores(
    storage,
    memories.all.map((memory) => memory.storage),
  );
  const deleted = [];
  for (const store of stores) deleted.push(await store.delete(userId));
  for (const memory of memories.all) await memory.deleteUser(userId);
  return deleted.reduce((sum, { conversations, executions, messages }) => ({
    conversations: sum.conversations + conversations,
    messages: sum.messages + messages,
    executions: sum.executions + executions,
  }));
}

/** Each once: memories often share the server's storage. */
function userStores(storage: Storage, others: readonly MemoryStorage[]): ReadonlySet<UserDataStore> {
  const byConversations = new Map<unknown, UserDataStore>([[storage.conversations, storage.users]]);
  for (const other of others) {
    if (byConversations.has(other.conversations)) continue;
    byConversations.set(other.conversations, usersOf(other));
  }
  return new Set(byConversations.values());
}

function usersOf(storage: MemoryStorage): UserDataStore {
  if (storage.users !== undefined) return storage.users;
  throw new ConfigurationError('The storage of a memory has no `users`: pass `createMemory` the whole storage');
}
