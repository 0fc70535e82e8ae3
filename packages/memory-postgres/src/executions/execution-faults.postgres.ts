import { describe } from 'vitest';
import { describeExecutionFaults } from '../testing/describe-execution-faults.ts';

describe('executions on a PostgreSQL server that fails', () => {
  describeExecutionFaults({ parallel: 100, isTimed: false });
});
