import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Reply, searchableMemory, type Sent, userOf } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

let server: Served;
beforeAll(async () => {
  const storage = createInMemoryStorage();
  server = await serve([], { storage, memory: searchableMemory(storage), userOf });
});
afterAll(() => server.close());

const memories = (path: string, sent?: Sent): Promise<Reply> => ask(server.origin, path, sent);

let count = 0;

/** A conversation of a user, with one message. */
async function made(userId = 'ada'): Promise<string> {
  const conversationId = `i-${(count += 1)}`;
  await memories('/conversations', { body: { userId, conversationId } });
  const messages = [{ id: 'm1', role: 'user', content: `hello from ${userId}` }];
  await memories('/save-messages', { body: { userId, conversationId, messages } });
  return conversationId;
}

/** Every call on one conversation, with the `userId` that the call may name. */
const calls: Readonly<Record<string, (id: string, userId?: string) => readonly [string, Omit<Sent, 'as'>?]>> = {
  get: (id, userId) => [`/conversations/${id}${queryOf(userId)}`],
  update: (id, userId) => [`/conversations/${id}`, { method: 'PATCH', body: { title: 'new', userId } }],
  'update by query': (id, userId) => [
    `/conversations/${id}${queryOf(userId)}`,
    { method: 'PATCH', body: { title: 'new' } },
  ],
  clone: (id, userId) => [`/conversations/${id}/clone`, { body: { userId } }],
  messages: (id, userId) => [`/conversations/${id}/messages${queryOf(userId)}`],
  save: (id, userId) => [
    '/save-messages',
    { body: { userId, conversationId: id, messages: [{ role: 'user', content: 'x' }] } },
  ],
  'save by entry': (id, userId) => [
    '/save-messages',
    { body: { messages: [{ role: 'user', content: 'x', conversationId: id, userId }] } },
  ],
  'delete messages': (id, userId) => ['/messages/delete', { body: { userId, conversationId: id, messageIds: ['m1'] } }],
  notes: (id, userId) => [`/conversations/${id}/working-memory${queryOf(userId)}`],
  'notes of the user': (id, userId) => [`/conversations/${id}/working-memory${queryOf(userId, 'scope=user')}`],
  note: (id, userId) => [`/conversations/${id}/working-memory`, { body: { content: 'x', userId } }],
  delete: (id, userId) => [`/conversations/${id}${queryOf(userId)}`, { method: 'DELETE' }],
};
const names = Object.keys(calls);

/** The calls that require a `userId` if no user is verified. */
const needsUser = new Set(['save', 'save by entry', 'delete messages', 'notes of the user']);

function queryOf(userId: string | undefined, more = ''): string {
  const query = [more, userId === undefined ? '' : `userId=${userId}`].filter(Boolean).join('&');
  return query && `?${query}`;
}

/** Makes a call, with or without a verified user. */
async function call(name: string, id: string, { as, userId }: { as?: string; userId?: string } = {}): Promise<Reply> {
  const [path, sent] = calls[name]?.(id, userId) ?? [''];
  return memories(path, { ...sent, as });
}

/** The contents of a conversation, to detect changes. */
async function stateOf(id: string): Promise<string> {
  const [messages, notes] = await Promise.all([
    memories(`/conversations/${id}/messages`),
    memories(`/conversations/${id}/working-memory`),
  ]);
  return JSON.stringify([messages.status, messages.data, notes.data]);
}

describe.each(names)('with a verified user, %s', (name) => {
  it('succeeds for that user, named or not', async () => {
    expect((await call(name, await made(), { as: 'ada' })).status).toBeLessThan(300);
    expect((await call(name, await made(), { as: 'ada', userId: 'ada' })).status).toBeLessThan(300);
  });

  it('replies for another user’s conversation exactly as for an unknown one', async () => {
    const id = await made();
    const before = await stateOf(id);
    const unknownId = 'x'.repeat(id.length);
    const theirs = await call(name, id, { as: 'eve' });
    const unknown = await call(name, unknownId, { as: 'eve' });
    expect(theirs).toMatchObject({ status: 404, code: 'CONVERSATION_NOT_FOUND' });
    expect(theirs.bytes.replaceAll(id, '')).toBe(unknown.bytes.replaceAll(unknownId, ''));
    expect(await stateOf(id)).toBe(before);
  });

  it('refuses a request that names another user, even the owner', async () => {
    for (const owner of ['ada', 'eve']) {
      const id = await made(owner);
      const before = await stateOf(id);
      expect(await call(name, id, { as: 'eve', userId: 'ada' })).toMatchObject({
        status: 403,
        code: 'USER_MISMATCH',
        error: 'userId must be that of the verified user',
      });
      expect(await stateOf(id)).toBe(before);
    }
    expect((await call(name, 'nowhere', { as: 'eve', userId: 'ada' })).status).toBe(403);
  });
});

describe.each(names)('without a verified user, %s', (name) => {
  it('succeeds, unless a user must be named', async () => {
    const id = await made();
    expect((await call(name, id)).status).toBe(needsUser.has(name) ? 400 : name === 'clone' ? 201 : 200);
    expect((await call(name, await made(), { userId: 'ada' })).status).toBeLessThan(300);
  });

  it('refuses a request that names a user who does not own the conversation', async () => {
    const id = await made();
    const before = await stateOf(id);
    expect(await call(name, id, { userId: 'eve' })).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      error: `userId must be the user of conversation ${id}`,
    });
    expect(await stateOf(id)).toBe(before);
    expect((await call(name, 'nowhere', { userId: 'eve' })).status).toBe(404);
  });
});

describe('creating a conversation', () => {
  it('is possible for the verified user only', async () => {
    const conversation = async (sent: Sent) => memories('/conversations', sent);
    expect(await conversation({ as: 'ada', body: {} })).toMatchObject({
      status: 201,
      data: { conversation: { userId: 'ada' } },
    });
    expect((await conversation({ as: 'ada', body: { userId: 'ada' } })).status).toBe(201);
    expect(await conversation({ as: 'ada', body: { userId: 'eve' } })).toMatchObject({ status: 403 });
    expect(await memories('/conversations?userId=eve', { as: 'ada', body: { userId: 'ada' } })).toMatchObject({
      status: 403,
    });
    expect(await conversation({ as: 'eve', body: { conversationId: await made() } })).toMatchObject({ status: 409 });
  });

  it('clones only conversations of the verified user', async () => {
    const id = await made();
    const { data } = await memories(`/conversations/${id}/clone`, { as: 'ada', body: {} });
    expect(data['conversation']).toMatchObject({ userId: 'ada' });
    const taken = await memories(`/conversations/${await made('eve')}/clone`, {
      as: 'eve',
      body: { newConversationId: id },
    });
    expect(taken).toMatchObject({ status: 409 });
  });
});

describe('entries of several users', () => {
  it('are refused for a verified user, before anything is written', async () => {
    const [mine, theirs] = [await made('eve'), await made()];
    const before = await stateOf(mine);
    const entry = { role: 'user', content: 'x', conversationId: mine };
    const messages = [entry, { ...entry, conversationId: theirs, userId: 'ada' }];
    expect(await memories('/save-messages', { as: 'eve', body: { messages } })).toMatchObject({ status: 403 });
    const unnamed = [entry, { ...entry, conversationId: theirs }];
    expect(await memories('/save-messages', { as: 'eve', body: { messages: unnamed } })).toMatchObject({ status: 404 });
    expect(await stateOf(mine)).toBe(before);
  });
});

describe('the list', () => {
  const owners = async (path: string, as?: string) => {
    const { data, status } = await memories(path, { as });
    const conversations = (data['conversations'] ?? []) as { userId: string }[];
    return { status, users: [...new Set(conversations.map(({ userId }) => userId))], total: data['total'] };
  };

  it('contains and counts only conversations of the verified user', async () => {
    await Promise.all([made('lone'), made(), made('eve')]);
    for (const query of ['', '?userId=lone', '?limit=1'])
      expect(await owners(`/conversations${query}`, 'lone')).toEqual({ status: 200, users: ['lone'], total: 1 });
    expect(await owners('/conversations?userId=ada', 'lone')).toMatchObject({ status: 403 });
  });

  it('contains all conversations, or those of the named user, if no user is verified', async () => {
    await Promise.all([made('lone'), made()]);
    expect((await owners('/conversations?limit=200')).users).toEqual(expect.arrayContaining(['ada', 'lone']));
    expect((await owners('/conversations?userId=lone')).users).toEqual(['lone']);
  });
});
