import { describe } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { describeLongConversation } from '../testing/long-conversation.ts';
import { openForTests } from '../testing/open-for-test.ts';

describe('a long conversation in an embedded database', () => {
  const database = openForTests(embeddedForTests);
  describeLongConversation(() => [database.storage]);
});
