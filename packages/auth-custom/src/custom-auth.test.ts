import { type AuthProvider, type AuthRequest, isHalyardError, type User } from '@halyard/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { customAuth, type CustomAuthOptions } from './custom-auth.ts';

const request: AuthRequest = { method: 'GET', path: '/agents', headers: { 'x-tenant': 'acme' }, address: '127.0.0.1' };
const ada: User = { id: 'ada', roles: ['admin'] };

describe('the result of verifyToken', () => {
  it('is computed from the unchanged token and request', async () => {
    const seen: unknown[] = [];
    const provider = providerOf((...given) => {
      seen.push(...given);
      return ada;
    });
    expect(await provider.verifyToken('t-1', request)).toEqual(ada);
    expect(seen).toEqual(['t-1', request]);
  });

  it.each([
    ['an object', ada],
    ['a promise of one', Promise.resolve(ada)],
    ['an object with a number as id', { id: 7 }],
  ])('is a user when it is %s', async (_what, result) => {
    const user = await providerOf(() => result as never).verifyToken('t', request);
    expect(user).toMatchObject({ id: expect.stringMatching(/^(ada|7)$/) });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['false', false],
    ['true', true],
    ['0', 0],
    ['1', 1],
    ['an empty text', ''],
    ['a text', 'ada'],
    ['an empty list', []],
    ['a list of users', [ada]],
    ['a map', new Map([['id', 'ada']])],
    ['an error', new Error('expired')],
    ['a function', () => ada],
    ['an id that is an object', { id: { $ne: null } }],
    ['a promise of null', Promise.resolve(null)],
    ['a promise of a text', Promise.resolve('ada')],
  ])('is no user when it is %s', async (_what, result) => {
    expect(await providerOf(() => result as never).verifyToken('t', request)).toBeNull();
  });

  it('is no user when it throws or rejects, whatever the value', async () => {
    const thrown: readonly unknown[] = [new Error('expired'), 'expired', null, undefined, ada];
    for (const error of thrown) {
      const atOnce = providerOf(() => {
        throw error;
      });
      expect(await atOnce.verifyToken('t', request)).toBeNull();
      const later = providerOf(async () => {
        await Promise.resolve();
        throw error;
      });
      expect(await later.verifyToken('t', request)).toBeNull();
    }
  });

  it.each([[''], [undefined], [['t']], [1]])('is not computed for the token %j', async (token) => {
    let calls = 0;
    const provider = providerOf(() => {
      calls += 1;
      return ada;
    });
    expect(await provider.verifyToken(token as never, request)).toBeNull();
    expect(calls).toBe(0);
  });
});

describe('the time limit', () => {
  it('refuses a token when verifyToken does not settle in time', async () => {
    const never = customAuth({ type: 'slow', timeoutMs: 5, verifyToken: () => new Promise(() => {}) });
    expect(await never.verifyToken('t', request)).toBeNull();
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (const result of [ada, Promise.resolve(ada), Promise.reject(new Error('expired'))])
      await providerOf(() => result).verifyToken('t', request);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ignores a late result, also when it is an error', async () => {
    const late = Promise.withResolvers<User>();
    const provider = customAuth({ type: 'slow', timeoutMs: 5, verifyToken: () => late.promise });
    expect(await provider.verifyToken('t', request)).toBeNull();
    late.reject(new Error('too late'));
    await expect(late.promise).rejects.toThrow('too late');
  });

  it('does not cache a late result', async () => {
    const late = Promise.withResolvers<User>();
    let calls = 0;
    const verifyToken = (): Promise<User> | null => {
      calls += 1;
      return calls === 1 ? late.promise : null;
    };
    const provider = customAuth({ type: 'slow', timeoutMs: 5, cache: { ttlMs: 60_000 }, verifyToken });
    expect(await provider.verifyToken('t', request)).toBeNull();
    late.resolve(ada);
    await late.promise;
    expect(await provider.verifyToken('t', request)).toBeNull();
    expect(calls).toBe(2);
  });
});

describe('options', () => {
  it('returns publicRoutes and defaultPrivate with the provider', () => {
    const provider = customAuth({
      type: 'own',
      verifyToken: () => null,
      publicRoutes: ['GET /hello'],
      defaultPrivate: true,
    });
    expect(provider).toMatchObject({ type: 'own', publicRoutes: ['GET /hello'], defaultPrivate: true });
    expect(Object.keys(customAuth({ type: 'own', verifyToken: () => null }))).toEqual(['type', 'verifyToken']);
  });

  it.each<[string, object]>([
    ['an empty type', { type: ' ' }],
    ['a type that is a number', { type: 7 }],
    ['no function', { verifyToken: undefined }],
    ['a limit of 0', { timeoutMs: 0 }],
    ['a limit below 0', { timeoutMs: -1 }],
    ['no limit', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['a limit longer than timers support', { timeoutMs: 2 ** 31 }],
    ['a limit that is a text', { timeoutMs: '5000' }],
    ['a cache without an end', { cache: { ttlMs: Number.POSITIVE_INFINITY } }],
    ['a cache without a time', { cache: {} }],
    ['a cache for a time below 0', { cache: { ttlMs: -1 } }],
    ['a cache of nothing', { cache: { ttlMs: 1, maxEntries: 0 } }],
    ['a cache of half an entry', { cache: { ttlMs: 1, maxEntries: 0.5 } }],
  ])('refuses %s', (_what, wrong) => {
    const options = { type: 'own', verifyToken: () => null, ...wrong } as CustomAuthOptions;
    expect(() => customAuth(options)).toThrow(
      expect.toSatisfy((error) => isHalyardError(error) && error.code === 'INVALID_CONFIGURATION'),
    );
  });

  it('accepts the longest limit and the smallest cache', () => {
    const options = {
      type: 'own',
      verifyToken: () => null,
      timeoutMs: 2 ** 31 - 1,
      cache: { ttlMs: 0, maxEntries: 1 },
    };
    expect(customAuth(options).type).toBe('own');
  });
});

function providerOf(verifyToken: CustomAuthOptions['verifyToken']): AuthProvider {
  return customAuth({ type: 'own', verifyToken });
}
