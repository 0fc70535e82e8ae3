import { describe } from 'vitest';
import { describeSlowServer } from '../testing/describe-slow-server.ts';

describe('a PostgreSQL server that does not answer in time', () => {
  describeSlowServer({ isTimed: false });
});
