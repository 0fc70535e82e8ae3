import { type AuthProviderHarness, authProviderCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { customAuth, type CustomAuthOptions } from './custom-auth.ts';

const sessions: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['session-of-ada', { id: 'ada', email: 'ada@example.com' }],
  ['session-of-bob', { sub: 'bob' }],
  ['unknown-user', null],
  ['a-text', 'ada'],
  ['a-list', [{ id: 'ada' }]],
  ['true', true],
]);

describe('a function of the app', () => {
  it.each(authProviderCases)('$name', async ({ run }) => {
    await expect(run(harness())).resolves.toBeUndefined();
  });
});

describe('a function of the app, with a cache', () => {
  it.each(authProviderCases)('$name', async ({ run }) => {
    await expect(run(harness({ cache: { ttlMs: 60_000 } }))).resolves.toBeUndefined();
  });
});

function harness(options: Partial<CustomAuthOptions> = {}): AuthProviderHarness {
  const verifyToken = (token: string): never => {
    if (token === 'throws') throw new Error('The session store is away');
    return sessions.get(token) as never;
  };
  return {
    provider: customAuth({ type: 'sessions', verifyToken, ...options }),
    validTokens: [
      { token: 'session-of-ada', subject: 'ada' },
      { token: 'session-of-bob', subject: 'bob' },
    ],
    refusedTokens: ['', 'unknown', 'unknown-user', 'a-text', 'a-list', 'true', 'throws'].map((token) => ({
      name: token,
      token,
    })),
  };
}
