import type { Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe } from 'vitest';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import type { StorageForTests } from '../testing/open-for-test.ts';
import { shardedForTests, asOnShards } from '../testing/sharded-for-tests.ts';

describe('three in-memory storages as shards', () => {
  describeSameAnswers(shardedForTests([inMemory(), inMemory(), inMemory()]), {
    runs: 300,
    unordered: ['admit', 'publish'],
    adapt: asOnShards,
  });
});

function inMemory(): StorageForTests {
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
