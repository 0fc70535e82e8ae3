import type { AuthProvider } from '@halyard/contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { redactUrl } from '../fastify/redact-logs.ts';
import { authorize, verifyLimitMs } from './authorize.ts';
import { ConsoleKey } from './console-key.ts';
import { readCredentials } from './credentials.ts';
import { Rejections } from './rejections.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const request = { method: 'GET', path: '/', headers: {}, address: '127.0.0.1' };

function userBy(verifyToken: () => unknown): Promise<unknown> {
  const provider = { type: 'test', verifyToken } as AuthProvider;
  const settings = {
    provider,
    consoleKey: new ConsoleKey('k'),
    allowsDevBypass: () => false,
    logger,
    reservedUserIds: new Set<string>(),
  };
  const credentials = { token: 't', consoleKey: undefined, hasDevBypass: false };
  return authorize('user', credentials, settings, request).then(({ user }) => user);
}

it.each([
  ['null', () => null],
  ['undefined', () => undefined],
  ['a text', () => 'ada'],
  ['a list', async () => [{ id: 'ada' }]],
  ['true', async () => true],
  ['a function', () => () => ({ id: 'ada' })],
  ['a thrown error', () => Promise.reject(new RangeError('no'))],
  [
    'an error thrown at once',
    () => {
      throw new RangeError('no');
    },
  ],
] as readonly (readonly [string, () => unknown])[])('takes %s of a provider for no user', async (_, verifyToken) => {
  await expect(userBy(verifyToken)).rejects.toThrow('Invalid or expired token');
});

it('waits for a provider for at most 5 s, and leaves no timer behind', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const late = userBy(() => promise).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(verifyLimitMs);
  expect(await late).toMatchObject({ message: 'Invalid or expired token' });
  resolve({ id: 'ada' });
  expect(await userBy(async () => ({ id: 'ada' }))).toEqual({ id: 'ada' });
  expect(vi.getTimerCount()).toBe(0);
});

it('accepts only a key that is set and not blank', () => {
  expect(new ConsoleKey('k').matches('k')).toBe(true);
  for (const given of ['', 'K', 'kk', undefined, null, ['k'], 1])
    expect(new ConsoleKey('k').matches(given)).toBe(false);
  for (const key of [undefined, '', '  '])
    for (const given of [undefined, '', '  ', 'undefined']) expect(new ConsoleKey(key).matches(given)).toBe(false);
});

it('reads the token and the bypass from the query of WebSockets only', () => {
  const query = { token: 't', dev: 'true', key: 'k' };
  expect(readCredentials({ headers: {}, query, isWebSocket: true })).toEqual({
    token: 't',
    consoleKey: 'k',
    hasDevBypass: true,
  });
  expect(readCredentials({ headers: {}, query, isWebSocket: false })).toMatchObject({
    token: undefined,
    hasDevBypass: false,
  });
  const headers = { 'x-service-dev': 'true', authorization: 'bEaReR  h ' };
  expect(readCredentials({ headers, query: { token: 't' }, isWebSocket: true })).toMatchObject({
    token: 'h',
    hasDevBypass: false,
  });
});

it('counts rejected credentials by address and minute', () => {
  let now = 0;
  const rejections = new Rejections(2, { now: () => now });
  expect([1, 2, 3].map(() => rejections.add('a'))).toEqual([undefined, undefined, 60]);
  now = 59_000;
  expect([rejections.add('a'), rejections.add('b')]).toEqual([1, undefined]);
  now = 60_000;
  expect(rejections.add('a')).toBeUndefined();
});

it('stores at most 10 000 addresses', () => {
  const rejections = new Rejections(1, { now: () => 0 });
  for (let index = 0; index <= 10_000; index += 1) rejections.add(`${index}`);
  expect(rejections.add('0')).toBeUndefined();
  expect(rejections.add('10000')).toBe(60);
});

it.each([
  ['/agents?key=secret', '/agents?key=[redacted]'],
  ['/ws?a=1&token=secret&b=2', '/ws?a=1&token=[redacted]&b=2'],
  ['/agents?k%65y=secret&KEY=secret', '/agents?k%65y=[redacted]&KEY=[redacted]'],
  ['/agents#key=secret', '/agents#key=[redacted]'],
  ['/agents?%zz=secret', '/agents?%zz=[redacted]'],
  [
    '/agents?access_token=secret&API_KEY=secret&apikey=secret',
    '/agents?access_token=[redacted]&API_KEY=[redacted]&apikey=[redacted]',
  ],
  ['/agents?monkey=1', '/agents?monkey=1'],
  ['/agents', '/agents'],
])('redacts %s to %s', (url, expected) => {
  expect(redactUrl(url)).toBe(expected);
});
