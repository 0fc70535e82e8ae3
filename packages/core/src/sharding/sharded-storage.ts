import {
  checkOptionNames,
  ConfigurationError,
  type Logger,
  type OptionNames,
  type PoolConnections,
  type Storage,
  type StorageSize,
} from '@halyard/contracts';
import { consoleLogger } from '../services/default-services.ts';
import { isUnavailable, Shard } from './shard.ts';
import { ShardedExecutionStore } from './sharded-execution-store.ts';
import { ShardedUserDataStore } from './sharded-user-data-store.ts';

export interface ShardedStorageOptions {
  /** Receives a warning when a shard fails, and a message when it answers again. Default: the console. */
  readonly logger?: Logger;
  /** After this many milliseconds without an answer, calls for all executions leave a shard out. Default: 5 000. */
  readonly silentAfterMs?: number;
}

/**
 * Distributes executions among several storages, such as PostgreSQL servers. The first one also stores everything else.
 *
 * An execution lives where the hash of its id says, with its sub-workflows; one with a concurrency key lives with the others of this key. The number and order of the
 * storages never change: each records which shard it is, and `opened()` rejects when it is another one.
 *
 * @throws ConfigurationError when there are fewer than two storages, one of them twice, or an unknown option.
 */
export function shardedStorage(storages: readonly Storage[], options: ShardedStorageOptions = {}): Storage {
  checkOptionNames('shardedStorage', options, optionNames);
  const { logger = consoleLogger, silentAfterMs = 5_000 } = options;
  if (new Set(storages).size < storages.length)
    throw new ConfigurationError('shardedStorage needs a different storage for each shard');
  const [first, ...others] = storages.map(
    (storage, index) => new Shard(storage, index, { storages, logger, silentAfterMs }),
  );
  if (first === undefined || others.length === 0)
    throw new ConfigurationError('shardedStorage needs at least two storages');
  const shards = [first, ...others] as const;
  const { approvals, conversations, streams, telemetry, workingMemory } = first.storage;
  return {
    approvals,
    conversations,
    executions: new ShardedExecutionStore(shards),
    users: new ShardedUserDataStore(storages),
    ...(streams !== undefined && { streams }),
    ...(telemetry !== undefined && { telemetry }),
    workingMemory,
    check: () => first.storage.check(),
    connections: () => sumOf(storages.map((storage) => storage.connections?.())),
    ...(storages.every((storage) => 'size' in storage) && { size: () => sizeOf(storages) }),
    opened: async () => {
      await Promise.all(shards.map(open));
    },
    close: async () => {
      await Promise.all(storages.map((storage) => storage.close()));
    },
  };
}

const optionNames: OptionNames<ShardedStorageOptions> = { logger: true, silentAfterMs: true };

function sumOf(pools: readonly (PoolConnections | undefined)[]): PoolConnections | undefined {
  const known = pools.filter((pool) => pool !== undefined);
  if (known.length === 0) return undefined;
  const sum = (of: (pool: PoolConnections) => number): number => known.reduce((total, pool) => total + of(pool), 0);
  return {
    total: sum(({ total }) => total),
    idle: sum(({ idle }) => idle),
    waiting: sum(({ waiting }) => waiting),
    max: sum(({ max }) => max),
  };
}

/** The tables of the shards have the same names. */
async function sizeOf(storages: readonly Storage[]): Promise<StorageSize> {
  const sizes = await Promise.all(storages.map(async (storage) => storage.size?.()));
  const known = sizes.filter((size) => size !== undefined);
  const byName = Map.groupBy(
    known.flatMap(({ tables }) => tables),
    ({ name }) => name,
  );
  const tables = [...byName].map(([name, same]) => ({
    name,
    bytes: same.reduce((total, { bytes }) => total + bytes, 0),
    rows: same.reduce<number | null>((total, { rows }) => (rows === null ? total : (total ?? 0) + rows), null),
  }));
  return {
    bytes: known.reduce((total, { bytes }) => total + bytes, 0),
    tables: tables.toSorted((one, other) => other.bytes - one.bytes),
  };
}

/** A shard that does not answer yet joins when it is first used. */
async function open(shard: Shard): Promise<void> {
  await shard.storage.opened?.();
  try {
    await shard.ask(async () => {});
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}
