import { createMemory } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, memoryOnClock, type Reply, type Sent } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const { clock, memory } = memoryOnClock();
let server: Served;
beforeAll(async () => {
  server = await serve([], { memory });
});
afterAll(() => server.close());

const memories = (path: string, sent?: Sent): Promise<Reply> => ask(server.origin, path, sent);
const save = (body: object): Promise<Reply> => memories('/save-messages', { body });

let count = 0;

/** Creates a conversation of Ada's. */
async function made(userId = 'ada'): Promise<string> {
  const { data } = await memories('/conversations', { body: { userId, conversationId: `m-${(count += 1)}` } });
  return (data['conversation'] as { id: string }).id;
}

interface Read {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly text?: string }[];
  readonly createdAt: string;
}

async function read(id: string, query = ''): Promise<readonly Read[]> {
  return (await memories(`/conversations/${id}/messages${query}`)).data['messages'] as Read[];
}

const textsOf = (messages: readonly Read[]) => messages.map(({ parts }) => parts[0]?.text);

describe('saving messages', () => {
  it('accepts entries with `content`, with `message`, and whole UI messages', async () => {
    const conversationId = await made();
    const parts = [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.', state: 'done', providerMetadata: { openai: { itemId: 'r1' } } },
      {
        type: 'tool-getWeather',
        toolCallId: 'c1',
        state: 'output-available',
        input: { city: 'Rome' },
        output: { degrees: 21 },
        title: 'Weather',
      },
      { type: 'text', text: 'It is 21°.', state: 'done' },
      { type: 'data-note', data: { any: ['thing'] } },
    ];
    const messages = [
      { id: 'a', role: 'user', content: 'Weather?' },
      { message: { id: 'b', role: 'assistant', parts, metadata: { cost: 1 } } },
      { message: { role: 'user', content: [{ type: 'text', text: 'Thanks' }] } },
      { id: 'd', role: 'tool', content: '{"degrees":21}' },
      { id: 'e', role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
    ];
    expect(await save({ userId: 'ada', conversationId, messages })).toMatchObject({ status: 200, data: { saved: 5 } });
    const createdAt = expect.stringMatching(/^2026-01-01T00:00:00\.\d{3}Z$/);
    expect(await read(conversationId)).toEqual([
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Weather?' }], createdAt },
      { id: 'b', role: 'assistant', parts, metadata: { cost: 1 }, createdAt },
      {
        id: expect.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/),
        role: 'user',
        parts: [{ type: 'text', text: 'Thanks' }],
        createdAt,
      },
      { id: 'd', role: 'tool', parts: [{ type: 'text', text: '{"degrees":21}' }], createdAt },
      { id: 'e', role: 'system', parts: [{ type: 'text', text: 'Be kind.' }], createdAt },
    ]);
  });

  it('replaces a message with the same id at its position, in this conversation only', async () => {
    const [here, there] = [await made(), await made()];
    const messages = ['a', 'b'].map((id) => ({ id, role: 'user', content: id }));
    await save({ userId: 'ada', conversationId: here, messages });
    await save({ userId: 'ada', conversationId: there, messages });
    const [first] = await read(here);
    clock.advance(60_000);
    await save({ userId: 'ada', conversationId: here, messages: [{ id: 'a', role: 'user', content: 'new' }] });
    const now = await read(here);
    expect(textsOf(now)).toEqual(['new', 'b']);
    expect(now[0]?.createdAt).toBe(first?.createdAt);
    expect(textsOf(await read(there))).toEqual(['a', 'b']);
  });

  it('accepts messages that the list returned', async () => {
    const conversationId = await made();
    await save({ userId: 'ada', conversationId, messages: [{ role: 'user', content: 'hi' }] });
    const messages = await read(conversationId);
    expect(await save({ userId: 'ada', conversationId, messages })).toMatchObject({ status: 200 });
    expect(await read(conversationId)).toEqual(messages);
  });

  it('accepts user and conversation in the entries and in the query', async () => {
    const [one, two] = [await made(), await made('grace')];
    const reply = await save({
      conversationId: one,
      messages: [
        { userId: 'ada', role: 'user', content: 'to one' },
        { userId: 'grace', conversationId: two, message: { role: 'user', content: 'to two' } },
        { userId: 'ada', role: 'user', content: 'to one again' },
      ],
    });
    expect(reply).toMatchObject({ status: 200, data: { saved: 3 } });
    expect(textsOf(await read(one))).toEqual(['to one', 'to one again']);
    expect(textsOf(await read(two))).toEqual(['to two']);
    const messages = [{ role: 'user', content: 'x' }];
    expect(await memories('/save-messages?userId=ada', { body: { conversationId: one, messages } })).toMatchObject({
      status: 200,
    });
  });

  it.each<readonly [string, object, number, string]>([
    ['an unknown conversation', { conversationId: 'nowhere' }, 404, 'Conversation not found: nowhere'],
    ['another user’s', { userId: 'eve' }, 400, 'userId must be the user of conversation'],
    ['no user', { userId: undefined }, 400, 'body/messages/0 must have userId, or the body must'],
    ['no conversation', { conversationId: undefined }, 400, 'body/messages/0 must have conversationId'],
  ])('refuses %s, and writes nothing at all', async (_, change, status, error) => {
    const conversationId = await made();
    const entry = { userId: 'ada', conversationId, role: 'user', content: 'good' };
    const reply = await save({ userId: 'ada', conversationId, ...change, messages: [{ role: 'user', content: 'x' }] });
    expect(reply).toMatchObject({ status, error: expect.stringContaining(error) });
    // After a valid entry.
    const behind = await save({ messages: [entry, { ...entry, content: 'bad', ...change }] });
    expect(behind.status).toBe(status);
    expect(await read(conversationId)).toEqual([]);
  });

  it.each<readonly [unknown, string]>([
    [[], 'body/messages must NOT have fewer than 1 items'],
    ['x', 'body/messages must be array'],
    [[5], 'body/messages/0 must be object'],
    [[{ role: 'user', content: 'x' }, { content: 'x' }], "body/messages/1 must have required property 'role'"],
    [[{ role: 'user' }], "body/messages/0 must have required property 'content'"],
    [
      [{ role: 'unknown', content: 'x' }],
      'body/messages/0/role must be equal to one of the allowed values: "user", "assistant", "system", "tool"',
    ],
    [
      [{ message: { role: 'developer', content: 'x' } }],
      'body/messages/0/message/role must be equal to one of the allowed values: "user", "assistant", "system", "tool"',
    ],
    [[{ role: 'user', content: 5 }], 'body/messages/0/content must be string or array'],
    [[{ role: 'user', content: null }], 'body/messages/0/content must be string or array'],
    [[{ role: 'user', parts: [{ type: 'text' }] }], "body/messages/0/parts/0 must have required property 'text'"],
    [[{ role: 'user', content: [{ type: 'text' }] }], "body/messages/0/content/0 must have required property 'text'"],
    [[{ message: null }], 'body/messages/0/message must be object'],
    [
      [{ id: 'a b', role: 'user', content: 'x' }],
      'body/messages/0/id must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    ],
    [
      [{ userId: '', role: 'user', content: 'x' }],
      'body/messages/0/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"',
    ],
    [
      ['a', 'b', 'a'].map((id) => ({ id, role: 'user', content: id })),
      'body/messages/2 must have a unique id: body/messages/0 has the same',
    ],
  ])('refuses %j', async (messages, error) => {
    expect(await save({ userId: 'ada', conversationId: await made(), messages })).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      error,
    });
  });

  it('accepts bodies of up to 4 MiB', async () => {
    const conversationId = await made();
    const messages = (length: number) => [{ role: 'user', content: 'x'.repeat(length) }];
    expect(await save({ userId: 'ada', conversationId, messages: messages(4 * 1024 * 1024 - 200) })).toMatchObject({
      status: 200,
    });
    expect(await save({ userId: 'ada', conversationId, messages: messages(4 * 1024 * 1024) })).toMatchObject({
      status: 413,
    });
  });

  it('loses none of 200 simultaneous requests', async () => {
    const conversationId = await made();
    const all = Array.from({ length: 200 }, (_, at) => `m${at}`);
    const replies = await Promise.all(
      all.map((id) => save({ userId: 'ada', conversationId, messages: [{ id, role: 'user', content: id }] })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const stored = await read(conversationId, '?limit=1000');
    expect(stored.map(({ id }) => id).toSorted()).toEqual(all.toSorted());
    const times = stored.map(({ createdAt }) => Date.parse(createdAt));
    expect(new Set(times).size).toBe(200);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('the messages of a conversation', () => {
  let id: string;
  const times: string[] = [];
  beforeAll(async () => {
    id = await made();
    for (const [at, role] of ['user', 'assistant', 'tool', 'user', 'assistant', 'system'].entries()) {
      clock.advance(60_000);
      await save({ userId: 'ada', conversationId: id, messages: [{ role, content: `${at}` }] });
    }
    times.push(...(await read(id)).map(({ createdAt }) => createdAt));
  });

  it('are returned with their conversation, oldest first', async () => {
    const { data, status } = await memories(`/conversations/${id}/messages`);
    expect(status).toBe(200);
    expect(data).toMatchObject({ conversation: { id, userId: 'ada' } });
    expect(textsOf(await read(id))).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it.each<readonly [() => string, string]>([
    [() => 'limit=2', '45'],
    [() => 'roles=user', '03'],
    [() => 'roles=assistant,tool', '124'],
    [() => 'roles=user,user,system', '035'],
    [() => 'roles=user&limit=1', '3'],
    [() => `before=${times[2]}`, '01'],
    [() => `after=${times[3]}`, '45'],
    [() => `after=${times[0]}&before=${times[4]}`, '123'],
    [() => `before=${times[4]}&limit=2`, '23'],
    [() => `after=2026-01-01T00:00:00%2B01:00&limit=1`, '5'],
    [() => 'after=2100-01-01', ''],
  ])('are filtered, and limited to the newest, by %s', async (query, expected) => {
    expect(textsOf(await read(id, `?${query()}`)).join('')).toBe(expected);
  });

  it('end a page where the next one does not fit, and say so', async () => {
    const own = await serve([], { memory: createMemory({ limits: { pageBytes: 50_000 } }) });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    try {
      await ask(own.origin, '/conversations', { body: { userId: 'ada', conversationId: 'c' } });
      const messages = ids.map((each) => ({ id: each, role: 'user', content: 'x'.repeat(20_000) }));
      await ask(own.origin, '/save-messages', { body: { userId: 'ada', conversationId: 'c', messages } });
      const found: string[] = [];
      const pages: unknown[] = [];
      for (let [before, hasMore] = ['', true]; hasMore;) {
        const { data } = await ask(own.origin, `/conversations/c/messages?limit=10${before}`);
        const page = data['messages'] as readonly Read[];
        found.unshift(...page.map((message) => message.id));
        before = `&before=${page[0]?.createdAt}`;
        hasMore = data['hasMore'] === true;
        pages.push([page.length, hasMore]);
      }
      expect(pages).toEqual([
        [2, true],
        [2, true],
        [1, false],
      ]);
      expect(found).toEqual(ids);
    } finally {
      await own.close();
    }
  });

  it.each([
    ['limit=0', 'query/limit must be >= 1'],
    ['limit=1001', 'query/limit must be <= 1000'],
    ['before=yesterday', 'query/before must be an ISO 8601 timestamp'],
    ['after=2026-02-30', 'query/after must be an ISO 8601 timestamp'],
    ['roles=unknown', expect.stringContaining('query/roles must match pattern')],
    ['roles=', expect.stringContaining('query/roles must match pattern')],
    ['roles=user,', expect.stringContaining('query/roles must match pattern')],
  ])('are refused for ?%s', async (query, error) => {
    expect(await memories(`/conversations/${id}/messages?${query}`)).toMatchObject({ status: 400, error });
  });
});

describe('deleting messages', () => {
  const remove = (body: object): Promise<Reply> => memories('/messages/delete', { body });

  it('counts only messages that existed', async () => {
    const conversationId = await made();
    await save({
      userId: 'ada',
      conversationId,
      messages: ['a', 'b', 'c'].map((id) => ({ id, role: 'user', content: id })),
    });
    const body = { userId: 'ada', conversationId, messageIds: ['a', 'c', 'c', 'z'] };
    expect(await remove(body)).toMatchObject({ status: 200, data: { deleted: 2 } });
    expect(await remove(body)).toMatchObject({ status: 200, data: { deleted: 0 } });
    expect(textsOf(await read(conversationId))).toEqual(['b']);
  });

  it.each<readonly [object, number, string]>([
    [{ userId: undefined }, 400, "body must have required property 'userId'"],
    [{ userId: 'eve' }, 400, 'userId must be the user of conversation'],
    [{ conversationId: undefined }, 400, "body must have required property 'conversationId'"],
    [{ conversationId: 'nowhere' }, 404, 'Conversation not found: nowhere'],
    [{ messageIds: [] }, 400, 'body/messageIds must NOT have fewer than 1 items'],
    [{ messageIds: 'a' }, 400, 'body/messageIds must be array'],
    [{ messageIds: [5] }, 400, 'body/messageIds/0 must be string'],
    [{ messageIds: ['a b'] }, 400, 'body/messageIds/0 must match pattern'],
  ])('refuses %j', async (change, status, error) => {
    const conversationId = await made();
    expect(await remove({ userId: 'ada', conversationId, messageIds: ['a'], ...change })).toMatchObject({
      status,
      error: expect.stringContaining(error),
    });
  });
});
