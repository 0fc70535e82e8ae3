import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { createServer, type HalyardServer } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';
import { unreachableLimits } from '../testing/serve.ts';

let server: HalyardServer;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const storage = createInMemoryStorage();
const memory = createMemory({ storage });

async function serve(options: ServerOptions): Promise<readonly { level: number; msg: string }[]> {
  const lines: { level: number; msg: string }[] = [];
  const agent = new Agent({ id: 'guide', model: scriptedModel('One.', 'Two.', 'Three.') });
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as { level: number; msg: string }) };
  server = await createServer({
    agents: [agent],
    memory,
    storage,
    logger: { level: 'info', stream },
    limits: unreachableLimits,
    ...options,
  });
  server.app.get('/own', () => 'done');
  await server.app.ready();
  return lines.filter(({ msg }) => msg.includes('without a userId'));
}

/** The default request of the AI SDK's chat transport. */
async function chat(id: string, headers: Record<string, string> = {}): Promise<number> {
  const messages = [{ id: `question-${id}`, role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
  const payload = { id, messages, trigger: 'submit-message' };
  return (await server.app.inject({ method: 'POST', url: '/agents/guide/chat', payload, headers })).statusCode;
}

const rolesIn = async (id: string): Promise<readonly string[] | undefined> =>
  (await storage.conversations.messages('anyone', id, { limit: 10 }))?.messages.map(({ role }) => role);

it('stores a chat without a userId for one anonymous user, and logs that once', async () => {
  const lines = await serve({});
  expect(await chat('first')).toBe(200);
  expect(await rolesIn('first')).toEqual(['user', 'assistant']);
  expect((await storage.conversations.find({ user: 'halyard:anonymous' }, 'first'))?.id).toBe('first');
  expect(lines).toMatchObject([{ level: 30, msg: expect.stringContaining('"halyard:anonymous"') }]);
});

it('warns in production unless the app has chosen the user', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await serve({})).toMatchObject([{ level: 40 }]);
  await server.close();
  expect(await serve({ anonymousUserId: 'visitors' })).toMatchObject([{ level: 30 }]);
  expect(await chat('chosen')).toBe(200);
  expect((await storage.conversations.find({ user: 'visitors' }, 'chosen'))?.id).toBe('chosen');
});

it.each(['', '..', 'my\nvisitors', 'v'.repeat(257), 7, true, null])(
  'refuses to start if `anonymousUserId` is %j, which no user can have',
  async (anonymousUserId) => {
    await expect(createServer({ anonymousUserId: anonymousUserId as never, logger: false })).rejects.toThrow(
      '`anonymousUserId` must be false or a text of 1 to 256 characters',
    );
  },
);

it('says nothing about conversations if there is no memory', async () => {
  expect(await serve({ memory: undefined })).toEqual([]);
});

it('stores nothing without a userId if `anonymousUserId` is false', async () => {
  expect(await serve({ anonymousUserId: false })).toEqual([]);
  expect(await chat('off')).toBe(200);
  expect(await rolesIn('off')).toBeUndefined();
});

it('does not let a request without a userId read or write the conversation of a user', async () => {
  await serve({});
  await storage.conversations.create({ id: 'adas', userId: 'ada', resourceId: 'guide', title: '', metadata: {} });
  expect(await chat('adas')).toBe(200);
  expect(await rolesIn('adas')).toEqual([]);
});

it.each([undefined, false, 'visitors'] as const)(
  'gives no verified user an anonymous id with `auth` if `anonymousUserId` is %s',
  async (anonymousUserId) => {
    const verifyToken = (token: string): { sub: string } => ({ sub: token });
    await serve({
      auth: { provider: { type: 'names', verifyToken } },
      ...(anonymousUserId !== undefined && { anonymousUserId }),
    });
    expect(await chat('default', { authorization: 'Bearer halyard:anonymous' })).toBe(401);
    expect(await chat('chosen', { authorization: 'Bearer visitors' })).toBe(anonymousUserId === 'visitors' ? 401 : 200);
  },
);

it('reserves no missing id: a token without one is accepted where no user is needed', async () => {
  await serve({ auth: { provider: { type: 'services', verifyToken: () => ({ scope: 'metrics' }) } } });
  const headers = { authorization: 'Bearer any' };
  expect((await server.app.inject({ url: '/own', headers })).statusCode).toBe(200);
});

it('has no effect with `auth`: users and anonymous conversations do not reach each other', async () => {
  await serve({});
  expect(await chat('before')).toBe(200);
  await server.close();
  const verifyToken = (token: string): { id: string } => ({ id: token });
  const lines = await serve({ auth: { provider: { type: 'names', verifyToken } } });
  expect(lines).toEqual([]);
  expect(await chat('before')).toBe(401);
  expect(await chat('before', { authorization: 'Bearer ada' })).toBe(404);
  expect(await chat('before', { authorization: 'Bearer halyard:anonymous' })).toBe(401);
  expect(await chat('bypass', { 'x-service-dev': 'true' })).toBe(200);
  expect(await rolesIn('bypass')).toBeUndefined();
  expect(await rolesIn('before')).toEqual(['user', 'assistant']);
});
