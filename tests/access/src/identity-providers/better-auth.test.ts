import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { jwtAuth, type JwtAuthOptions } from '@halyard/auth-jwt';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

let provider: Server;
let baseURL = '';
let token = '';
let userId = '';

beforeAll(async () => {
  provider = createHttpServer();
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = provider.address();
  baseURL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const auth = betterAuth({
    baseURL,
    secret: 'a secret of the identity provider, of 32 bytes',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [], jwks: [] }),
    emailAndPassword: { enabled: true },
    plugins: [jwt()],
  });
  const handle = toNodeHandler(auth);
  provider.on('request', (request, response) => void handle(request, response));

  const signUp = await post('/api/auth/sign-up/email', {
    email: 'ada@example.org',
    password: 'correct horse',
    name: 'Ada',
  });
  ({
    user: { id: userId },
  } = (await signUp.json()) as { user: { id: string } });
  const cookie = signUp.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const reply = await fetch(`${baseURL}/api/auth/token`, { headers: { cookie } });
  ({ token } = (await reply.json()) as { token: string });
});

afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

it('accepts tokens of the JWT plugin with its default, EdDSA', async () => {
  expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({ alg: 'EdDSA' });
  const { status, userIds } = await call({ issuer: baseURL, audience: baseURL });
  expect([status, userIds]).toEqual([200, [userId]]);
});

it('says in the log why a token was refused, and never logs the token', async () => {
  const { log, status } = await call({ issuer: baseURL, audience: 'another' });
  expect(status).toBe(401);
  expect(log.filter(({ reason }) => reason !== undefined)).toMatchObject([
    { level: 20, provider: 'jwt', reason: 'audience' },
  ]);
  const signature = token.split('.')[2] ?? '';
  expect(JSON.stringify(log)).not.toContain(signature);
});

interface Called {
  readonly status: number;
  /** The users whose requests reached the agent. */
  readonly userIds: readonly (string | undefined)[];
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

/** Calls an agent of a server that trusts the identity provider. */
async function call(verifyOptions: JwtAuthOptions['verifyOptions']): Promise<Called> {
  const log: Called['log'][number][] = [];
  const userIds: (string | undefined)[] = [];
  const agent = new Agent({
    id: 'assistant',
    instructions: ({ userId: id }) => {
      userIds.push(id);
      return 'Help.';
    },
    model: scriptedModel({ text: 'Hello' }),
  });
  const jwksUri = `${baseURL}/api/auth/jwks`;
  const { app, close } = await createServer({
    limits: unreachableLimits,
    agents: [agent],
    auth: { provider: jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 }, ...(verifyOptions && { verifyOptions }) }) },
    logger: { level: 'debug', stream: { write: (line) => void log.push(JSON.parse(line)) } },
  });
  onTestFinished(close);
  const { statusCode: status } = await app.inject({
    method: 'POST',
    url: '/agents/assistant/text',
    headers: { authorization: `Bearer ${token}` },
    payload: { input: 'Hi' },
  });
  return { status, userIds, log };
}

async function post(path: string, body: object): Promise<Response> {
  return fetch(`${baseURL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseURL },
    body: JSON.stringify(body),
  });
}
