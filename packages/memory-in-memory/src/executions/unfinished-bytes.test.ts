import type { JsonValue, NewExecution } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';
import { commit, create, finish, storeWith } from '../testing/run-executions.ts';
import type { InMemoryExecutionStore } from './in-memory-execution-store.ts';

const large = 'x'.repeat(10_000);
const everyRoot = { parentExecutionId: null, limit: 50, offset: 0 };
const tooMany = { kind: 'rate-limited', code: 'TOO_MANY_EXECUTIONS' };
const full = { kind: 'unavailable', code: 'OVERLOADED' };

/** Starts an execution and suspends it, as its runner does. */
async function suspend(
  store: InMemoryExecutionStore,
  id: string,
  values: Partial<NewExecution> = {},
  data: JsonValue = null,
): Promise<void> {
  await create(store, id, values);
  const waiting = { path: 'b', stepId: 'b', stepIndex: 1, executionId: id, kind: 'step', reason: 'waits' } as const;
  await commit(store, id, {
    changes: [{ id, status: 'suspended', events: [] }],
    suspensions: [{ ...waiting, id: `${id}-s`, suspendedAt: 1_000, data }],
    release: { dueAt: null, expectedSignals: 0 },
  });
}

/** Suspends executions until the store refuses one. @returns how many it accepted. */
async function fill(
  store: InMemoryExecutionStore,
  refusal: object,
  values: (index: number) => Partial<NewExecution>,
  data?: JsonValue,
): Promise<number> {
  for (let index = 0; index < 100; index += 1) {
    const started = suspend(store, `run-${index}`, values(index), data);
    const error = await started.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) continue;
    expect(error).toMatchObject(refusal);
    return index;
  }
  throw new RangeError('no execution was refused');
}

describe('executions that have not ended', () => {
  it.each<[string, (index: number) => Partial<NewExecution>, JsonValue?]>([
    ['inputs', () => ({ input: large })],
    ['metadata', () => ({ metadata: { large } })],
    ['contexts', () => ({ context: { large } })],
    ['data of suspensions', () => ({}), large],
  ])('are limited by the bytes of their %s: 503 beyond', async (_, values, data) => {
    const store = storeWith({ maxUnfinishedBytes: 100_000 });
    const accepted = await fill(store, full, values, data);
    expect(accepted).toBeGreaterThan(5);
    expect(accepted).toBeLessThan(12);
    // Nothing of the refused one is stored.
    expect((await store.list('anyone', everyRoot)).total).toBe(accepted);
    expect(await store.find('anyone', `run-${accepted}`)).toBeUndefined();
  });

  it('are limited for each user: 429 beyond, and others start theirs', async () => {
    const store = storeWith({ maxUnfinishedBytes: 200_000, maxUnfinishedBytesPerUser: 50_000 });
    const accepted = await fill(store, tooMany, () => ({ userId: 'ada', input: large }));
    expect(accepted).toBeLessThan(6);
    await suspend(store, 'of ben', { userId: 'ben', input: large });
    await suspend(store, 'of nobody', { input: large });
    await expect(create(store, 'late', { userId: 'ada' })).rejects.toMatchObject(tooMany);
  });

  it('count while they wait for their start', async () => {
    const store = storeWith({ maxUnfinishedBytes: 5_000 });
    await create(store, 'a', { input: large });
    await expect(create(store, 'b')).rejects.toMatchObject(full);
  });

  it('are continued, and accepted again by their request, when there is no room for more', async () => {
    const store = storeWith({ maxUnfinishedBytes: 5_000, maxUnfinishedBytesPerUser: 5_000 });
    await suspend(store, 'a', { userId: 'ada', input: large });
    await expect(create(store, 'b', { userId: 'ada' })).rejects.toMatchObject(tooMany);
    await create(store, 'a', { userId: 'ada', input: large });
    const resume = { executionId: 'a', suspensionId: 'a-s', data: large, requestId: 'r' };
    expect(await store.resume('anyone', resume)).toBe('resumed');
    await finish(store, 'a', { children: 2 });
    await create(store, 'b', { userId: 'ada' });
  });

  it.each<[string, (store: InMemoryExecutionStore) => unknown]>([
    ['one has ended', (store) => finish(store, 'a')],
    ['the data of the user is deleted', (store) => store.deleteUser('ada')],
  ])('make room when %s', async (_, end) => {
    const store = storeWith({ maxUnfinishedBytes: 5_000, maxUnfinishedBytesPerUser: 5_000 });
    for (let round = 0; round < 3; round += 1) {
      await create(store, 'a', { userId: 'ada', input: large });
      await expect(create(store, `b-${round}`, { userId: 'ada' })).rejects.toMatchObject(tooMany);
      await expect(create(store, `b-${round}`)).rejects.toMatchObject(full);
      await end(store);
      await create(store, `b-${round}`);
      store.deleteUser('ada');
      await finish(store, `b-${round}`);
    }
  });

  it('count again when they are rewound', async () => {
    const store = storeWith({ maxUnfinishedBytes: 5_000 });
    await create(store, 'a', { input: large });
    await finish(store, 'a');
    await create(store, 'b');
    const rewind = { executionId: 'a', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
    expect(await store.rewind('anyone', rewind)).toBe('rewound');
    await expect(create(store, 'c')).rejects.toMatchObject(full);
  });
});

it.each([-1, 1.5, Number.NaN, '5'])('refuses %s as a limit', (value) => {
  const executions = { maxUnfinishedBytes: value };
  expect(() => Reflect.apply(createInMemoryStorage, undefined, [{ executions }])).toThrow(
    expect.objectContaining({ message: expect.stringContaining('`executions.maxUnfinishedBytes`') }),
  );
});

it('accepts limits that are whole numbers or endless', () => {
  for (const maxUnfinishedBytes of [0, 1, Infinity])
    expect(() => createInMemoryStorage({ executions: { maxUnfinishedBytes } })).not.toThrow();
});
