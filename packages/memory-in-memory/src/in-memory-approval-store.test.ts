import { expect, it } from 'vitest';
import { InMemoryApprovalStore } from './in-memory-approval-store.ts';

it('accepts an approval once, also when two answers arrive at the same time', async () => {
  const store = new InMemoryApprovalStore({ now: () => 0 });

  expect(await Promise.all([store.consume('a', 10), store.consume('a', 10)])).toEqual([true, false]);
  expect(await store.consume('b', 10)).toBe(true);
});

it('removes expired approvals and keeps the others', async () => {
  let now = 0;
  const store = new InMemoryApprovalStore({ now: () => now });
  for (let index = 0; index < 100; index += 1) await store.consume(`early-${index}`, 10);
  await store.consume('late', 50);

  now = 20;
  expect(await store.consume('late', 50)).toBe(false);
  expect(store.size).toBe(1);
});

it('stores a used approval for as long as it is valid, to the millisecond', async () => {
  let now = 0;
  const store = new InMemoryApprovalStore({ now: () => now });
  await store.consume('a', 10);
  now = 10;
  expect(await store.purge(10)).toBe(0);
  expect(await store.consume('a', 10)).toBe(false);
  now = 11;
  expect(await store.consume('b', 20)).toBe(true);
  expect(store.size).toBe(1);
});

it('has a unique lifeId, because its data is lost with the process', () => {
  const clock = { now: () => 0 };
  expect(new InMemoryApprovalStore(clock).lifeId).not.toBe(new InMemoryApprovalStore(clock).lifeId);
});

it('purges expired approvals in any position, at most as many as requested', async () => {
  let now = 0;
  const store = new InMemoryApprovalStore({ now: () => now });
  for (const [id, expiresAt] of [
    ['late', 50],
    ['early-1', 10],
    ['early-2', 10],
    ['early-3', 10],
  ] as const) {
    await store.consume(id, expiresAt);
  }
  expect(await store.purge(10)).toBe(0);
  now = 11;
  expect(await store.purge(2)).toBe(2);
  expect(store.size).toBe(2);
  expect(await store.purge(10)).toBe(1);
  expect(await store.consume('late', 50)).toBe(false);
});
