import { describe } from 'vitest';
import { testDurableChats } from '../../../testing/durable-chats.ts';
import { inMemory } from '../../../testing/durable.ts';

describe('a durable chat, stored in memory,', () => {
  testDurableChats(inMemory);
});
