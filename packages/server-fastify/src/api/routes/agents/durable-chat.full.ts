import { describe } from 'vitest';
import { testRecovery } from '../../../testing/durable-chat-recovery.ts';
import { testDurableChats } from '../../../testing/durable-chats.ts';
import { inPostgres } from '../../../testing/durable.ts';

describe('a durable chat, stored in PostgreSQL,', () => {
  testDurableChats(inPostgres);
});

describe('the recovery of a durable chat, stored in PostgreSQL,', () => {
  testRecovery(inPostgres);
});
