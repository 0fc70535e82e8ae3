import { describe } from 'vitest';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';
import { asOnShards, inMemoryForTests, shardedForTests } from '../testing/sharded-for-tests.ts';

describe('an embedded database', () => {
  describeSameAnswers(openForTests(embeddedForTests), { runs: 300 });
});

describe('three in-memory storages as shards', () => {
  describeSameAnswers(shardedForTests([inMemoryForTests(), inMemoryForTests(), inMemoryForTests()]), {
    runs: 1_000,
    unordered: ['admit', 'publish'],
    adapt: asOnShards,
  });
});
