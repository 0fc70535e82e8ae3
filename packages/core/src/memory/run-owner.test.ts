import { expect, it } from 'vitest';
import { runOwner } from './run-owner.ts';

it('is the verified user, by `id`, else by `sub`', () => {
  expect(runOwner({ id: 'ada' })).toEqual({ user: 'ada' });
  expect(runOwner({ sub: 'ada' })).toEqual({ user: 'ada' });
  expect(runOwner({ id: 'ada', sub: 'bob' })).toEqual({ user: 'ada' });
});

it('is anyone without a verified user', () => {
  expect(runOwner(undefined)).toBe('anyone');
});

it.each([{}, { id: '' }, { sub: '' }, { id: '', sub: 'ada' }])(
  'is nobody for a verified user without an id: %j',
  (user) => {
    expect(() => runOwner(user)).toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        code: 'UNAUTHENTICATED',
        message: 'The verified user has no id',
      }),
    );
  },
);
