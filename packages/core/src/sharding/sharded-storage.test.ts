import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigurationError, type Logger, type NewExecution, silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sequentialIds } from '../testing/sequential-ids.ts';
import { createWorkflow } from '../workflow/create-workflow.ts';
import { WorkflowRuntime } from '../workflow/runtime/workflow-runtime.ts';
import { andStart } from '../workflow/steps/and-start.ts';
import { Gate } from '../workflow/testing/gate.ts';
import { shardedStorage, type ShardedStorageOptions } from './sharded-storage.ts';
import { type SilentStorage, silentStorage } from './testing/silent-storage.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const everyRoot = { parentExecutionId: null, limit: 50, offset: 0 } as const;
const leaseMs = 60_000;
/** Follows the time of the test. */
const clock = { now: () => Date.now() };

function useFakeTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

function executionOf(id: string): NewExecution {
  return {
    id,
    workflowId: 'orders',
    workflowName: 'Orders',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
    events: [],
  };
}

/** Two shards with an execution for each of {@link ids}. Both have some of them. */
async function filledShards(options: ShardedStorageOptions = {}): Promise<{
  readonly storage: Storage;
  readonly first: Storage;
  readonly second: SilentStorage;
}> {
  const first = createInMemoryStorage({ clock });
  const second = silentStorage(createInMemoryStorage({ clock }));
  const storage = shardedStorage([first, second.storage], { silentAfterMs: 20, logger: silentLogger, ...options });
  for (const id of ids) await storage.executions.create(executionOf(id), { requestId: 'r' });
  return { storage, first, second };
}

async function idsOf({ executions }: Storage): Promise<readonly string[]> {
  const { executions: listed } = await executions.list('anyone', everyRoot);
  return listed.map(({ id }) => id).toSorted();
}

describe('the storages of shardedStorage', () => {
  it('share the executions', async () => {
    const { first, second, storage } = await filledShards();
    const [own, others] = [await idsOf(first), await idsOf(second.storage)];
    expect([own.length > 0, others.length > 0]).toEqual([true, true]);
    expect([...own, ...others].toSorted()).toEqual(ids);
    expect(await idsOf(storage)).toEqual(ids);
  });

  it('accept no execution with different keys, which may belong to different storages', async () => {
    const { executions } = shardedStorage([createInMemoryStorage(), createInMemoryStorage()]);
    const throttle = { key: 'eu', limit: 1, periodMs: 1_000 };
    const create = async (id: string, key: string) =>
      executions.create(executionOf(id), { requestId: id, throttle, concurrency: { key, limit: 1 } });
    await expect(create('a', 'us')).rejects.toThrow('must have the same key: "us" and "eu" may be on different shards');
    expect(await executions.find('anyone', 'a')).toBeUndefined();
    expect(await create('a', 'eu')).toBe('created');
  });

  it('have executions with the same concurrency key together', async () => {
    const [first, second] = [createInMemoryStorage(), createInMemoryStorage()];
    const storage = shardedStorage([first, second]);
    for (const id of ids)
      await storage.executions.create(executionOf(id), { requestId: 'r', concurrency: { key: 'eu', limit: 1 } });
    expect([await idsOf(first), await idsOf(second)]).toContainEqual(ids);
    expect((await storage.executions.find('anyone', 'a'))?.concurrency).toEqual({ key: 'eu', limit: 1 });
  });

  it('are found by what was stored in the first one before there were shards', async () => {
    const [first, second] = [createInMemoryStorage(), createInMemoryStorage()];
    for (const id of ids) await first.executions.create(executionOf(id), { requestId: 'old' });
    const { executions } = shardedStorage([first, second]);
    for (const id of ids) {
      expect(await executions.create(executionOf(id), { requestId: 'new' })).toBe('taken');
      expect(await executions.claim(id, { runner: 'p', leaseMs })).toMatchObject({ execution: { id, epoch: 1 } });
    }
    expect(await idsOf(second)).toEqual([]);
  });

  it.each([
    ['in another order', (a: Storage, b: Storage) => [b, a], 'as shard 1 of 2 that was shard 2 of 2'],
    [
      'with a further one',
      (a: Storage, b: Storage) => [a, b, createInMemoryStorage()],
      'as shard 1 of 3 that was shard 1 of 2',
    ],
  ])('are refused %s, before anything is read or written', async (_what, reordered, message) => {
    const [first, second] = [createInMemoryStorage(), createInMemoryStorage()];
    await shardedStorage([first, second]).opened?.();
    const storage = shardedStorage(reordered(first, second));
    await expect(storage.opened?.()).rejects.toThrow(message);
    await expect(storage.executions.create(executionOf('a'), { requestId: 'r' })).rejects.toThrow(ConfigurationError);
    await shardedStorage([first, second]).opened?.();
  });

  it('are at least two different ones', () => {
    const storage = createInMemoryStorage();
    expect(() => shardedStorage([storage])).toThrow('shardedStorage needs at least two storages');
    expect(() => shardedStorage([storage, storage])).toThrow('shardedStorage needs a different storage for each shard');
  });

  it('are purged together, up to the limit', async () => {
    const { storage } = await filledShards();
    for (const id of ids) await end(storage, id);
    const { executions } = storage;
    expect([await executions.purge(0, 3), await executions.purge(0, 4), await executions.purge(0, 4)]).toEqual([
      3, 4, 1,
    ]);
    expect(await idsOf(storage)).toEqual([]);
  });

  it('list the keys for which executions wait, page by page', async () => {
    const { executions } = shardedStorage([createInMemoryStorage(), createInMemoryStorage()]);
    for (const key of ids) {
      for (const id of [`${key}-1`, `${key}-2`]) {
        await executions.create(executionOf(id), { requestId: 'r', concurrency: { key, limit: 1 } });
        await executions.claim(id, { runner: 'p', leaseMs });
      }
    }
    const keys: string[] = [];
    for (let page = ['']; page.length > 0; keys.push(...page))
      page = [...(await executions.waitingKeys(keys.at(-1) ?? '', 3))];
    expect(keys.toSorted()).toEqual(ids);
  });
});

it('lets users take turns when more is due on all shards than a read returns', async () => {
  const { executions } = shardedStorage([createInMemoryStorage(), createInMemoryStorage()]);
  for (const id of ids) await executions.create({ ...executionOf(id), userId: 'eve' }, { requestId: id });
  await executions.create({ ...executionOf('last'), userId: 'ada' }, { requestId: 'last' });
  const due = await executions.due(['orders'], 2);
  expect(due.map(({ userId }) => userId)).toEqual(['eve', 'ada']);
});

describe('a shard that does not answer', () => {
  it('is left out where the others continue without it, and reported once', async () => {
    const logged: string[] = [];
    const log = (_fields: object, message: string): void => void logged.push(message);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const { first, second, storage } = await filledShards({ logger });
    const { executions } = storage;
    const own = await idsOf(first);
    second.silence();
    expect((await executions.due(['orders'], 50)).map(({ executionId }) => executionId).toSorted()).toEqual(own);
    expect(await executions.nextDue(['orders'])).toBe(0);
    expect(await executions.deliverPending(9)).toEqual([]);
    for (const id of own)
      expect(await executions.claim(id, { runner: 'p', leaseMs })).toMatchObject({ execution: { id } });
    const [other = ''] = ids.filter((id) => !own.includes(id));
    await expect(executions.claim(other, { runner: 'p', leaseMs })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: 'The storage does not answer (shard 2 of 2)',
    });
    expect(logged).toEqual(['shard 2 of 2 does not answer; its executions wait, and those of other shards continue']);

    await answered(second);
    expect(await executions.due(['orders'], 50)).toHaveLength(ids.length - own.length);
    expect(logged.slice(1)).toEqual(['shard 2 of 2 answers again']);
  });

  it('fails calls whose answer would be wrong without it', async () => {
    const { second, storage } = await filledShards();
    const { executions } = storage;
    second.silence();
    await expect(executions.list('anyone', everyRoot)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(executions.find('anyone', 'unknown')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const event = { id: 'e', name: 'paid', key: null, payload: 1, requestId: 'p' };
    await expect(executions.publish('anyone', event)).rejects.toThrow('The event has reached 1 of 2 shards');
    await answered(second);
    expect(await executions.publish('anyone', event)).toEqual({ eventId: 'e', deliveries: [] });
    expect(await executions.find('anyone', 'unknown')).toBeUndefined();
  });

  it('gets no new executions, unless their id was chosen or their key belongs to it', async () => {
    const first = createInMemoryStorage();
    const second = silentStorage(createInMemoryStorage());
    const storage = shardedStorage([first, second.storage], { silentAfterMs: 20, logger: silentLogger });
    const { executions } = storage;
    await storage.opened?.();
    second.silence();
    await executions.nextDue([]);
    for (const id of ids) expect(await executions.create(executionOf(id), { requestId: id })).toBe('created');
    expect(await idsOf(first)).toEqual(ids);
    const chosen = ids.map((id) => executions.create(executionOf(`chosen ${id}`), { requestId: 'r' }));
    await executions.nextDue([]);
    expect((await idsOf(first)).length).toBeLessThan(2 * ids.length);
    await answered(second);
    expect(await Promise.all(chosen)).toEqual(ids.map(() => 'created'));
    for (const id of ids) expect((await executions.find('anyone', id))?.id).toBe(id);
  });

  it('does not end the leases of the others, and ends its own in time', async () => {
    useFakeTime();
    const { first, second, storage } = await filledShards();
    const lease = { runner: 'p', leaseMs: 900 };
    const held = [];
    for (const id of ids)
      held.push({ executionId: id, epoch: (await storage.executions.claim(id, lease))?.execution.epoch ?? 0 });
    second.silence();
    const own = await idsOf(first);
    const renewed = storage.executions.renew(held, lease);
    await vi.advanceTimersByTimeAsync(lease.leaseMs / 3);
    expect((await renewed).toSorted()).toEqual(ids.filter((id) => !own.includes(id)));
  });

  it('joins when it answers again, if it was silent at the start', async () => {
    const first = createInMemoryStorage();
    const second = silentStorage(createInMemoryStorage());
    await shardedStorage([first, second.storage]).opened?.();
    second.silence();
    const storage = shardedStorage([first, second.storage], { silentAfterMs: 20, logger: silentLogger });
    await storage.opened?.();
    const pending = ids.map((id) => storage.executions.create(executionOf(id), { requestId: 'r' }));
    await storage.executions.deliverPending(1);
    const own = await idsOf(first);
    expect([own.length > 0, own.length < ids.length]).toEqual([true, true]);
    second.answer();
    expect(await Promise.all(pending)).toEqual(ids.map(() => 'created'));
    expect(await idsOf(storage)).toEqual(ids);
  });

  it('stops what a process runs there before its lease ends, and nothing else', async () => {
    useFakeTime();
    const first = createInMemoryStorage({ clock });
    const second = silentStorage(createInMemoryStorage({ clock }));
    const storage = shardedStorage([first, second.storage], { silentAfterMs: 20, logger: silentLogger });
    const gates = new Map(ids.map((id) => [id, new Gate()]));
    const aborted = new Map(ids.map((id) => [id, Promise.withResolvers<void>()]));
    const workflow = createWorkflow({ id: 'orders' }).andThen({
      id: 'work',
      execute: async ({ data, signal }) => {
        const id = String(data);
        signal.addEventListener('abort', () => aborted.get(id)?.resolve());
        await gates.get(id)?.passOrAbort({ signal });
      },
    });
    const services = { clock, logger: silentLogger };
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services, leaseMs: 3_000 });
    runtime.start();
    for (const id of ids) await runtime.begin('orders', id, { executionId: id });
    await Promise.all(gates.values().map(({ entered }) => entered));
    const own = await idsOf(first);
    const lost = ids.filter((id) => !own.includes(id));

    second.silence();
    await vi.advanceTimersByTimeAsync(3_000);
    for (const id of lost) await aborted.get(id)?.promise;
    for (const id of own) {
      gates.get(id)?.open();
      expect(await runtime.wait({ executionId: id, owner: 'anyone' })).toMatchObject({ status: 'completed' });
      expect((await first.executions.find('anyone', id))?.epoch).toBe(1);
    }
    second.answer();
    for (const id of lost) {
      gates.get(id)?.open();
      expect(await runtime.wait({ executionId: id, owner: 'anyone' })).toMatchObject({ status: 'completed' });
    }
    await runtime.stop(1_000);
  });

  it('lets executions of the others run, and its own when it answers again', async () => {
    const first = createInMemoryStorage();
    const second = silentStorage(createInMemoryStorage());
    const storage = shardedStorage([first, second.storage], { silentAfterMs: 20, logger: silentLogger });
    const workflow = createWorkflow({ id: 'orders' }).andWaitForEvent({ id: 'wait', event: 'paid' });
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
    runtime.startByHand();
    for (const executionId of ids) await runtime.execute('orders', null, { executionId });
    const own = await idsOf(first);
    const statuses = async (some: readonly string[]): Promise<readonly unknown[]> =>
      Promise.all(some.map(async (executionId) => (await runtime.wait({ executionId, owner: 'anyone' })).status));

    second.silence();
    const event = { name: 'paid', requestId: 'p' };
    await expect(runtime.publish(event)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await runtime.sweep();
    expect(await statuses(own)).toEqual(own.map(() => 'completed'));

    await answered(second);
    await runtime.publish(event);
    await runtime.sweep();
    expect(await statuses(ids)).toEqual(ids.map(() => 'completed'));
    await runtime.stop(1_000);
  });
});

it('runs workflows that start others on all shards, and wait for them', async () => {
  const storages = [createInMemoryStorage(), createInMemoryStorage(), createInMemoryStorage()];
  const storage = shardedStorage(storages);
  const inner = createWorkflow({ id: 'inner' }).andThen({ id: 'work', execute: ({ data }) => `did ${String(data)}` });
  const started = createWorkflow({ id: 'started' }).andWorkflow({ id: 'inside', workflow: inner });
  const workflow = createWorkflow({ id: 'starter' })
    .andForEach({ id: 'each', items: () => ids, step: andStart({ id: 'start', workflow: started }) })
    .andJoin({ id: 'join' });
  const services = { logger: silentLogger, ids: sequentialIds('run') };
  const runtime = new WorkflowRuntime({ workflows: [workflow, started], storage, services });
  runtime.startByHand();
  const { executionId, result } = await runtime.execute('starter', null, {});
  expect(result).toMatchObject(ids.map((id) => ({ status: 'completed', output: `did ${id}` })));
  for (const one of storages) expect((await idsOf(one)).length).toBeGreaterThan(0);
  const { executions } = await storage.executions.list('anyone', {
    ...everyRoot,
    metadata: { startedBy: executionId },
  });
  expect(executions).toHaveLength(ids.length);
  for (const { id } of executions) {
    const inside = await storage.executions.list('anyone', { ...everyRoot, parentExecutionId: id });
    const [child] = inside.executions;
    expect(await storage.executions.find('anyone', child?.id ?? '')).toEqual(child);
  }
  await runtime.stop(1_000);
});

it('lets one process answer, follow and cancel what another one has started, wherever it lives', async () => {
  const storages = [createInMemoryStorage(), createInMemoryStorage(), createInMemoryStorage()];
  const workflow = createWorkflow({
    id: 'orders',
    concurrency: { limit: 5, key: ({ input }) => String(input) },
  }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
  const [one, other] = [1, 2].map(() => {
    const storage = shardedStorage(storages);
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, services: { logger: silentLogger } });
    runtime.startByHand();
    return runtime;
  });
  if (one === undefined || other === undefined) expect.fail('there are two');
  for (const id of ids) {
    const key = { executionId: id, workflowId: 'orders', owner: 'anyone' } as const;
    expect(await one.execute('orders', id, { executionId: id })).toMatchObject({ status: 'suspended' });
    const events = await other.follow(key, 0);
    if (id < 'e') await other.resume(key, { resumeData: `answer to ${id}` });
    else await other.cancel(key, 'not needed');
    const types: string[] = [];
    for await (const { event } of events) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(['workflow-start', 'workflow-result']);
    const result = id < 'e' ? { status: 'completed', result: `answer to ${id}` } : { status: 'cancelled' };
    expect(await one.wait(key)).toMatchObject(result);
  }
  await Promise.all([one.stop(1_000), other.stop(1_000)]);
});

/** Its calls have been answered, too. */
async function answered(storage: SilentStorage): Promise<void> {
  storage.answer();
  await nextTurn();
}

async function end({ executions }: Storage, id: string): Promise<void> {
  const claimed = await executions.claim(id, { runner: 'p', leaseMs });
  await executions.commit({
    executionId: id,
    creationId: claimed?.execution.creationId ?? '',
    epoch: claimed?.execution.epoch ?? 0,
    commitId: 'end',
    expectedSeq: 0,
    entries: [],
    changes: [{ id, status: 'completed', output: null, events: [] }],
    settled: [],
    suspensions: [],
    timers: [],
  });
}
