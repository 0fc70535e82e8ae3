import { expect, it } from 'vitest';
import { toUser } from './to-user.ts';

it('copies a user with all claims', () => {
  const claims = { id: 'ada', email: 'ada@example.com', roles: ['admin'] };
  const user = toUser(claims);
  expect(user).toEqual(claims);
  expect(user).not.toBe(claims);
});

it('accepts an object without a prototype, and one without an id', () => {
  const bare: unknown = Object.assign(Object.create(null), { sub: 'ada' });
  expect(toUser(bare)).toEqual({ sub: 'ada' });
  expect(toUser({ scope: 'metrics' })).toEqual({ scope: 'metrics' });
});

it('converts integer ids to strings', () => {
  expect(toUser({ id: 42, sub: 0 })).toEqual({ id: '42', sub: '0' });
});

it('uses the subject when the id is null', () => {
  expect(toUser({ id: null, sub: 7 })).toEqual({ id: null, sub: '7' });
});

it.each([
  ['null', null],
  ['undefined', undefined],
  ['true', true],
  ['a text', 'ada'],
  ['a number', 1],
  ['a list', [{ id: 'ada' }]],
  ['a map', new Map([['id', 'ada']])],
  ['a date', new Date(0)],
  ['a function', () => ({ id: 'ada' })],
  [
    'an instance of a class',
    new (class Person {
      id = 'ada';
    })(),
  ],
  ['an id that is an object', { id: { $ne: '' } }],
  ['an id that is a list', { id: ['ada'] }],
  ['an id that is true', { id: true, sub: 'ada' }],
  ['a subject that is an object', { id: 'ada', sub: {} }],
  ['an id that was rounded', { id: 2 ** 53 }],
  ['an id that is a fraction', { id: 1.5 }],
])('sees no user in %s', (_what, value) => {
  expect(toUser(value)).toBeNull();
});
