import { describe } from 'vitest';
import { inMemoryOpener } from '../connection/embedded/open-embedded.ts';
import { describeLongConversation } from '../testing/long-conversation.ts';
import { openForTests } from '../testing/open-for-test.ts';

describe('a long conversation in an embedded database', () => {
  const database = openForTests(async () => inMemoryOpener());
  describeLongConversation(() => [database.storage]);
});
