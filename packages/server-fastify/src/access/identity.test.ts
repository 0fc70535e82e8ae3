import { expect, it } from 'vitest';
import {
  callerKey,
  storedCallerKey,
  identify,
  operatorKey,
  ownerNamed,
  ownerForCaller,
  subjectForCaller,
} from './identity.ts';

const address = '127.0.0.1';
const anonymous = { user: undefined, address };
const ada = { user: { id: 'ada', sub: 'auth|1' }, address };

it('identifies a verified user by id, else by sub', () => {
  expect(subjectForCaller(ada)).toBe('ada');
  expect(subjectForCaller({ user: { sub: 'auth|1' }, address: '' })).toBe('auth|1');
  expect(subjectForCaller(anonymous)).toBeUndefined();
});

it('replaces every user id of the request by the verified user', () => {
  expect(identify(ada, { userId: 'mallory', context: { userId: 'mallory', tenant: 1 } })).toEqual({
    userId: 'ada',
    context: { userId: 'ada', tenant: 1 },
  });
  expect(identify(ada, { context: { tenant: 1 } })).toEqual({ userId: 'ada', context: { tenant: 1 } });
  expect(identify(ada, {})).toEqual({ userId: 'ada', context: undefined });
});

it('uses the user id of the request if no user is verified', () => {
  expect(identify(anonymous, { userId: 'bob', context: { userId: 'eve' } })).toEqual({
    userId: 'bob',
    context: { userId: 'eve' },
  });
  expect(identify(anonymous, { context: null })).toEqual({ userId: undefined, context: undefined });
});

it('refuses a verified user without an id', () => {
  for (const user of [
    {},
    { id: '' },
    { sub: '' },
    { id: '..', sub: 'ada' },
    { sub: '.' },
    { sub: 'a\n' },
    { sub: 'x'.repeat(257) },
  ])
    expect(() => identify({ user, address: '' }, { userId: 'mallory' })).toThrow('Invalid or expired token');
});

it.each([
  ['a verified user, by id', { id: 'ada', sub: 'auth|1' }, { user: 'ada' }],
  ['a verified user, else by sub', { sub: 'auth|1' }, { user: 'auth|1' }],
  ['an anonymous caller', undefined, 'anyone'],
] as const)('determines the owner whose data %s may access', (_, user, owner) => {
  expect(ownerForCaller({ user, address })).toEqual(owner);
});

it.each([
  ['neither id nor sub', { role: 'admin' }],
  ['an empty id', { id: '', sub: 'auth|1' }],
])('never treats a verified user with %s as anonymous', (_, user) => {
  expect(() => ownerForCaller({ user, address })).toThrow(
    expect.objectContaining({
      kind: 'unauthenticated',
      code: 'UNAUTHENTICATED',
      message: 'Invalid or expired token',
    }),
  );
});

it.each([
  ['a verified user who names no user', ada, undefined, { user: 'ada' }],
  ['a verified user who names themselves', ada, 'ada', { user: 'ada' }],
  ['an anonymous caller who names a user', anonymous, 'ada', { user: 'ada' }],
  ['an anonymous caller who names no user', anonymous, undefined, 'anyone'],
] as const)('determines the owner for %s', (_, caller, named, owner) => {
  expect(ownerNamed(caller, named)).toEqual(owner);
});

it('refuses a verified user who names another user', () => {
  expect(() => ownerNamed(ada, 'eve')).toThrow(expect.objectContaining({ kind: 'forbidden', code: 'USER_MISMATCH' }));
});

it('counts limits by verified user, then by console key, then by address', () => {
  expect(callerKey({ ...ada, hasConsoleAccess: true })).toBe('user:ada');
  expect(callerKey({ ...anonymous, hasConsoleAccess: true })).toBe(operatorKey);
  expect(callerKey({ ...anonymous, hasConsoleAccess: false })).toBe('address:127.0.0.1');
  expect(callerKey(anonymous)).toBe('address:127.0.0.1');
  // One machine can use all of these addresses.
  expect(callerKey({ user: undefined, address: '2001:db8::1' })).toBe('address:2001:db8::/64');
  expect(callerKey({ user: undefined, address: '2001:db8::ffff:1' })).toBe('address:2001:db8::/64');
  expect(operatorKey).not.toMatch(/^(user|address):|^$/);
});

it('stores no address of a caller, but tells callers apart', () => {
  const keyOf = (from: string, secret: string): string => storedCallerKey({ user: undefined, address: from }, secret);
  const keys = [
    keyOf('192.0.2.1', 'one'),
    keyOf('192.0.2.1', 'one'),
    keyOf('192.0.2.2', 'one'),
    keyOf('192.0.2.1', 'other'),
  ];
  expect(keys[0]).toMatch(/^address:[\w-]{43}$/);
  expect(keys.map((key) => key === keys[0])).toEqual([true, true, false, false]);
  expect(storedCallerKey({ user: { id: 'ada' }, address: '192.0.2.1' }, 'one')).toBe('user:ada');
});
