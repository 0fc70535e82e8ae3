import type { User } from '@halyard/contracts';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { mcpClient, type McpClientOptions } from './mcp-client.ts';
import { mcpTools } from './mcp-tools.ts';
import { listenWithSessions } from './testing/session-server.ts';

type HttpClientOptions = Extract<McpClientOptions, { url: unknown }>;

/** A server whose sessions belong to one credential, and a client with the credential of the user. */
async function open(options: Partial<HttpClientOptions> = {}) {
  const server = await listenWithSessions();
  const client = mcpClient({
    id: 'crm',
    url: server.url,
    headers: ({ user, userId }) => ({ authorization: `Bearer ${user?.id ?? userId ?? 'app'}` }),
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { client, server };
}

const calling = (toolName: string) => scriptedModel({ toolCalls: [{ toolName, input: {} }] }, 'Done.');
const textOf = (text: string) => ({ content: [{ text }] });

it('calls a tool with the credential of the user of the run, in a session of that user', async () => {
  const { client, server } = await open();
  const tools = await mcpTools(client);
  const ask = async (user: User | undefined) => {
    const agent = new Agent({ id: 'a', model: calling('whoami'), tools });
    const { toolResults } = await agent.generateText('Who am I?', { user });
    return toolResults[0]?.output;
  };

  const seen = await Promise.all([ask({ id: 'ada' }), ask({ id: 'bob' }), ask({ id: 'ada' }), ask(undefined)]);

  expect(seen).toEqual(['Bearer ada', 'Bearer bob', 'Bearer ada', 'Bearer app']);
  expect(server.open().toSorted()).toEqual(['Bearer ada', 'Bearer app', 'Bearer bob']);
  expect(server.refused()).toBe(0);
});

it('lists the tools that the user of a run may use', async () => {
  const { client } = await open();
  const model = scriptedModel('Done.');
  const agent = new Agent({
    id: 'a',
    model,
    tools: ({ user, userId }) => mcpTools(client, { user, userId, filter: ({ name }) => name !== 'wait' }),
  });

  await agent.generateText('Hello', { user: { id: 'ada' } });
  await agent.generateText('Hello', { user: { id: 'boss' } });

  expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['whoami'], ['whoami', 'dismiss']]);
});

it('uses the newest credential of a user in the same session', async () => {
  const tokens: unknown[] = [];
  const { client, server } = await open({
    headers: ({ user }) => {
      tokens.push(user?.['token']);
      return { authorization: 'Bearer ada' };
    },
  });

  await client.callTool('whoami', {}, { user: { id: 'ada', token: 'old' } });
  const before = tokens.length;
  await client.callTool('whoami', {}, { user: { id: 'ada', token: 'new' } });

  expect(new Set(tokens.slice(0, before))).toEqual(new Set(['old']));
  expect(new Set(tokens.slice(before))).toEqual(new Set(['new']));
  expect(server.open()).toHaveLength(1);
});

it('does not share the session of a user between the tenants for which that user works', async () => {
  const { client, server } = await open({
    headers: ({ user }) => ({ authorization: `Bearer ${user?.id ?? ''} of ${String(user?.['tenantId'])}` }),
  });
  for (const tenantId of ['acme', 'globex', 'acme'])
    await client.callTool('whoami', {}, { user: { id: 'ada', tenantId } });
  expect(server.open().toSorted()).toEqual(['Bearer ada of acme', 'Bearer ada of globex']);
  expect(server.refused()).toBe(0);
});

it('sends each of several calls at the same time with the claims of its own request', async () => {
  const { client } = await open({
    headers: async ({ user }) => ({ authorization: 'Bearer ada', 'x-scope': String(user?.['scope']) }),
  });
  const scopes = ['read', 'write', 'read', 'admin'];
  const ask = async () => {
    const replies = await Promise.all(
      scopes.map((scope) => client.callTool('whoami', {}, { user: { id: 'ada', scope } })),
    );
    return replies.map(({ content }) => content);
  };
  const expected = scopes.map((scope) => [{ type: 'text', text: `Bearer ada ${scope}` }]);
  expect(await ask()).toMatchObject(expected);
  expect(await ask()).toMatchObject(expected);
});

it('does not share the session of a verified user with an id that nobody verified', async () => {
  const { client, server } = await open();
  await client.callTool('whoami', {}, { user: { id: 'ada' }, userId: 'ada' });
  await client.callTool('whoami', {}, { userId: 'ada' });
  await client.callTool('whoami', {}, { user: { sub: 'ada' } });
  await client.callTool('whoami', {}, { user: { email: 'ada@example.com' } });
  await client.callTool('whoami', {});
  expect(server.open()).toHaveLength(5);
});

it('ends a session that nobody uses any more, and begins another one at the next use', async () => {
  const { client, server } = await open({ idleTimeoutMs: 1 });
  const user = { id: 'ada' };
  expect(await client.callTool('whoami', {}, { user })).toMatchObject(textOf('Bearer ada'));
  await server.hasOpen(0);
  expect(await client.callTool('whoami', {}, { user })).toMatchObject(textOf('Bearer ada'));
  await server.hasOpen(0);
});

it('keeps a limited number of unused sessions, and never ends one that is in use', async () => {
  const { client, server } = await open({ maxIdleConnections: 2 });
  const waiting = client.callTool('wait', {}, { user: { id: 'first' } });
  await server.hasOpen(1);
  for (const id of ['ada', 'bob', 'eve']) await client.callTool('whoami', {}, { user: { id } });
  await server.hasOpen(3);
  expect(server.open()).toEqual(['Bearer first', 'Bearer bob', 'Bearer eve']);

  server.release();

  expect(await waiting).toMatchObject(textOf('Bearer first'));
  await server.hasOpen(2);
  expect(server.open()).toEqual(['Bearer first', 'Bearer eve']);
});

it('ends all sessions when it is closed', async () => {
  const { client, server } = await open();
  await client.callTool('whoami', {}, { user: { id: 'ada' } });
  await client.callTool('whoami', {}, { user: { id: 'bob' } });
  await client.close();
  expect(server.open()).toEqual([]);
});

it('keeps one session for all users when the headers do not depend on them', async () => {
  const { client, server } = await open({ headers: { authorization: 'Bearer app' } });
  for (const id of ['ada', 'bob']) await client.callTool('whoami', {}, { user: { id } });
  expect(server.open()).toEqual(['Bearer app']);
});

it('fails a call whose headers cannot be had, and connects at the next one', async () => {
  let isSignedIn = false;
  const { client, server } = await open({
    headers: () => {
      if (!isSignedIn) throw new Error('ada has not connected her account');
      return { authorization: 'Bearer ada' };
    },
  });
  const call = () => client.callTool('whoami', {}, { user: { id: 'ada' } });
  await expect(call()).rejects.toMatchObject({
    code: 'MCP_SERVER_UNAVAILABLE',
    cause: { message: expect.stringContaining('ada has not connected') },
  });
  isSignedIn = true;
  expect(await call()).toMatchObject(textOf('Bearer ada'));
  expect(server.open()).toHaveLength(1);
});
