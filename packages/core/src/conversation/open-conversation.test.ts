import type { ConversationStore, Message, StoredMessage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import { fixedClock } from '../testing/index.ts';
import { messageAnswered, openConversation, type OpenConversation, type OpenOptions } from './open-conversation.ts';
import { summaryMessage } from './summary.ts';

const create = { id: 'c1', userId: 'ada', resourceId: 'a', title: '', metadata: {} };
const key = { conversationId: 'c1', owner: 'anyone', userId: 'ada', isAnonymous: false } as const;
const settings: OpenOptions = {
  contextLimit: 4,
  contextBlock: 0,
  pageBytes: 1e6,
  sinceSummary: false,
  runId: 'run',
  journal: undefined,
};
const journal = { record: async <Value>(_: string, work: () => Promise<Value>): Promise<Value> => work() };
const text = (id: string, role: Message['role']): Message => ({ id, role, parts: [{ type: 'text', text: id }] });
/** `q1`, `r1`, `q2`, `r2` … */
const turns = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) => [
    text(`q${index + 1}`, 'user'),
    text(`r${index + 1}`, 'assistant'),
  ]).flat();
const idsOf = (messages: readonly { readonly id: string }[]): readonly string[] => messages.map(({ id }) => id);

/** A store with these messages, a millisecond apart. */
async function storeOf(messages: readonly Message[]): Promise<ConversationStore> {
  const clock = fixedClock();
  const { conversations } = createInMemoryStorage({ clock });
  for (const message of messages) {
    clock.advance(1);
    await conversations.save('anyone', { conversationId: 'c1', messages: [message], create });
  }
  return conversations;
}

async function opened(messages: readonly Message[], options: Partial<OpenOptions> = {}): Promise<OpenConversation> {
  const store = await storeOf(messages);
  return (await openConversation(store, key, { ...settings, ...options })) ?? expect.fail('no conversation');
}

async function stored(conversation: OpenConversation, id: string): Promise<StoredMessage> {
  const [message] = await conversation.find([id]);
  return message ?? expect.fail(`no message ${id}`);
}

/** Replaces all messages until `until` of these turns. */
async function withSummary(
  until: number,
  count: number,
  options: Partial<OpenOptions> = {},
): Promise<OpenConversation> {
  const clock = fixedClock();
  const { conversations } = createInMemoryStorage({ clock });
  const save = async (message: Message): Promise<void> => {
    clock.advance(1);
    await conversations.save('anyone', { conversationId: 'c1', messages: [message], create });
  };
  for (const message of turns(count)) await save(message);
  const page = await conversations.messages('anyone', 'c1', { limit: 100 });
  await save(summaryMessage('s', 'Tea.', (page?.messages ?? []).slice(0, until)));
  const asked = { ...settings, sinceSummary: true, ...options };
  return (await openConversation(conversations, key, asked)) ?? expect.fail('no conversation');
}

/** `s1` replaces the first turn, `s2` the first two; four turns follow each other. */
async function withSummaries(): Promise<OpenConversation> {
  const clock = fixedClock();
  const { conversations } = createInMemoryStorage({ clock });
  const save = async (message: Message): Promise<void> => {
    clock.advance(1);
    await conversations.save('anyone', { conversationId: 'c1', messages: [message], create });
  };
  for (const message of turns(4)) await save(message);
  const all = (await conversations.messages('anyone', 'c1', { limit: 100 }))?.messages ?? [];
  await save(summaryMessage('s1', 'One.', all.slice(0, 2)));
  await save(summaryMessage('s2', 'Two.', all.slice(0, 4)));
  const asked = { ...settings, sinceSummary: true };
  return (await openConversation(conversations, key, asked)) ?? expect.fail('no conversation');
}

describe('the window of a conversation', () => {
  it.each([
    ['is empty in a new one', 0, {}, [], false],
    ['has all messages that fit', 2, {}, ['q1', 'r1', 'q2', 'r2'], false],
    ['begins with a question where older ones are left out', 3, { contextLimit: 3 }, ['q3', 'r3'], true],
    ['keeps the limit', 3, {}, ['q2', 'r2', 'q3', 'r3'], true],
    ['is empty without a limit, though the newest is read', 3, { contextLimit: 0 }, [], true],
    ['may have a block more', 3, { contextBlock: 2 }, ['q1', 'r1', 'q2', 'r2', 'q3', 'r3'], false],
    ['is cut by a whole block', 4, { contextBlock: 2 }, ['q2', 'r2', 'q3', 'r3', 'q4', 'r4'], true],
  ] as const)('%s', async (_, count, options, window, hasOlder) => {
    const conversation = await opened(turns(count), options);
    expect([idsOf(conversation.window), conversation.hasOlder]).toEqual([window, hasOlder]);
    expect(conversation.last?.id).toBe(count === 0 ? undefined : `r${count}`);
    expect([conversation.isNew, conversation.isRepeated]).toEqual([count === 0, false]);
  });

  it('begins with the newest summary, and the messages that it does not replace', async () => {
    const conversation = await withSummary(2, 3);
    expect(idsOf(conversation.window)).toEqual(['s', 'q2', 'r2', 'q3', 'r3']);
    expect([conversation.summary?.id, conversation.hasOlder]).toEqual(['s', true]);
    expect(idsOf((await withSummary(2, 3, { sinceSummary: false })).window)).toEqual(['q2', 'r2', 'q3', 'r3']);
  });

  it('is without what an earlier attempt of the run has written', async () => {
    const own = [text('run-0', 'user'), text('run', 'assistant')];
    for (const count of [1, 2, 5]) {
      const repeated = await opened([...turns(count), ...own], { journal });
      const from = Math.max(1, count - 1);
      expect(idsOf(repeated.window)).toEqual(idsOf(turns(count).slice((from - 1) * 2)));
      expect([repeated.isRepeated, repeated.hasOlder]).toEqual([true, count > 2]);
      // Without a journal, no attempt was made before.
      expect((await opened([...turns(count), ...own])).isRepeated).toBe(false);
    }
  });

  it('is read again where the messages of the run fill the first page', async () => {
    const own = Array.from({ length: 12 }, (_, index) => text(`run-${index}`, 'user'));
    const repeated = await opened([...turns(3), ...own], { journal });
    expect(idsOf(repeated.window)).toEqual(['q2', 'r2', 'q3', 'r3']);
    expect([repeated.isRepeated, repeated.hasOlder]).toEqual([true, true]);
    expect((await opened([...turns(1), ...own], { journal })).hasOlder).toBe(false);
  });
});

describe('the window before a message', () => {
  it('ends before it, and keeps the limit', async () => {
    const conversation = await opened(turns(4));
    for (const [id, window] of [
      ['r4', ['q3', 'r3', 'q4']],
      ['q4', ['q2', 'r2', 'q3', 'r3']],
      ['q2', ['q1', 'r1']],
      ['q1', []],
    ] as const)
      expect(idsOf(await conversation.windowBefore(await stored(conversation, id)))).toEqual(window);
  });

  it('has the question of a reply without a limit, and nothing before a question', async () => {
    const conversation = await opened(turns(2), { contextLimit: 0 });
    expect(idsOf(await conversation.windowBefore(await stored(conversation, 'r2')))).toEqual(['q2']);
    expect(await conversation.windowBefore(await stored(conversation, 'q2'))).toEqual([]);
  });

  it('is that of the conversation without its last message, where all were read', async () => {
    const conversation = await opened(turns(2));
    const last = conversation.last ?? expect.fail('no message');
    expect(idsOf(await conversation.windowBefore(last))).toEqual(['q1', 'r1', 'q2']);
    expect(idsOf(await conversation.windowBefore(await stored(conversation, 'q2')))).toEqual(['q1', 'r1']);
  });

  it('begins with the summary of older messages only', async () => {
    const conversation = await withSummary(4, 3);
    expect(idsOf(await conversation.windowBefore(await stored(conversation, 'r3')))).toEqual(['s', 'q3']);
    expect(idsOf(await conversation.windowBefore(await stored(conversation, 'q2')))).toEqual(['q1', 'r1']);
  });

  it('begins with an earlier summary, where the newest replaces the message itself', async () => {
    const conversation = await withSummaries();
    const before = async (id: string): Promise<readonly string[]> =>
      idsOf(await conversation.windowBefore(await stored(conversation, id)));
    expect(await before('q4')).toEqual(['s2', 'q3', 'r3']);
    expect(await before('r3')).toEqual(['s2', 'q3']);
    expect(await before('r2')).toEqual(['s1', 'q2']);
    expect(await before('r1')).toEqual(['q1']);
  });

  it('may be of chosen messages', async () => {
    const conversation = await opened(turns(4));
    const isActive = ({ id }: StoredMessage): boolean => !['q3', 'r3'].includes(id);
    const window = await conversation.windowOf(await stored(conversation, 'q4'), isActive);
    expect(idsOf(window)).toEqual(['q1', 'r1', 'q2', 'r2']);
    const summarized = await withSummary(2, 3);
    expect(idsOf(await summarized.windowOf(await stored(summarized, 'q3'), () => true))).toEqual(['s', 'q2', 'r2']);
  });
});

it.each([
  ['a new conversation', [], false],
  ['only a greeting', [text('hello', 'assistant')], true],
  ['a question', turns(1), false],
  ['older messages', [...turns(3), text('more', 'assistant')], false],
])('has no question yet: %s', async (_, messages, expected) => {
  expect((await opened(messages, { contextLimit: 1 })).hasNoQuestion).toBe(expected);
});

it('has a question where a summary replaces it', async () => {
  expect((await withSummary(2, 1)).hasNoQuestion).toBe(false);
});

it('finds the reply to the newest question, and refuses an earlier one', async () => {
  const conversation = await opened(turns(2));
  const find = async (id: string): Promise<string | undefined> =>
    (await conversation.findReply(await stored(conversation, id)))?.id;
  expect(await find('q2')).toBe('r2');
  expect(await find('r2')).toBeUndefined();
  for (const id of ['q1', 'r1']) await expect(find(id)).rejects.toEqual(messageAnswered(id));
  const twice = await opened([...turns(1), text('q2', 'user')]);
  await expect(twice.findReply(await stored(twice, 'r1'))).rejects.toThrow('the conversation has continued after it');
  expect(await twice.findReply(await stored(twice, 'q2'))).toBeUndefined();
  const answers = [text('q1', 'user'), text('r1', 'assistant'), text('r2', 'assistant')];
  for (const options of [{}, { pageBytes: 1 }]) {
    const answered = await opened(answers, options);
    await expect(answered.findReply(await stored(answered, 'q1'))).rejects.toEqual(messageAnswered('q1'));
  }
  const open = await opened([text('q1', 'user'), text('q2', 'user')]);
  await expect(open.findReply(await stored(open, 'q1'))).rejects.toThrow('"q1" was sent again');
});

it('reads all messages after one, page by page', async () => {
  const conversation = await opened(turns(3), { pageBytes: 1 });
  const after = await conversation.messagesAfter(await stored(conversation, 'r1'));
  expect(idsOf(after)).toEqual(['q2', 'r2', 'q3', 'r3']);
  expect(await conversation.messagesAfter(await stored(conversation, 'r3'))).toEqual([]);
  // Eight pages of one message each.
  const long = await opened(turns(6), { pageBytes: 1 });
  await expect(long.messagesAfter(await stored(long, 'q1'))).rejects.toThrow('q1');
  expect(await long.messagesAfter(await stored(long, 'q3'))).toHaveLength(7);
});

it('records the message that a repeatable run continues', async () => {
  const message = await stored(await opened(turns(1)), 'r1');
  const recorded = { ...message, parts: [] };
  const replays = { record: async <Value>(): Promise<Value> => recorded as Value };
  expect(await (await opened(turns(1), { journal: replays })).beforeRun(message)).toBe(recorded);
  expect(await (await opened(turns(1))).beforeRun(message)).toBe(message);
});

it('finds messages by id, and none in a new conversation', async () => {
  const conversation = await opened(turns(2));
  expect(idsOf(await conversation.find(['r1', 'q2', 'unknown'])).toSorted()).toEqual(['q2', 'r1']);
  expect(await conversation.find([])).toEqual([]);
  expect(await (await opened([])).find(['q1'])).toEqual([]);
  expect([0, 1].map(conversation.idOf)).toEqual(['run-0', 'run-1']);
});

it('belongs to its user: a run without a user reads none, another user is refused', async () => {
  const store = await storeOf(turns(1));
  expect(await openConversation(store, { ...key, userId: 'nobody', isAnonymous: true }, settings)).toBeUndefined();
  const eve = openConversation(store, { ...key, userId: 'eve' }, settings);
  await expect(eve).rejects.toThrow('body/options/userId must be the user of the conversation');
});
