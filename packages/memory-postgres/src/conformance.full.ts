import { describe } from 'vitest';
import { describeConformance } from './testing/conformance.ts';
import { embeddedForTests } from './testing/embedded-template.ts';
import { openForTests } from './testing/open-for-test.ts';

describe('an embedded database', () => {
  describeConformance(openForTests(embeddedForTests));
});
