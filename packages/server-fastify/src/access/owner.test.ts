import { expect, it } from 'vitest';
import { ownerNamed, ownerOf } from './owner.ts';

const address = '127.0.0.1';

it.each([
  ['a verified user, by id', { id: 'ada', sub: 'auth|1' }, { user: 'ada' }],
  ['a verified user, else by sub', { sub: 'auth|1' }, { user: 'auth|1' }],
  ['nobody', undefined, 'anyone'],
] as const)('lets %s touch what is theirs', (_, user, owner) => {
  expect(ownerOf({ user, address })).toEqual(owner);
});

it.each([
  ['neither id nor sub', { role: 'admin' }],
  ['an empty id', { id: '', sub: 'auth|1' }],
])('never takes a verified user with %s for anyone', (_, user) => {
  expect(() => ownerOf({ user, address })).toThrow(
    expect.objectContaining({
      kind: 'unauthenticated',
      code: 'UNAUTHENTICATED',
      message: 'Invalid or expired token',
    }),
  );
});

const ada = { id: 'ada' };

it.each([
  ['a verified user who names nobody', ada, undefined, { user: 'ada' }],
  ['a verified user who names themselves', ada, 'ada', { user: 'ada' }],
  ['nobody who names a user', undefined, 'ada', { user: 'ada' }],
  ['nobody who names nobody', undefined, undefined, 'anyone'],
] as const)('takes %s for whom they may mean', (_, user, named, owner) => {
  expect(ownerNamed({ user, address }, named)).toEqual(owner);
});

it('refuses a verified user who names another', () => {
  expect(() => ownerNamed({ user: ada, address }, 'eve')).toThrow(
    expect.objectContaining({ kind: 'forbidden', code: 'USER_MISMATCH' }),
  );
});
