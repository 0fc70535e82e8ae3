import { createInMemoryStorage, InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { defaultServices, systemClock } from '../../agent/default-services.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { silentLogger } from '../../testing/index.ts';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { andThen } from '../steps/and-then.ts';
import { Gate } from '../testing/gate.ts';
import { ExecutionBus, type LiveEvent } from './execution-bus.ts';
import { ExecutionFollower, type FollowedEvent } from './follow-execution.ts';

const maxBytes = 1024 * 1024;
const owner = 'anyone' as const;

/** Reads of events wait at the gate. */
class SlowStore extends InMemoryExecutionStore {
  gate: Gate | undefined;

  override async events(...given: Parameters<InMemoryExecutionStore['events']>) {
    await this.gate?.pass(new AbortController());
    return super.events(...given);
  }
}

/** A workflow with one step for each output. */
function runtimeWith(outputs: readonly string[]) {
  const executions = new SlowStore(systemClock);
  const flow = createWorkflow({ id: 'flow' }).andForEach({
    id: 'each',
    items: () => outputs,
    step: andThen({ id: 'item', execute: ({ data }) => data }),
  });
  const runtime = new WorkflowRuntime({
    workflows: [flow],
    storage: { ...createInMemoryStorage(), executions },
    services: { ...defaultServices(), logger: silentLogger },
  });
  runtime.startByHand();
  return { executions, runtime };
}

/** Follows an execution whose events a test publishes. */
function followerOf(executionId: string, store: InMemoryExecutionStore, after: number) {
  const bus = new ExecutionBus();
  const polls = new SharedInterval(1_000);
  const follower = new ExecutionFollower(
    { id: executionId, creationId: executionId },
    { store, bus, owner, after, isLocal: () => true, polls },
  );
  return { bus, batches: follower.batches() };
}

const live = (delta: string): LiveEvent => ({
  type: 'agent-event',
  from: 'ask',
  timestamp: '2026-01-01T00:00:00.000Z',
  event: { type: 'text-delta', id: 't', delta },
});

const bytesOf = (batch: readonly FollowedEvent[]): number => Buffer.byteLength(JSON.stringify(batch));

it('keeps at most a megabyte for a consumer that does not read, and delivers every stored event later', async () => {
  const { runtime } = runtimeWith(Array.from({ length: 40 }, (_, index) => String(index).repeat(50_000)));
  const executionId = await runtime.begin('flow', null, {});
  const batches = (await runtime.follow({ owner, workflowId: 'flow', executionId }, 0)).batches();
  const first = await batches.next();
  await runtime.wait({ owner, executionId });

  const sizes: number[] = [];
  const seqs = (first.value ?? []).map(({ seq }) => seq);
  for await (const batch of batches) {
    // The last events have all outputs: each is a batch of its own.
    if (batch.length > 1) sizes.push(bytesOf(batch));
    seqs.push(...batch.map(({ seq }) => seq));
  }

  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
  expect(Math.max(...sizes)).toBeLessThan(1.1 * maxBytes);
});

it('keeps at most a megabyte of live events for a consumer that does not read', async () => {
  const { executions, runtime } = runtimeWith(['out']);
  const executionId = await runtime.begin('flow', null, { startAfterMs: 60_000 });
  const { batches, bus } = followerOf(executionId, executions, 0);
  await batches.next();
  const waiting = batches.next();
  await new Promise(setImmediate);
  bus.live(executionId, live('first'));
  await waiting;

  for (let count = 0; count < 105; count += 1) bus.live(executionId, live('x'.repeat(100_000)));

  expect(bytesOf((await batches.next()).value ?? [])).toBeLessThan(maxBytes);
  await batches.return();
});

it('keeps at most a megabyte of live events while it reads earlier ones', async () => {
  const { executions, runtime } = runtimeWith(['out']);
  const executionId = await runtime.begin('flow', null, { startAfterMs: 60_000 });
  const { batches, bus } = followerOf(executionId, executions, 0);

  for (let count = 0; count < 100; count += 1) bus.live(executionId, live('x'.repeat(100_000)));

  const first = (await batches.next()).value ?? [];
  const second = (await batches.next()).value ?? [];
  const types = [...first, ...second].map(({ event }) => event.type);
  expect(types).toEqual(['workflow-start', ...Array<string>(10).fill('agent-event')]);
  await batches.return();
});

it('delivers each stored event once when live events fill its buffer while it reads', async () => {
  const { executions, runtime } = runtimeWith(['out']);
  const { executionId } = await runtime.execute('flow', null, {});
  const stored = await executions.events(owner, executionId, { after: 0, limit: 100 });
  executions.gate = new Gate();
  const { batches, bus } = followerOf(executionId, executions, 1);
  const first = batches.next();
  await executions.gate.entered;

  for (const seq of [2, 3]) {
    for (let count = 0; count < 900; count += 1) bus.live(executionId, live('x'));
    const events = stored.filter((one) => one.seq === seq).map(({ event }) => event);
    bus.committed({ id: executionId, creationId: executionId }, [{ id: executionId, events }], () => seq);
  }
  executions.gate.open();

  const delivered = [...((await first).value ?? [])];
  for await (const batch of batches) delivered.push(...batch);
  expect(delivered.flatMap(({ seq }) => seq ?? [])).toEqual(stored.slice(1).map(({ seq }) => seq));
});
