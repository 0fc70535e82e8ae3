import type { Commit, Suspension } from '@halyard/contracts';
import { beforeEach, expect, it } from 'vitest';
import { executionFields as fields } from '../testing/run-executions.ts';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

const paid = { name: 'paid', key: null };
const ada = { user: 'ada' };

let store: InMemoryExecutionStore;

beforeEach(() => {
  store = new InMemoryExecutionStore({ now: () => 1_000 });
});

/** Starts an execution of Ada that waits for the event `paid`. */
async function start(id: string): Promise<void> {
  await store.create({ ...fields, id, userId: 'ada', events: [] }, { requestId: id });
  await store.claim(id, { runner: 'here', leaseMs: 1_000 });
  await commit(id, { suspensions: [waitOf(id, 'pay')], release: { dueAt: null, expectedSignals: 0 } });
}

function waitOf(executionId: string, path: string): Suspension {
  const id = `wait at ${path}`;
  return {
    id,
    path,
    stepId: path,
    stepIndex: 0,
    executionId,
    kind: 'event',
    reason: '',
    suspendedAt: 1_000,
    event: { ...paid, from: 'owner' },
  };
}

async function commit(id: string, parts: Partial<Commit>): Promise<void> {
  const { epoch = 0, seq = 0 } = (await store.find('anyone', id)) ?? {};
  const nothing = { entries: [], changes: [], settled: [], suspensions: [], timers: [] };
  const outcome = await store.commit({
    executionId: id,
    creationId: id,
    epoch,
    commitId: `${id} ${epoch}`,
    expectedSeq: seq,
    ...nothing,
    ...parts,
  });
  expect(outcome.status).toBe('committed');
}

/** Publishes an event of Ada. @returns the executions that received it. */
async function publish(id: string, requestId = id): Promise<readonly string[]> {
  const { deliveries } = await store.publish(ada, { id, ...paid, payload: id, requestId });
  return deliveries.map(({ executionId }) => executionId);
}

it('forgets the events that a deleted user has published, and those of nobody else', async () => {
  await publish('before');
  for (const [owner, id] of [
    [{ user: 'ben' }, 'of ben'],
    ['anyone', 'of the server'],
  ] as const)
    await store.publish(owner, { id, ...paid, payload: id, requestId: id });
  store.deleteUser('ada');

  await start('later');
  expect(await store.find(ada, 'later')).toMatchObject({ resumptions: [{ data: 'of the server' }] });
  const again = { ...paid, payload: null, id: 'new' };
  expect(await store.publish(ada, { ...again, requestId: 'before' })).toMatchObject({ eventId: 'new' });
  expect(await store.publish({ user: 'ben' }, { ...again, requestId: 'of ben' })).toMatchObject({ eventId: 'of ben' });
});

it('reports each event as received once, and a repeated request as received by nobody', async () => {
  await start('run');
  expect(await publish('first')).toEqual(['run']);
  expect(await publish('first again', 'first')).toEqual([]);
  expect(await publish('second')).toEqual([]);
});

it('does not report an event as received by an execution that no longer waits for it', async () => {
  for (const id of ['ended', 'rewound']) await start(id);
  await store.request(ada, 'ended', { kind: 'cancel', reason: 'test' });
  await store.claim('ended', { runner: 'here', leaseMs: 1_000 });
  await commit('ended', { changes: [{ id: 'ended', status: 'cancelled', events: [] }] });
  const rewind = { executionId: 'rewound', expectedSeq: 0, expectedSignals: 0, paths: ['pay'], entries: [] };
  expect(await store.rewind(ada, rewind)).toBe('rewound');
  expect(await publish('late')).toEqual([]);
});

it('tells those who watch an execution, and those who watch the sub-workflow that waited, once of each answer', async () => {
  await store.create({ ...fields, id: 'run', userId: 'ada', events: [] }, { requestId: 'run' });
  await store.claim('run', { runner: 'here', leaseMs: 1_000 });
  const child = {
    id: 'child',
    created: { ...fields, userId: 'ada', parentExecutionId: 'run', path: 'sub' },
    events: [],
  };
  const suspensions = [waitOf('run', 'a'), waitOf('child', 'sub/b'), waitOf('run', 'c'), waitOf('child', 'sub/d')];
  await commit('run', { changes: [child], suspensions });

  const signals: string[] = [];
  for (const id of ['run', 'child']) store.watch(id, (change) => signals.push(`${id} ${change}`));
  const answer = async (suspensionId: string): Promise<void> => {
    signals.length = 0;
    await store.resume(ada, { executionId: 'run', suspensionId, data: null, requestId: suspensionId });
  };
  await answer('wait at a');
  expect(signals).toEqual(['run signal']);
  await answer('wait at sub/b');
  expect(signals).toEqual(['run signal', 'child signal']);
  signals.length = 0;
  await publish('first');
  expect(signals).toEqual(['run signal']);
  await publish('second');
  expect(signals).toEqual(['run signal', 'run signal', 'child signal']);
});

it('purges the events that were published at the time or before', async () => {
  const again = { ...paid, id: 'again', payload: null, requestId: 'first' };
  await publish('first');
  expect(await store.purgeEvents(1, 10)).toBe(0);
  expect(await store.publish(ada, again)).toMatchObject({ eventId: 'first' });
  expect(await store.purgeEvents(0, 10)).toBe(1);
  expect(await store.publish(ada, again)).toMatchObject({ eventId: 'again' });
});

it('stores no more published events than fit into 64 MiB, and always the newest', async () => {
  const publishBytes = async (requestId: number, megabytes: number): Promise<string> => {
    const payload = 'x'.repeat(megabytes * 1024 * 1024);
    const event = { id: `${requestId}, ${megabytes} MB`, name: 'scanned', key: null, payload };
    return (await store.publish('anyone', { ...event, requestId: `${requestId}` })).eventId;
  };
  for (let index = 0; index < 100; index += 1) await publishBytes(index, 1);
  // A repeated request returns the stored event. That of a deleted one is forgotten.
  const stored: number[] = [];
  for (let index = 99; index >= 0; index -= 1)
    if ((await publishBytes(index, 0)) === `${index}, 1 MB`) stored.push(index);
  expect(stored.length).toBeGreaterThan(60);
  expect(stored.length).toBeLessThanOrEqual(64);
  expect(stored.at(-1)).toBe(100 - stored.length);

  await publishBytes(200, 100);
  expect(await publishBytes(200, 0)).toBe('200, 100 MB');
  expect(await publishBytes(99, 0)).toBe('99, 0 MB');
});

it('stores no more than 10 000 published events, and always the newest', async () => {
  const idOf = async (requestId: number, id: string): Promise<string> =>
    (await store.publish('anyone', { ...paid, id, payload: null, requestId: `${requestId}` })).eventId;
  for (let index = 0; index < 10_000; index += 1) await idOf(index, 'first');
  expect(await idOf(0, 'again')).toBe('first');
  await idOf(10_000, 'first');
  expect(await idOf(1, 'again')).toBe('first');
  expect(await idOf(0, 'again')).toBe('again');
});
