import type { DeletedUserData, Storage, UserDataStore } from '@halyard/contracts';
import type { Services } from '../../services.ts';

const pageSize = 200;

/** Deletes the data of a user in every storage and vector store of the server. */
export async function deleteUser(
  userId: string,
  services: Pick<Services, 'agentServices' | 'memories' | 'storage' | 'streams' | 'telemetry' | 'workflows'>,
): Promise<DeletedUserData> {
  const { agentServices, memories, streams, telemetry, workflows } = services;
  const stores = userStores(services);
  await streams.deleteUser(userId);
  const deleted = [];
  for (const store of stores) deleted.push(await store.delete(userId));
  await workflows.endDeleted();
  // Those for the runs of others have the claims of the user who gave them.
  const { grants } = agentServices.approvals;
  for (let given; (given = await grants.list({ user: userId }, pageSize)).length > 0;)
    for (const grant of given) await grants.revoke(grant);
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
