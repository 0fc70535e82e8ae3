import type { DeletedUserData, Storage, UserDataStore } from '@halyard/contracts';
import type { Services } from '../../services.ts';

/** Deletes the data of a user in every storage and vector store of the server. */
export async function deleteUser(
  userId: string,
  services: Pick<Services, 'memories' | 'storage' | 'streams' | 'telemetry' | 'workflows'>,
): Promise<DeletedUserData> {
  const { memories, streams, telemetry, workflows } = services;
  const stores = userStores(services);
  await streams.deleteUser(userId);
  const deleted = [];
  for (const store of stores) deleted.push(await store.delete(userId));
  await workflows.endDeleted();
  for (const memory of memories.all) await memory.deleteUser(userId);
  await telemetry?.flush();
  await telemetry?.store.deleteUser(userId);
  return deleted.reduce((sum, { conversations, executions, messages }) => ({
    conversations: sum.conversations + conversations,
    messages: sum.messages + messages,
    executions: sum.executions + executions,
  }));
}

/** Each store once: memories often share all or some stores of the server's storage. */
export function userStores({ memories, storage }: Pick<Services, 'memories' | 'storage'>): Iterable<UserDataStore> {
  const storages: readonly Pick<Storage, 'conversations' | 'users'>[] = [
    storage,
    ...memories.all.map((memory) => memory.storage),
  ];
  return new Map(storages.toReversed().map(({ conversations, users }) => [conversations, users])).values();
}
