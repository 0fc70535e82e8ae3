import type { AuthProvider, User } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { customAuth } from './custom-auth.ts';

const request = { method: 'GET', path: '/', headers: {}, address: '127.0.0.1' };

it('verifies a token once within its time to live, and again after it', async () => {
  const { provider, asked, advance } = cached({ ttlMs: 1_000 });
  for (const ms of [0, 500, 499]) {
    advance(ms);
    expect(await provider.verifyToken('ada', request)).toEqual({ id: 'ada' });
  }
  expect(asked).toEqual(['ada']);
  advance(1);
  expect(await provider.verifyToken('ada', request)).toEqual({ id: 'ada' });
  expect(asked).toEqual(['ada', 'ada']);
});

it('does not extend the time to live of a token that is used', async () => {
  const { provider, asked, advance } = cached({ ttlMs: 1_000 });
  for (let second = 0; second < 10; second += 1) {
    await provider.verifyToken('ada', request);
    advance(999);
    await provider.verifyToken('ada', request);
    advance(1);
  }
  expect(asked).toHaveLength(10);
});

it('verifies once for concurrent requests and returns a separate user to each', async () => {
  const answer = Promise.withResolvers<User>();
  let asked = 0;
  const verifyToken = (): Promise<User> => {
    asked += 1;
    return answer.promise;
  };
  const provider = customAuth({ type: 'own', verifyToken, cache: { ttlMs: 1_000 } });
  const users = Promise.all(Array.from({ length: 50 }, async () => provider.verifyToken('ada', request)));
  answer.resolve({ id: 'ada' });
  expect(new Set(await users).size).toBe(50);
  expect(asked).toBe(1);
});

it('verifies a token again after it was refused or its verification failed', async () => {
  const answers: readonly (() => User | null)[] = [
    () => null,
    () => {
      throw new Error('offline');
    },
    () => ({ id: 'ada' }),
  ];
  let calls = 0;
  const verifyToken = (): User | null => answers[calls++]?.() ?? null;
  const provider = customAuth({ type: 'own', verifyToken, cache: { ttlMs: 1_000 } });
  expect(await provider.verifyToken('ada', request)).toBeNull();
  expect(await provider.verifyToken('ada', request)).toBeNull();
  expect(await provider.verifyToken('ada', request)).toEqual({ id: 'ada' });
  expect(await provider.verifyToken('ada', request)).toEqual({ id: 'ada' });
  expect(calls).toBe(3);
});

it('stores at most maxEntries tokens, the most recently used ones', async () => {
  const { provider, asked } = cached({ ttlMs: 1_000, maxEntries: 2 });
  for (const token of ['ada', 'bob', 'ada', 'eve', 'ada', 'bob']) await provider.verifyToken(token, request);
  expect(asked).toEqual(['ada', 'bob', 'eve', 'bob']);
});

it('removes no entry because of refused tokens', async () => {
  const { provider, asked } = cached({ ttlMs: 1_000, maxEntries: 2 });
  await provider.verifyToken('ada', request);
  for (let index = 0; index < 100; index += 1) await provider.verifyToken(`wrong-${index}`, request);
  await provider.verifyToken('ada', request);
  expect(asked.filter((token) => token === 'ada')).toEqual(['ada']);
});

it('stores nothing with a time to live of 0 ms', async () => {
  const { provider, asked } = cached({ ttlMs: 0 });
  await provider.verifyToken('ada', request);
  await provider.verifyToken('ada', request);
  expect(asked).toEqual(['ada', 'ada']);
});

it('verifies each time without a cache, concurrent requests too', async () => {
  const asked: string[] = [];
  const provider = customAuth({ type: 'own', verifyToken: (token) => ({ id: String(asked.push(token)) }) });
  const users = await Promise.all([provider.verifyToken('ada', request), provider.verifyToken('ada', request)]);
  expect(users).toEqual([{ id: '1' }, { id: '2' }]);
});

function cached(cache: { readonly ttlMs: number; readonly maxEntries?: number }): {
  readonly provider: AuthProvider;
  readonly asked: string[];
  readonly advance: (ms: number) => void;
} {
  let time = 1_750_000_000_000;
  const asked: string[] = [];
  const verifyToken = (token: string): User | null => {
    asked.push(token);
    return token.startsWith('wrong') ? null : { id: token };
  };
  const provider = customAuth({ type: 'own', verifyToken, cache, clock: { now: () => time } });
  return { provider, asked, advance: (ms) => void (time += ms) };
}
