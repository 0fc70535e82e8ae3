import { describe } from 'vitest';
import { describeSameAnswers } from '../testing/describe-same-answers.ts';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

describe('an embedded database', () => {
  describeSameAnswers(openForTests(embeddedForTests), { runs: 300 });
});
