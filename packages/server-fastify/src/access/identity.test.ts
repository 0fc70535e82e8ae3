import { expect, it } from 'vitest';
import { identify, subjectOf } from './identity.ts';

const anonymous = { user: undefined, address: '127.0.0.1' };
const ada = { user: { id: 'ada', sub: 'auth|1' }, address: '127.0.0.1' };

it('knows a verified user by id, else by sub', () => {
  expect(subjectOf(ada)).toBe('ada');
  expect(subjectOf({ user: { sub: 'auth|1' }, address: '' })).toBe('auth|1');
  expect(subjectOf(anonymous)).toBeUndefined();
});

it('puts the verified user in place of every user id that was sent', () => {
  expect(identify(ada, { userId: 'mallory', context: { userId: 'mallory', tenant: 1 } })).toEqual({
    userId: 'ada',
    context: { userId: 'ada', tenant: 1 },
  });
  expect(identify(ada, { context: { tenant: 1 } })).toEqual({ userId: 'ada', context: { tenant: 1 } });
});

it('takes what was sent where nobody is verified', () => {
  expect(identify(anonymous, { userId: 'bob', context: { userId: 'eve' } })).toEqual({
    userId: 'bob',
    context: { userId: 'eve' },
  });
  expect(identify(anonymous, { context: null })).toEqual({ userId: undefined, context: undefined });
});

it('refuses a verified user whom nobody knows', () => {
  for (const user of [{}, { id: '' }, { sub: '' }])
    expect(() => identify({ user, address: '' }, { userId: 'mallory' })).toThrow('Invalid or expired token');
});
