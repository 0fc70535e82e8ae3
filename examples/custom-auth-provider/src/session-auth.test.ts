import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authProviderCases, hostileTokens } from '@halyard/conformance';
import { scriptedModel } from '@halyard/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSessionServer } from './server.ts';
import { SessionAuth, type SessionAuthOptions } from './session-auth.ts';

const ada = { id: 'ada', role: 'customer' };
const bob = { id: 'bob', role: 'admin' };

function openSessions(options: Partial<SessionAuthOptions> = {}): SessionAuth {
  const sessions = new SessionAuth({ file: ':memory:', ...options });
  onTestFinished(() => sessions.close());
  return sessions;
}

describe('the suite of providers', () => {
  it.each(authProviderCases)('$name', async ({ run }) => {
    const provider = openSessions();
    const ended = provider.open(ada);
    provider.revoke(ended);
    const harness = {
      provider,
      validTokens: [ada, bob].map((user) => ({ token: provider.open(user), subject: user.id })),
      refusedTokens: [
        ...hostileTokens('a secret that tokens of other apps are signed with'),
        { name: 'of a session that has ended', token: ended },
        { name: 'never issued', token: 'A'.repeat(43) },
        { name: 'SQL', token: "' OR 1=1 --" },
      ],
    };
    await expect(run(harness)).resolves.toBeUndefined();
  });
});

it('refuses a session as soon as it is revoked, and leaves the others', () => {
  const sessions = openSessions();
  const [first, second, other] = [sessions.open(ada), sessions.open(ada), sessions.open(bob)];
  sessions.revoke(first);
  expect([first, second, other].map((token) => sessions.verifyToken(token))).toEqual([null, ada, bob]);
  sessions.revokeAll('ada');
  expect([second, other].map((token) => sessions.verifyToken(token))).toEqual([null, bob]);
});

it('refuses a session that has expired', () => {
  let now = 1_000;
  const sessions = openSessions({ sessionMs: 500, clock: { now: () => now } });
  const token = sessions.open(ada);
  now = 1_499;
  expect(sessions.verifyToken(token)).toEqual(ada);
  now = 1_500;
  expect(sessions.verifyToken(token)).toBeNull();
});

it('stores no token, and knows its sessions after a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sessions.sqlite');
  const before = new SessionAuth({ file });
  const token = before.open(ada);
  const stored = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
  expect(stored()).toContain('customer');
  expect(stored()).not.toContain(token);
  before.close();
  expect(openSessions({ file }).verifyToken(token)).toEqual(ada);
});

it('lets users of a server sign in, use its agents, and sign out', async () => {
  const sessions = openSessions();
  const passwords = new Map([['ada', 'wanderer']]);
  const { app, close } = await createSessionServer(scriptedModel('Hello Ada.'), sessions, passwords);
  onTestFinished(() => close());
  const signIn = (password: string) =>
    app.inject({ method: 'POST', url: '/sessions', payload: { name: 'ada', password } });
  expect((await signIn('wrong')).statusCode).toBe(401);
  const { token } = (await signIn('wanderer')).json<{ token: string }>();
  const headers = { authorization: `Bearer ${token}` };
  const ask = () => app.inject({ method: 'POST', url: '/agents/guide/text', headers, payload: { input: 'Hi' } });

  expect((await app.inject({ url: '/sessions/current', headers })).json()).toEqual({ user: ada });
  expect((await ask()).json()).toMatchObject({ data: { text: 'Hello Ada.' } });
  expect((await app.inject('/sessions/current')).statusCode).toBe(401);

  const { token: second } = (await signIn('wanderer')).json<{ token: string }>();
  expect((await app.inject({ method: 'DELETE', url: '/sessions/current', headers })).statusCode).toBe(204);
  expect((await ask()).statusCode).toBe(401);
  const others = { authorization: `Bearer ${second}` };
  expect((await app.inject({ method: 'DELETE', url: '/sessions', headers: others })).statusCode).toBe(204);
  expect((await app.inject({ url: '/sessions/current', headers: others })).statusCode).toBe(401);
});

it('refuses an address that tries too many passwords, also the right one, and nobody else', async () => {
  const sessions = openSessions();
  const passwords = new Map([['ada', 'wanderer']]);
  const { app, close } = await createSessionServer(scriptedModel('Hello.'), sessions, passwords);
  onTestFinished(() => close());
  const signIn = async (password: string, remoteAddress = '203.0.113.1'): Promise<number> => {
    const payload = { name: 'ada', password };
    return (await app.inject({ method: 'POST', url: '/sessions', payload, remoteAddress })).statusCode;
  };
  for (let guess = 0; guess < 10; guess += 1) expect(await signIn(`guess ${guess}`)).toBe(401);
  expect(await signIn('one more')).toBe(429);
  expect(await signIn('wanderer')).toBe(429);
  expect(await signIn('wanderer', '203.0.113.2')).toBe(200);
});
