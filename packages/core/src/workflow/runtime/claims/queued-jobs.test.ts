import { setImmediate as turn } from 'node:timers/promises';
import type { ClaimOptions, ClaimedExecution, Clock, Lease, OverdueExecution } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { fixedClock, silentLogger } from '../../../testing/index.ts';
import { createWorkflow } from '../../create-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import type { AnyWorkflow } from '../../workflow.ts';
import { WorkflowRuntime } from '../workflow-runtime.ts';
import type { ExecutionQueueOptions } from './execution-queue.ts';
import { QueuedJobs } from './queued-jobs.ts';

const leaseMs = 8_000;

it('claims nothing that another process has started since a sweep', async () => {
  const clock = fixedClock();
  const store = new CountedClaims(clock);
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: (context) => gate.pass(context) });
  const runtimeOf = (queue: ExecutionQueueOptions): WorkflowRuntime => started(workflow, store, { clock, queue });
  const [here, there] = [runtimeOf({ concurrency: 1 }), runtimeOf({})];
  for (const id of ['a', 'b', 'c']) await create(store, id);
  await here.sweep();
  await settled();
  expect(store.claims).toBe(1);
  await there.sweep();
  await settled();
  expect(store.claims).toBe(3);
  await here.sweep();
  gate.open();
  await settled();
  const found = await Promise.all(['a', 'b', 'c'].map((id) => store.find('anyone', id)));
  expect(found.map((execution) => execution?.status)).toEqual(['completed', 'completed', 'completed']);
  expect(store.claims).toBe(3);
});

it('claims nothing of its own that another process has started', async () => {
  const clock = fixedClock();
  const store = new CountedClaims(clock);
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: (context) => gate.pass(context) });
  const runtimeOf = (queue: ExecutionQueueOptions): WorkflowRuntime => started(workflow, store, { clock, queue });
  const [here, there] = [runtimeOf({ concurrency: 1 }), runtimeOf({})];
  for (const executionId of ['a', 'b', 'c']) await here.begin('order', null, { executionId });
  await there.sweep();
  await settled();
  expect(store.claims).toBe(3);
  await here.sweep();
  gate.open();
  await settled();
  const found = await Promise.all(['a', 'b', 'c'].map((id) => store.find('anyone', id)));
  expect(found.map((execution) => execution?.status)).toEqual(['completed', 'completed', 'completed']);
  expect(store.claims).toBe(3);
});

it('starts what another process has started and left, and what was resumed since then', async () => {
  const clock = fixedClock();
  const store = new CountedClaims(clock);
  const [gate, hung] = [new Gate(), new Gate()];
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'pay',
    execute: async (context) => {
      if (context.state.executionId === 'asks') return context.resumeData ?? context.suspend('How much?');
      // The process that starts it first stops answering.
      if (context.state.executionId === 'left' && hung.signals.length === 0) return hung.pass(context);
      return gate.pass(context);
    },
  });
  const runtimeOf = (queue: ExecutionQueueOptions): WorkflowRuntime => started(workflow, store, { clock, queue });
  const [here, there] = [runtimeOf({ concurrency: 1 }), runtimeOf({})];
  for (const id of ['first', 'asks', 'left']) await create(store, id);
  await here.sweep();
  await there.sweep();
  await settled();
  await here.sweep();
  expect((await store.find('anyone', 'asks'))?.status).toBe('suspended');
  expect((await store.find('anyone', 'left'))?.epoch).toBe(1);
  await here.resume({ owner: 'anyone', workflowId: 'order', executionId: 'asks' }, { resumeData: 7 });
  clock.advance(leaseMs + 1);
  await here.sweep();
  gate.open();
  await settled();
  hung.open();
  await settled();
  const found = await Promise.all(['first', 'asks', 'left'].map((id) => store.find('anyone', id)));
  expect(found.map((execution) => execution?.status)).toEqual(['completed', 'completed', 'completed']);
  expect(found.map((execution) => execution?.epoch)).toEqual([1, 2, 2]);
});

it('delivers events that stopped publishers have left, and runs in the same sweep what is due then', async () => {
  const clock = fixedClock();
  const store = new CountedClaims(clock);
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => 'paid' });
  const runtime = started(workflow, store, { clock });
  vi.spyOn(store, 'deliverPending').mockImplementation(async () => {
    await create(store, 'a');
    return [{ executionId: 'a', workflowId: 'order' }];
  });
  await runtime.sweep();
  await settled();
  expect(store.claims).toBe(1);
});

it('starts a job that a later sweep finds due again', () => {
  const jobs = new QueuedJobs();
  jobs.add(job('run', 1));
  jobs.keepDue([], { isComplete: true, read: jobs.beginRead() });
  jobs.keepDue([due('run', 1)], { isComplete: true, read: jobs.beginRead() });
  expect(jobs.take('run')).toBe(false);
});

it('leaves a job to another process only when it was added before the read', () => {
  const jobs = new QueuedJobs();
  jobs.add(job('before', 1));
  const read = jobs.beginRead();
  jobs.add(job('during', 2));
  jobs.keepDue([], { isComplete: true, read });
  expect(['before', 'during'].map((id) => jobs.take(id))).toEqual([true, false]);
});

it('runs jobs that are not in the list because users take turns when more are due', () => {
  const jobs = new QueuedJobs();
  for (const [at, id] of ['first', 'other', 'second', 'third'].entries()) jobs.add(job(id, at));
  const list = [due('first', 0), due('second', 2), { ...due('of another user', 9), userId: 'ben' }];
  jobs.keepDue(list, { isComplete: false, read: jobs.beginRead() });
  expect(['first', 'other', 'second', 'third'].map((id) => jobs.take(id))).toEqual([false, true, false, false]);
});

it('leaves only jobs to others that come before the last one that was read, when more are due', () => {
  const jobs = new QueuedJobs();
  for (const [at, id] of ['other', 'own', 'unknown'].entries()) jobs.add(job(id, at));
  jobs.keepDue([due('own', 1)], { isComplete: false, read: jobs.beginRead() });
  jobs.keepDue([], { isComplete: false, read: jobs.beginRead() });
  expect(['other', 'own', 'unknown'].map((id) => jobs.take(id))).toEqual([true, false, false]);
  jobs.add({ ...job('lower', 0), priority: -1 });
  jobs.keepDue([due('own', 1)], { isComplete: false, read: jobs.beginRead() });
  expect(jobs.take('lower')).toBe(false);
});

it('leaves a job to another process that was added when the last one that was read became due', () => {
  const jobs = new QueuedJobs();
  jobs.add(job('other', 1));
  jobs.keepDue([due('own', 1)], { isComplete: false, read: jobs.beginRead() });
  expect(jobs.take('other')).toBe(true);
});

function job(executionId: string, addedAt: number): { executionId: string; priority: number; addedAt: number } {
  return { executionId, priority: 0, addedAt };
}

function due(executionId: string, dueAt: number): OverdueExecution {
  return { executionId, dueAt, workflowId: 'order', priority: 0, claimsWithoutCommit: 0, userId: null };
}

function started(
  workflow: AnyWorkflow,
  executions: InMemoryExecutionStore,
  { clock, queue = {} }: { readonly clock: Clock; readonly queue?: ExecutionQueueOptions },
): WorkflowRuntime {
  const services = { clock, logger: silentLogger };
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage: { executions }, queue, services, leaseMs });
  runtime.startByHand();
  return runtime;
}

async function create(store: InMemoryExecutionStore, id: string): Promise<void> {
  const fields = { workflowId: 'order', workflowName: 'Order', input: null, context: {}, workflowState: {} };
  const events = [{ type: 'workflow-start', from: 'order', timestamp: '' }];
  await store.create({ id, ...fields, metadata: {}, events }, { requestId: id });
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

class CountedClaims extends InMemoryExecutionStore {
  claims = 0;

  override claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    this.claims += 1;
    return super.claim(id, lease, options);
  }
}
