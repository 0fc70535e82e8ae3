import { expect, it } from 'vitest';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import { toKeyPrefix, newCreation } from './creation.ts';

const ids = sequentialIds('id');

it('gives each creation of a chosen id other keys', () => {
  const [first, second] = [newCreation('order-17', ids), newCreation('order-17', ids)];
  expect([first.id, second.id]).toEqual(['order-17', 'order-17']);
  expect([toKeyPrefix(first), toKeyPrefix(second)]).toEqual(['order-17~id-1', 'order-17~id-2']);
});

it('uses a generated id as it is: no other execution gets it', () => {
  expect(newCreation(undefined, ids)).toEqual({ id: 'id-3', creationId: 'id-3' });
  expect(toKeyPrefix({ id: 'id-3', creationId: 'id-3' })).toBe('id-3');
});

it('keeps the keys of executions that an earlier release created', () => {
  expect(toKeyPrefix({ id: 'order-17', creationId: '63c5220a-4fa0-4ab0-9c30-20ef1c20680b' })).toBe('order-17');
});
