import { ConfigurationError, type JsonValue, type Storage } from '@halyard/contracts';

/** The working memory with this key records which shard a storage is. No user has this id. */
const key = { scope: 'user', userId: 'halyard:shard' } as const;

/**
 * Checks that a storage is the shard with this index. A new one is recorded as this shard, once all others have been checked.
 *
 * @throws ConfigurationError when one is recorded as another shard: executions would not be found where they are looked for.
 */
export async function joinShard(storages: readonly Storage[], index: number): Promise<void> {
  const count = storages.length;
  if (await isRecorded(storages, index)) return;
  await Promise.all(storages.keys().map((other) => isRecorded(storages, other)));
  await storages[index]?.workingMemory.update('anyone', key, (record) => record ?? { shard: index + 1, of: count });
  await isRecorded(storages, index);
}

/** @returns whether it is recorded as this shard; false for a new storage. */
async function isRecorded(storages: readonly Storage[], index: number): Promise<boolean> {
  const record = await storages[index]?.workingMemory.read('anyone', key);
  if (record === undefined) return false;
  const [number, count] = [fieldOf(record, 'shard'), fieldOf(record, 'of')];
  if (number === String(index + 1) && count === String(storages.length)) return true;
  throw new ConfigurationError(
    `shardedStorage got a storage as shard ${index + 1} of ${storages.length} that was shard ${number} of ${count}. ` +
      'Pass the same storages in the same order as at its first start',
  );
}

function fieldOf(record: JsonValue, name: string): string {
  return String(typeof record === 'object' && record !== null ? Reflect.get(record, name) : '?');
}
