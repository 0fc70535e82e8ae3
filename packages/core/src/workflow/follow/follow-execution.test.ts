import { getEventListeners } from 'node:events';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished, vi } from 'vitest';
import { defaultServices } from '../../agent/default-services.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { silentLogger } from '../../testing/index.ts';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { andThen } from '../steps/and-then.ts';
import { countingStore } from '../testing/counting-store.ts';
import { ExecutionBus } from './execution-bus.ts';
import { ExecutionFollower, type FollowedEvent } from './follow-execution.ts';

const flow = createWorkflow({ id: 'flow' })
  .andThen({ id: 'one', execute: () => 1 })
  .andThen({
    id: 'ask',
    execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('please') : data + 1),
  })
  .andThen({
    id: 'two',
    execute: ({ data, writer }) => {
      writer.write({ type: 'custom-note', data });
      return data;
    },
  });

const whole = [
  [1, 'workflow-start'],
  [2, 'step-start'],
  [3, 'step-complete'],
  [4, 'step-start'],
  [5, 'workflow-suspended'],
  [6, 'workflow-result'],
  [7, 'step-complete'],
  [8, 'step-start'],
  [9, 'custom-note'],
  [10, 'step-complete'],
  [11, 'workflow-complete'],
  [12, 'workflow-result'],
];

function runtimeOn(storage = createInMemoryStorage()): WorkflowRuntime {
  const services = { ...defaultServices(), logger: silentLogger };
  const runtime = new WorkflowRuntime({ workflows: [flow], storage, services });
  runtime.startByHand();
  return runtime;
}

const keyOf = (executionId: string) => ({ owner: 'anyone' as const, workflowId: 'flow', executionId });
const short = (events: readonly FollowedEvent[]): unknown[] => events.map(({ event, seq }) => [seq, event.type]);

async function allOf(events: AsyncIterable<FollowedEvent>): Promise<unknown[]> {
  const all: FollowedEvent[] = [];
  for await (const event of events) all.push(event);
  return short(all);
}

it('delivers stored events after a number, and ends when the execution is idle', async () => {
  const runtime = runtimeOn();
  const { executionId } = await runtime.execute('flow', null, {});
  expect(await allOf(await runtime.follow(keyOf(executionId), 0))).toEqual(whole.slice(0, 6));
  expect(await allOf(await runtime.follow(keyOf(executionId), 4))).toEqual(whole.slice(4, 6));
  expect(await allOf(await runtime.follow(keyOf(executionId), 6))).toEqual([]);
});

it('delivers earlier results and continues to the end', async () => {
  const runtime = runtimeOn();
  const { executionId } = await runtime.execute('flow', null, {});
  await runtime.resume(keyOf(executionId), { resumeData: true });
  await runtime.wait(keyOf(executionId));
  expect(await allOf(await runtime.follow(keyOf(executionId), 0))).toEqual(whole);
});

it('follows an execution that another process runs', async () => {
  const storage = createInMemoryStorage();
  const [here, there] = [runtimeOn(storage), runtimeOn(storage)];
  const { executionId } = await there.execute('flow', null, {});
  await there.resume(keyOf(executionId), { resumeData: true });

  const all = allOf(await here.follow(keyOf(executionId), 0));

  expect(await all).toEqual(whole);
});

it('leaves no listener behind when its signal is aborted while it waits', async () => {
  const runtime = runtimeOn();
  const before = process.getActiveResourcesInfo().length;
  const executionId = await runtime.begin('flow', null, { startAfterMs: 60_000 });
  const leaving = new AbortController();
  const batches = (await runtime.follow(keyOf(executionId), 0, leaving.signal)).batches();
  expect(short((await batches.next()).value ?? [])).toEqual(whole.slice(0, 1));
  const pending = batches.next();
  leaving.abort();
  expect(await pending).toEqual({ done: true, value: undefined });

  expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
});

it('delivers every stored event to a consumer that fell behind', async () => {
  const long = createWorkflow({ id: 'flow' }).andForEach({
    id: 'each',
    items: () => Array.from({ length: 1_500 }, (_, index) => index),
    step: andThen({ id: 'item', execute: ({ data }) => data }),
  });
  const runtime = new WorkflowRuntime({
    workflows: [long],
    storage: createInMemoryStorage(),
    services: { ...defaultServices(), logger: silentLogger },
  });
  runtime.startByHand();
  const executionId = await runtime.begin('flow', null, {});
  const follower = await runtime.follow(keyOf(executionId), 0);
  const batches = follower.batches();
  await batches.next();
  await runtime.wait(keyOf(executionId));

  const seqs: (number | undefined)[] = [];
  for await (const { seq } of await runtime.follow(keyOf(executionId), 0)) seqs.push(seq);
  let behind = 0;
  for await (const batch of batches) behind = batch.at(-1)?.seq ?? behind;

  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  expect(seqs.length).toBe(2 * 1_500 + 5);
  expect(behind).toBe(seqs.length);
});

it('reads nothing for followers and waits of an execution that sleeps', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = createInMemoryStorage();
  const { calls, store } = countingStore(storage.executions);
  const runtime = runtimeOn({ ...storage, executions: store });
  const executionId = await runtime.begin('flow', null, { startAfterMs: 60_000 });
  const leaving = new AbortController();
  const followers = [];
  for (let count = 0; count < 5; count += 1) {
    const batches = (await runtime.follow(keyOf(executionId), 0, leaving.signal)).batches();
    await batches.next();
    followers.push(batches.next());
  }
  const waits = Array.from({ length: 5 }, () => runtime.wait(keyOf(executionId), { signal: leaving.signal }));
  await new Promise(setImmediate);

  calls.length = 0;
  await vi.advanceTimersByTimeAsync(10_000);

  expect(calls).toEqual([]);
  leaving.abort();
  expect(await Promise.all(followers)).toEqual(Array.from({ length: 5 }, () => ({ done: true, value: undefined })));
  expect((await Promise.all(waits)).map(({ status }) => status)).toEqual(Array(5).fill('running'));
});

it('delivers what another process wrote while this one still ran the execution', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = createInMemoryStorage();
  const other = runtimeOn(storage);
  const executionId = await other.begin('flow', null, { startAfterMs: 60_000 });
  let isLocal = true;
  const follower = new ExecutionFollower(
    { id: executionId, creationId: executionId },
    {
      store: storage.executions,
      bus: new ExecutionBus(),
      owner: 'anyone',
      after: 0,
      isLocal: () => isLocal,
      polls: new SharedInterval(1_000),
    },
  );
  const batches = follower.batches();
  expect(short((await batches.next()).value ?? [])).toEqual(whole.slice(0, 1));
  const next = batches.next();

  await other.cancel(keyOf(executionId), 'by another process');
  isLocal = false;
  await vi.advanceTimersByTimeAsync(1_000);

  expect(short((await next).value ?? [])).toEqual([
    [2, 'workflow-cancelled'],
    [3, 'workflow-result'],
  ]);
});

it('delivers an execution with large outputs in batches that fit into memory', async () => {
  const large = createWorkflow({ id: 'flow' }).andForEach({
    id: 'each',
    items: () => [1, 2, 3, 4, 5, 6],
    step: andThen({ id: 'item', execute: ({ data }) => String(data).repeat(600_000) }),
  });
  const runtime = new WorkflowRuntime({
    workflows: [large],
    storage: createInMemoryStorage(),
    services: { ...defaultServices(), logger: silentLogger },
  });
  runtime.startByHand();
  const { executionId } = await runtime.execute('flow', null, {});

  const sizes: number[] = [];
  const seqs: (number | undefined)[] = [];
  for await (const batch of (await runtime.follow(keyOf(executionId), 0)).batches()) {
    sizes.push(JSON.stringify(batch).length);
    seqs.push(...batch.map(({ seq }) => seq));
  }

  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  // All events together have 18 MB.
  expect(Math.max(...sizes)).toBeLessThan(5_000_000);
});
