import type { AuthProvider } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthSettings, authorize, verifyLimitMs } from './authorize.ts';
import { ConsoleKey } from './console-key.ts';
import type { Credentials } from './credentials.ts';
import { type Requirement, requiresNothing } from './policy.ts';
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

const warnings: unknown[] = [];
const refusals: unknown[] = [];
beforeEach(() => {
  warnings.length = 0;
  refusals.length = 0;
});
const recording = {
  ...logger,
  warn: (fields: object) => void warnings.push(fields),
  debug: (fields: object) => void refusals.push(fields),
};
const names: AuthProvider = { type: 'names', verifyToken: (token) => (token === 'bad' ? null : { id: token }) };

function ask(requirement: Requirement, sent: Partial<Credentials>, changed: Partial<AuthSettings> = {}) {
  const settings: AuthSettings = {
    provider: names,
    consoleKey: new ConsoleKey('k'),
    allowsDevBypass: () => true,
    logger: recording,
    reservedUserIds: new Set(['anonymous']),
    ...changed,
  };
  const credentials = { token: undefined, consoleKey: undefined, hasDevBypass: false, ...sent };
  return authorize(requirement, credentials, settings, request);
}

it.each<[Requirement, boolean]>([
  ['public', true],
  ['open', true],
  ['console', false],
  ['user', false],
  ['console-or-user', false],
  ['calls-of-users', false],
])('a route that is %s needs no credential: %j', async (requirement, needsNone) => {
  expect(requiresNothing(requirement)).toBe(needsNone);
  const isAccepted = await ask(requirement, {}).then(
    () => true,
    () => false,
  );
  expect(isAccepted).toBe(needsNone);
});

describe('a requirement', () => {
  const anonymous = { user: undefined, hasCredential: false };
  const byKey = { user: undefined, hasCredential: true };
  const ada = { user: { id: 'ada' }, hasCredential: true };

  it.each<[Requirement, Partial<Credentials>, object]>([
    ['public', {}, anonymous],
    ['open', {}, anonymous],
    ['public', { token: 'ada', consoleKey: 'k', hasDevBypass: true }, anonymous],
    ['console', { consoleKey: 'k' }, byKey],
    ['console', { hasDevBypass: true }, anonymous],
    ['console', { consoleKey: 'k', hasDevBypass: true }, byKey],
    ['user', { token: 'ada' }, ada],
    ['user', { token: 'ada', hasDevBypass: true }, ada],
    ['user', { hasDevBypass: true }, anonymous],
    ['user', { token: 'bad', hasDevBypass: true }, anonymous],
    ['console-or-user', { consoleKey: 'k' }, byKey],
    ['console-or-user', { consoleKey: 'wrong', token: 'ada' }, ada],
    ['console-or-user', { consoleKey: 'k', token: 'bad' }, byKey],
    ['console-or-user', { hasDevBypass: true }, anonymous],
  ])('%s accepts %j', async (requirement, sent, authorized) => {
    expect(await ask(requirement, sent)).toEqual(authorized);
  });

  const missing = { message: 'Authentication required', wantsToken: true, isRejection: false };
  const wrongKey = { ...missing, isRejection: true };
  const invalid = { message: 'Invalid or expired token', wantsToken: true, isRejection: true };
  const closed = { message: 'Console access required', wantsToken: false, isRejection: false };

  it.each<[Requirement, Partial<Credentials>, object]>([
    ['console', {}, closed],
    ['console', { consoleKey: '' }, closed],
    ['console', { token: 'ada' }, closed],
    ['console', { consoleKey: 'wrong' }, { ...closed, isRejection: true }],
    ['console', { consoleKey: ['k'] }, { ...closed, isRejection: true }],
    ['user', {}, missing],
    ['user', { consoleKey: 'k' }, missing],
    ['user', { token: 'bad' }, invalid],
    ['user', { token: 'anonymous' }, invalid],
    ['console-or-user', {}, missing],
    ['console-or-user', { consoleKey: '' }, missing],
    ['console-or-user', { consoleKey: 'wrong' }, wrongKey],
    ['console-or-user', { consoleKey: 'wrong', token: 'bad' }, invalid],
  ])('%s refuses %j', async (requirement, sent, refusal) => {
    const refused = { kind: 'unauthenticated', code: 'UNAUTHENTICATED', ...refusal };
    await expect(ask(requirement, sent)).rejects.toMatchObject(refused);
  });

  it('accepts no dev bypass where it is not allowed', async () => {
    const inProduction = { allowsDevBypass: () => false };
    for (const requirement of ['console', 'user', 'console-or-user'] as const)
      await expect(ask(requirement, { hasDevBypass: true }, inProduction)).rejects.toMatchObject({
        isRejection: false,
      });
  });

  it('accepts no token without a provider', async () => {
    await expect(ask('user', { token: 'ada' }, { provider: undefined })).rejects.toMatchObject(invalid);
    expect(refusals).toEqual([]);
  });
});

describe('a token of a reserved user', () => {
  it.each([{ id: 'anonymous' }, { sub: 'anonymous' }, { id: 'anonymous', sub: 'ada' }])(
    'is refused with a warning: %j',
    async (user) => {
      const provider: AuthProvider = { type: 'names', verifyToken: () => user };
      await expect(ask('user', { token: 't' }, { provider })).rejects.toThrow('Invalid or expired token');
      expect(warnings).toEqual([{ provider: 'names' }]);
    },
  );

  it('is not one whose user only has the reserved id as its second id', async () => {
    const provider: AuthProvider = { type: 'names', verifyToken: () => ({ id: 'ada', sub: 'anonymous' }) };
    expect(await ask('user', { token: 't' }, { provider })).toMatchObject({ user: { id: 'ada' } });
  });
});

it.each<[unknown, string]>([
  [new RangeError('the secret token'), 'RangeError'],
  ['the secret token', 'string'],
])('logs the kind of an error of a provider, but not its text: %s', async (error, name) => {
  const verifyToken = (): never => {
    throw error;
  };
  await expect(ask('user', { token: 't' }, { provider: { type: 'names', verifyToken } })).rejects.toThrow();
  expect(refusals).toEqual([{ provider: 'names', error: name }]);
});

it('logs that a provider took too long', async () => {
  const provider: AuthProvider = { type: 'slow', verifyToken: () => new Promise(() => {}) };
  const late = ask('user', { token: 't' }, { provider }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(verifyLimitMs - 1);
  expect(warnings).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await late).toMatchObject({ isRejection: true });
  expect(warnings).toEqual([{ provider: 'slow', limitMs: 5_000 }]);
});

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

it('counts rejected credentials by address and minute', () => {
  let now = 1_000_000;
  const rejections = new Rejections(2, { now: () => now });
  expect([1, 2, 3].map(() => rejections.add('a'))).toEqual([undefined, undefined, 60]);
  now += 59_000;
  expect([rejections.add('a'), rejections.add('b')]).toEqual([1, undefined]);
  now += 1_000;
  expect(rejections.add('a')).toBeUndefined();
});

it('stores at most 10 000 addresses', () => {
  const rejections = new Rejections(1, { now: () => 0 });
  for (let index = 0; index <= 10_000; index += 1) rejections.add(`${index}`);
  expect(rejections.add('0')).toBeUndefined();
  expect(rejections.add('10000')).toBe(60);
});

it('forgets the addresses first whose minute began first', () => {
  let now = 0;
  const rejections = new Rejections(1, { now: () => now });
  for (let index = 0; index < 10_000; index += 1) rejections.add(`${index}`);
  now = 60_000;
  rejections.add('5');
  for (let index = 0; index < 6; index += 1) rejections.add(`new ${index}`);
  expect(rejections.add('5')).toBe(60);
});
