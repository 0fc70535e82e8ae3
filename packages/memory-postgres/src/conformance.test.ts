import { describe } from 'vitest';
import { inMemoryOpener } from './connection/embedded/open-embedded.ts';
import { describeConformance } from './testing/conformance.ts';
import { openForTests } from './testing/open-for-test.ts';

describe('an embedded database', () => {
  describeConformance(openForTests(async () => inMemoryOpener()));
});
