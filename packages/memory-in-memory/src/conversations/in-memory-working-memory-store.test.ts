import type { JsonValue, WorkingMemoryStore } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';

it('deletes the working memory of the user whose last write is the oldest when there are too many users', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxUsers: 2 } });
  for (const userId of ['a', 'b', 'a', 'c']) await write(workingMemory, userId, `of ${userId}`);
  expect(await readAll(workingMemory, 'a', 'b', 'c')).toEqual(['of a', undefined, 'of c']);
});

it('limits the bytes roughly, and never deletes the content that was just written', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxBytes: 25_000 } });
  for (const userId of ['a', 'b', 'c']) await write(workingMemory, userId, 'x'.repeat(10_000));
  expect(await readAll(workingMemory, 'a', 'b', 'c')).toEqual([undefined, 'x'.repeat(10_000), 'x'.repeat(10_000)]);
  await write(workingMemory, 'b', 'short');
  await write(workingMemory, 'd', { notes: ['x'.repeat(10_000)] });
  expect((await readAll(workingMemory, 'b', 'c', 'd')).map((content) => content !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
  await write(workingMemory, 'e', 'x'.repeat(100_000));
  expect((await readAll(workingMemory, 'b', 'c', 'd', 'e')).map((content) => content !== undefined)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

it('limits the number of short contents by the bytes of each user', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxBytes: 1_000 } });
  const userIds = Array.from({ length: 20 }, (_, index) => `user-${index}`);
  for (const userId of userIds) await write(workingMemory, userId, '');
  const stored = (await readAll(workingMemory, ...userIds)).map((content) => content !== undefined);
  expect(stored.filter(Boolean).length).toBeGreaterThan(1);
  expect(stored.filter(Boolean).length).toBeLessThan(10);
  expect(stored.at(-1)).toBe(true);
});

it('does not count users whose working memory is undefined', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxUsers: 1 } });
  await write(workingMemory, 'a', 'of a');
  await workingMemory.update({ user: 'b' }, { scope: 'user', userId: 'b' }, () => undefined);
  expect(await readAll(workingMemory, 'a', 'b')).toEqual(['of a', undefined]);
});

async function write(store: WorkingMemoryStore, userId: string, content: JsonValue): Promise<void> {
  expect(await store.update({ user: userId }, { scope: 'user', userId }, () => content)).toBe(true);
}

function readAll(store: WorkingMemoryStore, ...userIds: string[]): Promise<readonly (JsonValue | undefined)[]> {
  return Promise.all(userIds.map((userId) => store.read('anyone', { scope: 'user', userId })));
}
