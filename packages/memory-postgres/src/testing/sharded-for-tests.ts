import { type CreateOptions, type ExecutionStore, silentLogger, type Storage } from '@halyard/contracts';
import { shardedStorage } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { StorageForTests } from './open-for-test.ts';

/** Several databases as shards. Each call comes a millisecond after the one before: what two shards create at the same time has no order. */
export function shardedForTests(databases: readonly [StorageForTests, ...StorageForTests[]]): StorageForTests {
  let storage: Storage | undefined;
  const advance = (ms: number): void => {
    for (const database of databases) database.advance(ms);
  };
  const open = (): Storage => {
    const sharded = shardedStorage(
      databases.map((database) => database.storage),
      { logger: silentLogger },
    );
    const executions = new Proxy(sharded.executions, {
      get: (store, name) => {
        advance(1);
        const method: unknown = Reflect.get(store, name);
        if (typeof method !== 'function') return method;
        return (...parameters: readonly unknown[]): unknown => Reflect.apply(method, store, parameters);
      },
    });
    return { ...sharded, executions };
  };
  return {
    get storage() {
      storage ??= open();
      return storage;
    },
    advance,
    now: () => databases[0].now(),
    empty: async () => {
      await Promise.all(databases.map((database) => database.empty()));
      storage = undefined;
    },
  };
}

/**
 * Changes the calls whose answers depend on the shards. A runner has a lease on each shard: each execution gets a runner of its own. An
 * execution with several keys is refused: it gets one. A limit of a purge leaves
 * any of what it may delete: it is never reached.
 */
export function asOnShards(store: ExecutionStore): ExecutionStore {
  const create: ExecutionStore['create'] = (execution, options) => store.create(execution, withOneKey(options));
  const claim: ExecutionStore['claim'] = (id, { leaseMs, runner }, options) =>
    store.claim(id, { leaseMs, runner: `${runner} of ${id}` }, options);
  const renew: ExecutionStore['renew'] = async (held, { leaseMs, runner }) => {
    const lost = held.map((one) => store.renew([one], { leaseMs, runner: `${runner} of ${one.executionId}` }));
    return (await Promise.all(lost)).flat();
  };
  const purge: ExecutionStore['purge'] = (olderThanMs, limit) => store.purge(olderThanMs, limit * 100);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'create') return create;
      if (name === 'claim') return claim;
      if (name === 'renew') return renew;
      if (name === 'purge') return purge;
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...parameters: readonly unknown[]): unknown => Reflect.apply(method, target, parameters);
    },
  });
}

function withOneKey(options: CreateOptions): CreateOptions {
  const { concurrency, debounce, singleton, throttle } = options;
  const key = (concurrency ?? debounce ?? singleton ?? throttle)?.key ?? '';
  return {
    ...options,
    ...(concurrency && { concurrency: { ...concurrency, key } }),
    ...(debounce && { debounce: { ...debounce, key } }),
    ...(singleton && { singleton: { ...singleton, key } }),
    ...(throttle && { throttle: { ...throttle, key } }),
  };
}

/** A storage in memory, as one of several shards. */
export function inMemoryForTests(): StorageForTests {
  let time = 0;
  const clock = { now: () => time };
  let storage: Storage = createInMemoryStorage({ clock });
  return {
    get storage() {
      return storage;
    },
    advance: (ms) => void (time += ms),
    now: clock.now,
    empty: async () => {
      storage = createInMemoryStorage({ clock });
    },
  };
}
