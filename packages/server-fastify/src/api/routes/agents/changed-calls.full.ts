import { describe } from 'vitest';
import { testChangedCalls } from '../../../testing/changed-calls.ts';
import { inPostgres } from '../../../testing/durable.ts';

describe('an answer to an approval request, stored in PostgreSQL', () => {
  testChangedCalls(() => inPostgres().storage);
});
