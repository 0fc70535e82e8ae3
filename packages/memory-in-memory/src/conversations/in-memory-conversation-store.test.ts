import type { ConversationStore, Message, NewConversation } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';
import type { ConversationLimits } from './conversation-table.ts';

const all = { orderBy: 'updatedAt', direction: 'asc', limit: 100, offset: 0 } as const;

describe('the limits of a conversation store', () => {
  it('delete the conversation whose last change is the oldest, with its messages and working memory', async () => {
    const { conversations, workingMemory } = storageWith({ maxConversations: 2 });
    for (const id of ['a', 'b']) await conversations.save('anyone', write(id, 1));
    const key = { scope: 'conversation', conversationId: 'b' } as const;
    await workingMemory.update('anyone', key, () => 'noted');
    await conversations.update('anyone', 'a', { title: 'Changed' });
    await conversations.save('anyone', write('c', 1));

    expect(await idsOf(conversations)).toEqual(['a', 'c']);
    expect(await conversations.isTaken('b')).toBe(false);
    expect(await conversations.messages('anyone', 'b', { limit: 1 })).toBeUndefined();
    await conversations.save('anyone', write('b', 1));
    expect(await workingMemory.read('anyone', key)).toBeUndefined();
  });

  it('apply to the messages of all conversations together', async () => {
    const { conversations } = storageWith({ maxMessages: 10 });
    for (const id of ['a', 'b', 'c']) await conversations.save('anyone', write(id, 3));
    await conversations.save('anyone', { conversationId: 'c', messages: [message('more-1')] });
    expect(await idsOf(conversations)).toEqual(['a', 'b', 'c']);
    await conversations.save('anyone', { conversationId: 'a', messages: [message('more-1')] });
    expect(await idsOf(conversations)).toEqual(['c', 'a']);
  });

  it('count a replaced message once, and a deleted one not at all', async () => {
    const { conversations } = storageWith({ maxMessages: 4 });
    for (const id of ['a', 'b']) await conversations.save('anyone', write(id, 2));
    for (let times = 0; times < 5; times += 1) await conversations.save('anyone', write('a', 2));
    await conversations.save('anyone', {
      conversationId: 'a',
      messages: [message('new-0'), message('new-1')],
      dropAfter: 'a-0',
    });
    expect(await idsOf(conversations)).toEqual(['a']);
    await conversations.deleteMessages('anyone', 'a', ['new-0', 'new-1']);
    await conversations.save('anyone', write('b', 3));
    expect(await idsOf(conversations)).toEqual(['a', 'b']);
  });

  it.each([
    ['messages', (text: string) => ({ messages: [message('m', text)] })],
    ['metadata of messages', (text: string) => ({ messages: [{ ...message('m'), metadata: { text } }] })],
  ])('apply roughly to the bytes of %s', async (_, messagesWith) => {
    const { conversations } = storageWith({ maxBytes: 100_000 });
    for (let index = 0; index < 50; index += 1) {
      const { messages } = messagesWith('x'.repeat(10_000));
      await conversations.save('anyone', { ...write(`c-${index}`, 0), messages });
    }
    const stored = await idsOf(conversations);
    expect(stored.length).toBeGreaterThan(5);
    expect(stored.length).toBeLessThan(10);
    expect(stored.at(-1)).toBe('c-49');
  });

  it('count the bytes of a replaced message once, and of a deleted one not at all', async () => {
    const { conversations } = storageWith({ maxBytes: 100_000 });
    await conversations.create(newConversation('b'));
    const large = message('large', 'x'.repeat(40_000));
    for (let times = 0; times < 20; times += 1) {
      await conversations.save('anyone', { ...write('a', 1), messages: [message('first'), large] });
      if (times % 4 === 1) await conversations.deleteMessages('anyone', 'a', ['large']);
      const again = { messages: [large], dropAfter: 'first' };
      if (times % 4 === 2) await conversations.save('anyone', { conversationId: 'a', ...again });
    }
    expect(await idsOf(conversations)).toEqual(['b', 'a']);
    for (let times = 0; times < 3; times += 1) {
      await conversations.save('anyone', { conversationId: 'a', messages: [message('large')] });
      await conversations.save('anyone', { conversationId: 'a', messages: [large] });
    }
    await conversations.save('anyone', { conversationId: 'a', messages: [{ ...large, id: 'second' }] });
    expect(await idsOf(conversations)).toEqual(['b', 'a']);
    await conversations.save('anyone', { conversationId: 'a', messages: [{ ...large, id: 'third' }] });
    expect(await idsOf(conversations)).toEqual(['a']);
  });

  it('count the additional bytes when a message is replaced by a larger one', async () => {
    const { conversations } = storageWith({ maxBytes: 100_000 });
    await conversations.create(newConversation('b'));
    await conversations.save('anyone', write('a', 3));
    for (const [id, stored] of [
      ['a-0', ['b', 'a']],
      ['a-1', ['b', 'a']],
      ['a-2', ['a']],
    ] as const) {
      await conversations.save('anyone', { conversationId: 'a', messages: [message(id, 'x'.repeat(40_000))] });
      expect(await idsOf(conversations)).toEqual(stored);
    }
  });

  it('count titles, metadata and working memory', async () => {
    const { conversations, workingMemory } = storageWith({ maxBytes: 50_000 });
    const large = 'x'.repeat(15_000);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await conversations.create(newConversation(id));
    await conversations.update('anyone', 'c', { title: large });
    await conversations.update('anyone', 'd', { metadata: { large } });
    expect((await idsOf(conversations)).length).toBe(5);
    await workingMemory.update('anyone', { scope: 'conversation', conversationId: 'a' }, () => large);
    expect(await idsOf(conversations)).toEqual(['a', 'c', 'd']);
  });

  it('do not delete the conversation that was just written, however large it is', async () => {
    const { conversations } = storageWith({ maxMessages: 2, maxBytes: 1_000 });
    await conversations.save('anyone', write('a', 5));
    expect(await idsOf(conversations)).toEqual(['a']);
    await conversations.create(newConversation('b'));
    expect(await idsOf(conversations)).toEqual(['b']);
  });

  it('keep the newest messages of a conversation', async () => {
    const { conversations } = storageWith({ maxMessages: 5, maxMessagesPerConversation: 3 });
    await conversations.save('anyone', write('a', 5));
    await conversations.save('anyone', write('b', 2));
    await conversations.save('anyone', { conversationId: 'a', messages: [message('more-1'), message('a-3', 'again')] });

    const stored = (await conversations.messages('anyone', 'a', { limit: 10 }))?.messages ?? [];
    expect(stored.map(({ id }) => id)).toEqual(['a-3', 'a-4', 'more-1']);
    expect(await conversations.findMessages('anyone', 'a', ['a-0', 'a-2'])).toEqual([]);
    expect(await idsOf(conversations)).toEqual(['b', 'a']);
  });

  it('delete the original of a copy when there is space for one conversation', async () => {
    const { conversations } = storageWith({ maxMessages: 3 });
    await conversations.save('anyone', write('a', 3));
    const copy = await conversations.clone('anyone', { id: 'a', newId: 'b', includeMessages: true });
    expect(copy).toMatchObject({ messageCount: 3 });
    expect(await idsOf(conversations)).toEqual(['b']);
  });
});

it('returns frozen values without copying them', async () => {
  const { conversations } = storageWith({});
  const given = message('m');
  await conversations.save('anyone', { ...write('a', 0), messages: [given] });
  const [stored] = (await conversations.messages('anyone', 'a', { limit: 1 }))?.messages ?? [];
  expect((await conversations.findMessages('anyone', 'a', ['m']))[0]).toBe(stored);
  expect(() => stored?.parts.push({ type: 'step-start' })).toThrow(TypeError);
  expect(Object.keys(stored ?? {})).toEqual(['id', 'role', 'parts', 'createdAt']);
});

it('does not reuse the time of a deleted message', async () => {
  const { conversations } = storageWith({});
  await conversations.save('anyone', write('a', 3));
  const before = await conversations.messages('anyone', 'a', { limit: 9 });
  await conversations.save('anyone', { conversationId: 'a', messages: [message('new')], dropAfter: 'a-0' });
  const after = await conversations.messages('anyone', 'a', { limit: 1 });
  expect(after?.messages[0]?.createdAt).toBeGreaterThan(before?.messages.at(-1)?.createdAt ?? Infinity);
});

it('orders conversations by their changes when the clock is set back', async () => {
  let now = 5_000;
  const { conversations } = createInMemoryStorage({ clock: { now: () => now } });
  for (const id of ['c', 'b', 'a']) {
    await conversations.save('anyone', write(id, 1));
    now -= 1_000;
  }
  await conversations.save('anyone', write('c', 2));
  const list = await conversations.list('anyone', all);
  expect(list.conversations.map(({ updatedAt }) => updatedAt)).toEqual([5_000, 5_000, 5_000]);
  now = 6_000;
  await conversations.save('anyone', write('b', 2));
  expect(await idsOf(conversations)).toEqual(['a', 'c', 'b']);
});

it('does not change returned values by later writes', async () => {
  const { conversations } = storageWith({});
  await conversations.save('anyone', write('a', 2));
  const read = await conversations.messages('anyone', 'a', { limit: 9 });
  const text = JSON.stringify(read);
  await conversations.update('anyone', 'a', { title: 'New' });
  await conversations.save('anyone', { ...write('a', 3), messages: [message('a-0', 'new'), message('a-9')] });
  await conversations.deleteMessages('anyone', 'a', ['a-1']);
  expect(JSON.stringify(read)).toBe(text);
});

it('lists as waiting only answers that wait for an approval', async () => {
  const { conversations } = storageWith({});
  const part = { type: 'tool-pay', toolCallId: 'call', input: {} } as const;
  const asked = { ...part, state: 'approval-requested', approval: { id: 'approval' } } as const;
  const messages: readonly Message[] = [
    { ...message('waits'), role: 'assistant', parts: [asked] },
    { ...message('done'), role: 'assistant', parts: [{ ...part, state: 'output-available', output: null }] },
    { ...message('text'), role: 'assistant' },
    { ...message('asks'), parts: [asked] },
  ];
  for (const each of messages) {
    const save = { conversationId: each.id, create: newConversation(each.id), messages: [each] };
    expect(await conversations.save('anyone', save)).toEqual({ isNew: true, dropped: [] });
  }
  await conversations.create(newConversation('empty'));
  const waiting = await conversations.listWaiting?.('anyone', 9);
  expect(waiting?.map(({ conversation }) => conversation.id)).toEqual(['waits']);
});

it('changes the time of a conversation when messages are deleted, and not when there is nothing to delete or save', async () => {
  let now = 1_000;
  const { conversations } = createInMemoryStorage({ clock: { now: () => now } });
  await conversations.save('anyone', {
    conversationId: 'c',
    create: newConversation('c'),
    messages: [message('m')],
  });
  now = 2_000;
  const nothing = { conversationId: 'c', messages: [] };
  expect(await conversations.save('anyone', nothing)).toEqual({ isNew: false, dropped: [] });
  expect(await conversations.deleteMessages('anyone', 'c', ['unknown'])).toEqual([]);
  expect(await conversations.find('anyone', 'c')).toMatchObject({ updatedAt: 1_000 });
  expect(await conversations.deleteMessages('anyone', 'c', ['m'])).toEqual(['m']);
  expect(await conversations.find('anyone', 'c')).toMatchObject({ updatedAt: 2_000 });
});

function storageWith(conversations: ConversationLimits): ReturnType<typeof createInMemoryStorage> {
  let now = 1_000;
  return createInMemoryStorage({ clock: { now: () => now++ }, conversations });
}

function newConversation(id: string): NewConversation {
  return { id, userId: `user of ${id}`, resourceId: 'helper', title: '', metadata: {} };
}

function message(id: string, text = 'Hello'): Message {
  return { id, role: 'user', parts: [{ type: 'text', text }] };
}

function write(id: string, count: number): Parameters<ConversationStore['save']>[1] {
  const messages = Array.from({ length: count }, (_, index) => message(`${id}-${index}`));
  return { conversationId: id, messages, create: newConversation(id) };
}

async function idsOf(conversations: ConversationStore): Promise<readonly string[]> {
  return (await conversations.list('anyone', all)).conversations.map(({ id }) => id);
}
