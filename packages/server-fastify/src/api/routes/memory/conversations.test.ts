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

let count = 0;

/** Creates a conversation with a user of its own. */
async function made(fields: object = {}): Promise<{ readonly id: string; readonly userId: string }> {
  const userId = `user-${(count += 1)}`;
  const { data } = await memories('/conversations', { body: { userId, ...fields } });
  return data['conversation'] as { id: string; userId: string };
}

describe('creating a conversation', () => {
  it('stores the fields of the request, and the times', async () => {
    const body = {
      userId: 'ada',
      conversationId: 'first',
      resourceId: 'garden',
      title: 'Roses',
      metadata: { tags: ['a'], deep: { n: 1 } },
      unknown: 1,
    };
    expect(await memories('/conversations', { body })).toMatchObject({
      status: 201,
      data: {
        conversation: {
          id: 'first',
          resourceId: 'garden',
          userId: 'ada',
          title: 'Roses',
          metadata: { tags: ['a'], deep: { n: 1 } },
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: '2026-01-01T00:00:00.000Z',
        },
      },
    });
  });

  it('requires only a user', async () => {
    const { data, status } = await memories('/conversations', { body: { userId: 'ada', metadata: null } });
    expect(status).toBe(201);
    expect(data['conversation']).toMatchObject({
      id: expect.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/),
      resourceId: 'default',
      userId: 'ada',
      title: '',
      metadata: {},
    });
  });

  it('accepts the user in the query too', async () => {
    expect(await memories('/conversations?userId=grace', { body: {} })).toMatchObject({
      status: 201,
      data: { conversation: { userId: 'grace' } },
    });
  });

  it('refuses an id that is in use, also by another user', async () => {
    const { id } = await made();
    expect(await memories('/conversations', { body: { userId: 'eve', conversationId: id } })).toMatchObject({
      status: 409,
      code: 'CONVERSATION_EXISTS',
    });
  });

  it('creates one conversation if twenty requests send the same id at once', async () => {
    const body = { userId: 'ada', conversationId: 'raced' };
    const replies = await Promise.all(Array.from({ length: 20 }, () => memories('/conversations', { body })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(19).fill(409)]);
  });

  it.each<readonly [unknown, string]>([
    [{}, "body must have required property 'userId'"],
    [{ userId: null }, 'body/userId must be string'],
    [{ userId: 'a\nb' }, 'body/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"'],
    [
      { userId: 'ada', conversationId: '../x' },
      'body/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    ],
    [
      { userId: 'ada', conversationId: '' },
      'body/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    ],
    [{ userId: 'ada', resourceId: 'x'.repeat(257) }, 'body/resourceId must NOT have more than 256 characters'],
    [
      { userId: 'ada', conversationId: '..' },
      'body/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    ],
    [{ userId: '.' }, 'body/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"'],
    [{ userId: 'ada', title: 5 }, 'body/title must be string'],
    [{ userId: 'ada', metadata: [] }, 'body/metadata must be object or null'],
    ['[]', 'body must be object'],
    ['{', 'body is not valid JSON'],
    ['{"userId":"ada","metadata":{"__proto__":{"x":1}}}', 'body is not valid JSON'],
    [`{"userId":"ada","metadata":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`, 'body is nested deeper than 64 levels'],
  ])('refuses %j', async (body, error) => {
    expect(await memories('/conversations', { body })).toMatchObject({ status: 400, error });
  });

  it('refuses a body of more than 1 MiB', async () => {
    const body = { userId: 'ada', title: 'x'.repeat(1024 * 1024) };
    expect(await memories('/conversations', { body })).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  });
});

describe('one conversation', () => {
  it('is returned as it was created', async () => {
    const conversation = await made({ title: 'Roses', metadata: { a: 1 } });
    expect(await memories(`/conversations/${conversation.id}`)).toMatchObject({ status: 200, data: { conversation } });
  });

  it('can change its title and its metadata, and nothing else', async () => {
    const { id, userId } = await made({ title: 'old', metadata: { a: 1 } });
    clock.advance(1_000);
    const changed = await memories(`/conversations/${id}`, {
      method: 'PATCH',
      body: { title: 'new', resourceId: 'other' },
    });
    expect(changed).toMatchObject({
      status: 200,
      data: { conversation: { id, userId, title: 'new', resourceId: 'default', metadata: { a: 1 } } },
    });
    const { createdAt, updatedAt } = changed.data['conversation'] as { createdAt: string; updatedAt: string };
    expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBe(1_000);
    const again = await memories(`/conversations/${id}`, { method: 'PATCH', body: { metadata: { b: 2 }, title: '' } });
    expect(again).toMatchObject({ data: { conversation: { title: '', metadata: { b: 2 } } } });
    expect((again.data['conversation'] as { metadata: object }).metadata).not.toHaveProperty('a');
  });

  it.each([{}, { metadata: null }, { resourceId: 'other' }, { userId: 'somebody' }])(
    'cannot be updated with %j',
    async (body) => {
      const { id } = await made();
      expect(await memories(`/conversations/${id}`, { method: 'PATCH', body })).toMatchObject({
        status: 400,
        error: 'body must have title or metadata',
      });
    },
  );

  it('is deleted with its messages', async () => {
    const { id, userId } = await made();
    await memories('/save-messages', {
      body: { userId, conversationId: id, messages: [{ role: 'user', content: 'x' }] },
    });
    expect(await memories(`/conversations/${id}`, { method: 'DELETE' })).toMatchObject({
      status: 200,
      data: { deleted: true },
    });
    for (const path of ['', '/messages', '/working-memory'])
      expect(await memories(`/conversations/${id}${path}`)).toMatchObject({ status: 404 });
    expect(await memories(`/conversations/${id}`, { method: 'DELETE' })).toMatchObject({ status: 404 });
  });
});

describe('a clone', () => {
  const copied = async (id: string) =>
    (await memories(`/conversations/${id}/messages`)).data['messages'] as { id: string }[];

  it('has the messages under new ids, in their order, with their times', async () => {
    const { id, userId } = await made({ title: 'Roses', metadata: { a: 1 } });
    for (const content of ['one', 'two']) {
      clock.advance(1_000);
      await memories('/save-messages', { body: { userId, conversationId: id, messages: [{ role: 'user', content }] } });
    }
    const cloned = await memories(`/conversations/${id}/clone`, { body: { newConversationId: `${id}-b` } });
    expect(cloned).toMatchObject({
      status: 201,
      data: { conversation: { id: `${id}-b`, userId, title: 'Roses', metadata: { a: 1 } }, messageCount: 2 },
    });
    const [originals, copies] = [await copied(id), await copied(`${id}-b`)];
    const withoutIds = (messages: object[]) => messages.map((message) => ({ ...message, id: undefined }));
    expect(withoutIds(copies)).toEqual(withoutIds(originals));
    expect(new Set([...copies, ...originals].map((message) => message.id)).size).toBe(4);
  });

  it('may have no messages, its own title, or the defaults for a missing body', async () => {
    const { id, userId } = await made({ title: 'Roses' });
    await memories('/save-messages', {
      body: { userId, conversationId: id, messages: [{ role: 'user', content: 'x' }] },
    });
    const empty = await memories(`/conversations/${id}/clone`, { body: { includeMessages: false, title: 'New' } });
    expect(empty).toMatchObject({ status: 201, data: { conversation: { title: 'New' }, messageCount: 0 } });
    const plain = await memories(`/conversations/${id}/clone`, { method: 'POST' });
    expect(plain).toMatchObject({ status: 201, data: { conversation: { title: 'Roses' }, messageCount: 1 } });
  });

  it('cannot have an id that is in use, such as that of the original', async () => {
    const { id } = await made();
    expect(await memories(`/conversations/${id}/clone`, { body: { newConversationId: id } })).toMatchObject({
      status: 409,
      code: 'CONVERSATION_EXISTS',
    });
  });
});

describe('an unknown conversation', () => {
  it.each<readonly [string, Sent]>([
    ['', {}],
    ['', { method: 'PATCH', body: { title: 'x' } }],
    ['', { method: 'DELETE' }],
    ['/clone', { body: {} }],
    ['/messages', {}],
    ['/working-memory', {}],
    ['/working-memory', { body: { content: 'x' } }],
  ])('is not found: %s %j', async (path, sent) => {
    expect(await memories(`/conversations/nowhere${path}`, sent)).toMatchObject({
      status: 404,
      code: 'CONVERSATION_NOT_FOUND',
      error: 'Conversation not found: nowhere',
    });
    expect(await memories(`/conversations/a%20b${path}`, sent)).toMatchObject({
      status: 400,
      error: 'params/conversationId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    });
  });
});

describe('the list', () => {
  const titles = (reply: Reply) => (reply.data['conversations'] as { title: string }[]).map(({ title }) => title);
  const names = ['b', 'c', 'a'];
  beforeAll(async () => {
    for (const title of names) {
      clock.advance(1_000);
      const resourceId = title === 'a' ? 'garden' : 'house';
      await memories('/conversations', {
        body: { userId: 'lister', conversationId: `list-${title}`, title, resourceId },
      });
    }
    clock.advance(1_000);
    await memories('/conversations/list-b', { method: 'PATCH', body: { metadata: {} } });
  });

  it.each([
    ['', 'bac'],
    ['&orderBy=updated_at', 'bac'],
    ['&orderDirection=asc', 'cab'],
    ['&orderBy=created_at&orderDirection=Desc', 'acb'],
    ['&orderBy=created_at&orderDirection=ASC', 'bca'],
    ['&orderBy=title&orderDirection=aSc', 'abc'],
    ['&orderBy=title&orderDirection=DESC', 'cba'],
    ['&resourceId=house', 'bc'],
    ['&resourceId=nothing', ''],
  ])('has the requested order: %s', async (query, order) => {
    const reply = await memories(`/conversations?userId=lister${query}`);
    expect(titles(reply).join('')).toBe(order);
    expect(reply.data).toMatchObject({ total: order.length, limit: 50, offset: 0 });
  });

  it('is split into pages, and contains the total', async () => {
    const page = await memories('/conversations?userId=lister&orderBy=title&orderDirection=asc&limit=2&offset=1');
    expect(page.data).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(titles(page)).toEqual(['b', 'c']);
    expect((await memories('/conversations?userId=lister&offset=100000')).data).toMatchObject({
      conversations: [],
      total: 3,
    });
  });

  it('contains conversations of all users if no user is named', async () => {
    const { data } = await memories('/conversations?limit=200');
    expect(Number(data['total'])).toBeGreaterThan(3);
    expect(data['conversations']).toHaveLength(Number(data['total']));
  });

  it.each([
    ['limit=0', 'query/limit must be >= 1'],
    ['limit=201', 'query/limit must be <= 200'],
    ['limit=1.5', 'query/limit must be integer'],
    ['limit=x', 'query/limit must be integer'],
    ['limit=Infinity', 'query/limit must be integer'],
    ['offset=-Infinity', 'query/offset must be integer'],
    ['offset=-1', 'query/offset must be >= 0'],
    ['offset=100001', 'query/offset must be <= 100000'],
    ['orderBy=id', 'query/orderBy must be equal to one of the allowed values: "created_at", "updated_at", "title"'],
    ['orderBy=created_at&orderBy=title', 'query/orderBy must be string'],
    ['orderDirection=up', 'query/orderDirection must match pattern "^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$"'],
    ['userId=a%0Ab', 'query/userId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"'],
    ['resourceId=', 'query/resourceId must match pattern "^(?!\\.{1,2}$)[^\\x00-\\x1f\\x7f-\\x9f]+$"'],
  ])('refuses ?%s', async (query, error) => {
    expect(await memories(`/conversations?${query}`)).toMatchObject({ status: 400, code: 'INVALID_INPUT', error });
  });
});
