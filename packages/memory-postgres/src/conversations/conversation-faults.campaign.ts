import { describe } from 'vitest';
import { describeConversationFaults } from '../testing/describe-conversation-faults.ts';

describe('conversations on a PostgreSQL server that fails', () => {
  describeConversationFaults({ parallel: 500, isTimed: true });
});
