import { type Clock, type ExecutionStore, silentLogger } from '@halyard/contracts';
import { shardedStorage } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { simulateSeed } from './simulate-seed.ts';

it('ends every execution as expected on three shards', { timeout: 600_000 }, async () => {
  for (let seed = 0; seed < 300; seed += 1) await expect(simulateSeed(seed, { createStore })).resolves.toBeUndefined();
});

function createStore(clock: Clock): ExecutionStore {
  const storages = [1, 2, 3].map(() => createInMemoryStorage({ clock }));
  return shardedStorage(storages, { logger: silentLogger }).executions;
}
