import { describe } from 'vitest';
import { inMemoryOpener } from '../connection/embedded/open-embedded.ts';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import { openForTests } from '../testing/open-for-test.ts';

describe('an embedded database', () => {
  describeSameAnswers(
    openForTests(async () => inMemoryOpener()),
    { runs: 100 },
  );
});
