import { expect, it } from 'vitest';
import { toStorageError } from './storage-unavailable.ts';

it('reports a socket whose system call failed as unavailable, whatever the code', () => {
  const cause = Object.assign(new Error('write EIO'), { code: 'EIO', errno: -5, syscall: 'write' });
  expect(toStorageError(cause)).toMatchObject({ kind: 'unavailable', code: 'STORAGE_UNAVAILABLE', cause });
});

it('leaves the error of a statement as it is', () => {
  const error = Object.assign(new Error('duplicate key'), { code: '23505', severity: 'ERROR' });
  expect(toStorageError(error)).toBe(error);
});
