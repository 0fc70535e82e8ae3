import { describe } from 'vitest';
import { testChangedCalls } from '../../../testing/changed-calls.ts';
import { inMemory } from '../../../testing/durable.ts';

describe('an answer to an approval request, stored in memory', () => {
  testChangedCalls(() => inMemory().storage);
});
