import type { Commit, NewExecutionEvent } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { commit, create, executionFields, finish, stepEntry, storeWith } from '../testing/run-executions.ts';

const order = { ...executionFields, events: [] };
const everyRoot = { parentExecutionId: null, limit: 50, offset: 0 };

it('limits the number of finished executions, and deletes those that ended first with all their data', async () => {
  const store = storeWith({ maxFinished: 2 });
  for (const id of ['a', 'b', 'c', 'd']) await create(store, id, { userId: `user of ${id}`, workflowId: `of ${id}` });
  for (const id of ['c', 'a', 'd', 'b']) await finish(store, id, { children: 2 });

  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['d', 'b']);
  expect(store.size).toBe(6);
  for (const id of ['c', 'a']) {
    expect(await store.find('anyone', id)).toBeUndefined();
    expect(await store.find('anyone', `${id}-child-0`)).toBeUndefined();
    expect(await store.journal('anyone', id)).toEqual([]);
    expect((await store.list('anyone', { ...everyRoot, userId: `user of ${id}` })).total).toBe(0);
    expect((await store.list('anyone', { ...everyRoot, workflowId: `of ${id}` })).total).toBe(0);
  }
});

it('limits the bytes of finished executions', async () => {
  const store = storeWith({ maxFinishedBytes: 100_000 });
  for (let index = 0; index < 20; index += 1) {
    await create(store, `run-${index}`);
    await finish(store, `run-${index}`, { output: 'x'.repeat(10_000) });
  }
  const { executions } = await store.list('anyone', everyRoot);
  expect(executions.length).toBeGreaterThan(2);
  expect(executions.length).toBeLessThan(10);
  expect(executions[0]?.id).toBe('run-19');
});

const large = 'x'.repeat(10_000);
const eventOf = (type: string) => ({ type, from: 'a', timestamp: '2026-01-01T00:00:00.000Z', output: large });

it.each<[string, Partial<Commit>, readonly NewExecutionEvent[], boolean]>([
  ['counts the outputs of steps', { entries: [{ ...stepEntry, output: large }] }, [], true],
  ['counts the errors of steps', { entries: [{ ...stepEntry, error: { message: large } }] }, [], true],
  ['counts events', {}, [eventOf('noticed')], true],
  [
    'does not count the outputs in the events of steps again',
    {},
    [eventOf('step-start'), eventOf('step-complete')],
    false,
  ],
])('%s of finished executions', async (_what, parts, events, isCounted) => {
  const store = storeWith({ maxFinishedBytes: 100_000 });
  for (let index = 0; index < 20; index += 1) {
    const id = `run-${index}`;
    await create(store, id);
    await commit(store, id, { ...parts, changes: [{ id, status: 'completed', events }] });
  }
  expect(store.size).toBeGreaterThan(2);
  expect(store.size < 10).toBe(isCounted);
});

it('keeps the execution that ended last, however large it is', async () => {
  const store = storeWith({ maxFinishedBytes: 1_000 });
  for (const id of ['a', 'b']) await create(store, id);
  for (const id of ['a', 'b']) {
    await finish(store, id, { output: 'x'.repeat(10_000) });
    expect((await store.find('anyone', id))?.status).toBe('completed');
  }
  expect(store.size).toBe(1);
});

it('never deletes executions that are running, suspended or rewound', async () => {
  const store = storeWith({ maxFinished: 1 });
  for (const id of ['new', 'rewound', 'last']) await create(store, id);
  await finish(store, 'rewound');
  const rewind = { executionId: 'rewound', expectedSeq: 1, expectedSignals: 0, paths: ['a'], entries: [] };
  expect(await store.rewind('anyone', rewind)).toBe('rewound');
  await finish(store, 'last');
  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['last', 'rewound', 'new']);

  await finish(store, 'rewound');
  expect((await store.list('anyone', everyRoot)).executions.map(({ id }) => id)).toEqual(['rewound', 'new']);
});

it('counts an ended execution that was rewound as running: no other starts with its singleton key', async () => {
  const store = storeWith({});
  const singleton = { key: 'one', onBusy: 'skip' } as const;
  const start = (id: string) => store.create({ ...order, id }, { requestId: id, singleton });
  expect(await start('first')).toBe('created');
  await finish(store, 'first');
  const rewind = { executionId: 'first', expectedSeq: 0, expectedSignals: 0, paths: ['a'], entries: [] };
  expect(await store.rewind('anyone', rewind)).toBe('rewound');
  expect(await start('second')).toBe('skipped');
});

it('delivers nothing to the execution of a deleted user, which blocks no start either', async () => {
  const store = storeWith({});
  const singleton = { key: 'one', onBusy: 'skip' } as const;
  const paid = { name: 'paid', key: null };
  await store.create({ ...order, id: 'of-ada', userId: 'ada' }, { requestId: 'r', singleton });
  const wait = { id: 's', path: 'b', stepId: 'b', stepIndex: 0, executionId: 'of-ada', kind: 'event' } as const;
  await commit(store, 'of-ada', {
    suspensions: [{ ...wait, reason: '', suspendedAt: 1_000, event: paid }],
    release: { dueAt: null, expectedSignals: 0 },
  });
  expect(store.deleteUser('ada')).toBe(1);

  const event = { ...paid, id: 'e', payload: null, requestId: 'e' };
  expect(await store.publish('anyone', event)).toEqual({ eventId: 'e', deliveries: [] });
  expect(await store.create({ ...order, id: 'next' }, { requestId: 'r', singleton })).toBe('created');
});
