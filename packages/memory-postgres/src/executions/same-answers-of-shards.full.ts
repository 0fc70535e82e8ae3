import { describe } from 'vitest';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import { asOnShards, inMemoryForTests, shardedForTests } from '../testing/sharded-for-tests.ts';

describe('three in-memory storages as shards', () => {
  describeSameAnswers(shardedForTests([inMemoryForTests(), inMemoryForTests(), inMemoryForTests()]), {
    runs: 100,
    seed: 3,
    unordered: ['admit', 'publish'],
    adapt: asOnShards,
  });
});
