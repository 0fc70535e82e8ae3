import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { collectEvents } from '../testing/index.ts';
import { messagesById } from './messages-by-id.ts';
import { textMessage } from './testing/text-message.ts';

async function setUp(pageBytes: number) {
  const { conversations } = createInMemoryStorage();
  await conversations.create({ id: 'c1', userId: 'ada', resourceId: 'r', title: '', metadata: {} });
  const messages = ['m1', 'm2', 'm3', 'm4'].map((id) => textMessage(id, 'user', 'x'.repeat(100)));
  await conversations.save({ user: 'ada' }, { conversationId: 'c1', messages });
  const reads = vi.spyOn(conversations, 'findMessages');
  const found = async (ids: readonly string[], user = 'ada'): Promise<readonly string[]> => {
    const pages = { conversations, owner: { user }, conversationId: 'c1', pageBytes };
    return (await collectEvents(messagesById(pages, ids))).map(({ id }) => id).toSorted();
  };
  return { found, reads };
}

it.each([1, 300, 100_000])('finds each message once, in pages of %i bytes', async (pageBytes) => {
  const { found } = await setUp(pageBytes);
  expect(await found(['m4', 'm1', 'm2'])).toEqual(['m1', 'm2', 'm4']);
});

it('reads until all are found, and not for none', async () => {
  const { found, reads } = await setUp(1);
  await found(['m1', 'm2', 'm3']);
  expect(reads).toHaveBeenCalledTimes(3);
  await found([]);
  expect(reads).toHaveBeenCalledTimes(3);
});

it('ends where the others do not exist, or belong to another user', async () => {
  const { found, reads } = await setUp(100_000);
  expect(await found(['m1', 'gone'])).toEqual(['m1']);
  expect(reads).toHaveBeenCalledTimes(2);
  expect(await found(['m1'], 'bob')).toEqual([]);
});
