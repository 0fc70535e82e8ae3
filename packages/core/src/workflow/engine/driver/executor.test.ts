import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type {
  ClaimedExecution,
  Clock,
  Commit,
  CommitOutcome,
  Execution,
  ExecutionEvent,
  ExecutionStore,
  ClaimOptions,
  Lease,
  Owner,
} from '@halyard/contracts';
import { createInMemoryStorage, InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createApprovals } from '../../../agent/approvals/approvals.ts';
import { fixedClock, sequentialIds, silentLogger } from '../../../testing/index.ts';
import { createWorkflow } from '../../create-workflow.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { ExecutionBus } from '../../follow/execution-bus.ts';
import { IdleWait } from '../../follow/wait-until-idle.ts';
import { andSleep } from '../../steps/and-sleep.ts';
import { andThen } from '../../steps/and-then.ts';
import { Gate } from '../../testing/gate.ts';
import { Executor } from './executor.ts';

const job = { executionId: 'run', workflowId: 'order' };
const leaseMs = 9_000;

it('claims an execution once when another job arrives while the store takes longer than a lease', async () => {
  const clock = fixedClock();
  const store = new SlowClaims(clock);
  let bodies = 0;
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => (bodies += 1) });
  const executor = await executorOf(workflow, store, clock);

  const first = executor.run(job);
  await settled();
  clock.advance(leaseMs);
  await executor.run(job);
  store.gate.open();
  await first;
  await settled();

  expect(bodies).toBe(1);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 1 });
});

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('runs no step again when the time of the computer jumps %s', async (_, jumpMs) => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const gate = new Gate();
  let bodies = 0;
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'pay',
    execute: (context) => {
      bodies += 1;
      return gate.pass(context);
    },
  });
  const [here, there] = [await executorOf(workflow, store, clock), await executorOf(workflow, store, clock)];
  const running = here.run(job);
  await settled();
  clock.jump(jumpMs);
  await there.sweep();
  await here.renew();
  await here.sweep();
  await settled();
  // The lease itself has not become longer.
  clock.advance(leaseMs - 1);
  await there.sweep();
  await settled();
  expect(bodies).toBe(1);

  gate.open();
  await running;
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 1 });
});

it('takes an execution over one lease after its process died, although the time of the computer jumped back', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => 'paid' });
  const executor = await executorOf(workflow, store, clock);
  await store.claim('run', { runner: 'dead', leaseMs });
  clock.jump(-3_600_000);
  clock.advance(leaseMs - 1);
  await executor.sweep();
  await settled();
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running', runner: 'dead' });

  clock.advance(1);
  await executor.sweep();
  await settled();
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
});

it('wakes a sleeping execution at its time of day, also when the time of the computer jumps there', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'rest', durationMs: 3_600_000 });
  const executor = await executorOf(workflow, store, clock);
  await executor.run(job);
  clock.jump(3_599_999);
  await executor.sweep();
  await settled();
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running', runner: null });

  clock.jump(1);
  await executor.sweep();
  await settled();
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
});

it('releases an execution that it claims while it is being stopped', async () => {
  const clock = fixedClock();
  const store = new SlowClaims(clock);
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => 'paid' });
  const [here, there] = [await executorOf(workflow, store, clock), await executorOf(workflow, store, clock)];
  const running = here.run(job);
  await settled();
  const stopping = here.close(60_000);
  store.gate.open();
  await Promise.all([running, stopping]);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running', runner: null });

  await there.sweep();
  await settled();

  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', output: 'paid' });
});

it('runs an execution again that is answered while the hooks of its suspension still run', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const hook = new Gate();
  const workflow = createWorkflow({
    id: 'order',
    hooks: { onSuspend: () => hook.pass({ signal: new AbortController().signal }) },
  }).andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('approval') });
  const executor = await executorOf(workflow, store, clock);
  const running = executor.run(job);
  await hook.entered;

  await answer(store, 'approve');
  await executor.signal(job);
  hook.open();
  await running;
  await settled();

  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', output: { by: 'approve' } });
});

it('notifies waiters here when an execution that slept continues in another process', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'wait', durationMs: 1_000 });
  const [here, there] = [await executorOf(workflow, store, clock), await executorOf(workflow, store, clock)];
  await here.run(job);
  const workflows = new Map([[workflow.id, workflow]]);
  const wait = new IdleWait({
    store,
    driver: here,
    waiters: here.waiters,
    owner: 'anyone',
    executionId: 'run',
    workflows,
  });
  const result = wait.result({});
  await settled();

  clock.advance(1_000);
  await there.sweep();

  expect(await result).toMatchObject({ status: 'completed' });
  wait.stop();
});

it('keeps waiting for a sleeping execution that wakes in another process, when the wait began while it ran here', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'pay', execute: (context) => gate.pass(context) })
    .andSleep({ id: 'wait', durationMs: 1_000 });
  const [here, there] = [await executorOf(workflow, store, clock), await executorOf(workflow, store, clock)];
  const running = here.run(job);
  await gate.entered;
  const workflows = new Map([[workflow.id, workflow]]);
  const wait = new IdleWait({
    store,
    driver: here,
    waiters: here.waiters,
    owner: 'anyone',
    executionId: 'run',
    workflows,
  });
  const result = wait.result({});
  await settled();
  gate.open();
  await running;

  clock.advance(1_000);
  await there.sweep();

  expect(await result).toMatchObject({ status: 'completed' });
  wait.stop();
});

it('ends a wait on its signal, even if the execution continues elsewhere at the same moment', async () => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'wait', durationMs: 1_000 });
  const executor = await executorOf(workflow, store, clock);
  await executor.run(job);
  const workflows = new Map([[workflow.id, workflow]]);
  const wait = new IdleWait({
    store,
    driver: executor,
    waiters: executor.waiters,
    owner: 'anyone',
    executionId: 'run',
    workflows,
  });
  const over = new AbortController();
  const result = wait.result({ signal: over.signal });
  await settled();

  over.abort();
  executor.waiters.notify('run', 'elsewhere');

  expect(await result).toMatchObject({ status: 'running' });
  wait.stop();
});

it('reads an answer at the next sweep when the store failed to return it, while other steps still run', async () => {
  const clock = fixedClock();
  const store = new FailingFinds(clock);
  const gate = new Gate();
  const approved = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andAll({
    id: 'both',
    steps: [
      andThen({ id: 'pack', execute: (context) => gate.pass(context) }),
      andThen({
        id: 'approve',
        execute: async (context) => {
          if (context.resumeData === undefined) context.suspend('approval');
          await approved.pass(context);
        },
      }),
    ],
  });
  const executor = await executorOf(workflow, store, clock);
  const running = executor.run(job);
  await gate.entered;
  await settled();
  store.isDown = true;
  await answer(store, 'both/approve');
  await executor.signal(job);
  await settled();
  expect(approved.signals).toHaveLength(0);

  store.isDown = false;
  await executor.sweep();
  await approved.entered;

  gate.open();
  approved.open();
  await running;
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
});

it('continues after an answer that arrives while a suspension from outside is being written', async () => {
  const clock = fixedClock();
  const store = new AnswersBeforeRelease(clock);
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andAll({
    id: 'both',
    steps: [
      andThen({ id: 'pack', execute: (context) => gate.pass(context) }),
      andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('approval') }),
    ],
  });
  const executor = await executorOf(workflow, store, clock);
  const running = executor.run(job);
  await gate.entered;
  await settled();
  await store.request('anyone', 'run', { kind: 'suspend', reason: 'lunch' });
  await executor.signal(job);
  gate.open();
  await running;

  await executor.sweep();
  await settled();

  expect(await store.find('anyone', 'run')).toMatchObject({
    status: 'completed',
    output: [null, { by: 'both/approve' }],
  });
});

it.each(['rejects', 'throws'] as const)(
  'sends a commit again where the store %s, and runs each step once',
  async (failing) => {
    const clock = fixedClock();
    const store = new FailingCommits(clock, failing);
    const bodies: string[] = [];
    const workflow = createWorkflow({ id: 'order' })
      .andThen({ id: 'pay', execute: () => bodies.push('pay') })
      .andThen({ id: 'send', execute: () => bodies.push('send') });
    const executor = await executorOf(workflow, store, clock);

    await executor.run(job);

    expect(bodies).toEqual(['pay', 'send']);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', output: 2, epoch: 1 });
    const events = await store.events('anyone', 'run', { after: 0, limit: 100 });
    expect(events.filter(({ event }) => event.type === 'step-complete')).toHaveLength(2);
  },
);

it('notices a cancellation that arrives while it reads a claimed execution', async () => {
  const clock = fixedClock();
  const store = new CancelledWhileRead(clock);
  const body = new Gate();
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('approval') })
    .andThen({ id: 'pay', execute: (context) => body.pass(context) });
  const executor = await executorOf(workflow, store, clock);
  await executor.run(job);
  await answer(store, 'approve');

  await executor.run(job);

  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'cancelled' });
});

it.each([
  ['the storage does not answer', () => new Promise<never>(() => {})],
  ['the storage fails', () => Promise.reject(new Error('no connection'))],
])('stops a run, and aborts its signal, when its lease ends by the clock of the process: %s', async (_name, renew) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const body = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: (context) => body.pass(context) });
  const executor = await executorOf(workflow, Object.assign(store, { renew }), clock);
  const running = executor.run(job);
  await body.entered;
  void executor.renew();

  vi.advanceTimersByTime(leaseMs);
  await running;

  expect(body.signals[0]?.aborted).toBe(true);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running', runner: expect.any(String) as string });
});

it('has no timer for its lease when everything has ended before a renewal is answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const answered = Promise.withResolvers<readonly string[]>();
  const body = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: (context) => body.pass(context) });
  const executor = await executorOf(workflow, Object.assign(store, { renew: () => answered.promise }), clock);
  const running = executor.run(job);
  await body.entered;
  const renewing = executor.renew();
  body.open();
  await running;

  answered.resolve([]);
  await renewing;

  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  ['behind', -60_000],
  ['ahead', 60_000],
])('sleeps by the clock of the storage when that of the process is %s', async (_name, differenceMs) => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const work = new Gate();
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'work', execute: (context) => work.pass(context) })
    .andSleep({ id: 'nap', durationMs: 30_000 });
  const executor = await executorOf(workflow, store, { now: () => clock.now() + differenceMs });
  const sleeps: number[] = [];
  executor.onSleep = (dueInMs) => sleeps.push(dueInMs);
  const running = executor.run(job);
  await work.entered;
  clock.advance(20_000);
  work.open();
  await running;

  expect(await store.find('anyone', 'run')).toMatchObject({ timers: [{ path: 'nap', wakeAt: clock.now() + 30_000 }] });
  expect(sleeps).toEqual([30_000, 30_000]);
});

it.each([
  ['behind', -60_000],
  ['ahead', 60_000],
])('wakes a branch beside a running one on time when the clock of the process is %s', async (_name, differenceMs) => {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const work = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andAll({
    id: 'all',
    steps: [
      andSleep({ id: 'nap', durationMs: 30_000 }),
      andThen({ id: 'work', execute: (context) => work.pass(context) }),
    ],
  });
  const executor = await executorOf(workflow, store, { now: () => clock.now() + differenceMs });
  const running = executor.run(job);
  await work.entered;
  await settled();
  for (let passedMs = 0; passedMs < 24_000; passedMs += 6_000) {
    clock.advance(6_000);
    await executor.renew();
  }

  clock.advance(5_999);
  await executor.sweep();
  await settled();
  expect(await store.journal('anyone', 'run')).toEqual([]);
  clock.advance(1);
  await executor.sweep();
  await settled();
  expect(await store.journal('anyone', 'run')).toMatchObject([{ path: 'all/nap' }]);

  work.open();
  await running;
});

/** Executes its first claim at once, and returns it when the gate opens. */
class SlowClaims extends InMemoryExecutionStore {
  readonly gate: Gate = new Gate();

  override async claim(id: string, lease: Lease, options?: ClaimOptions): Promise<ClaimedExecution | undefined> {
    const claimed = await super.claim(id, lease, options);
    if (claimed?.execution.epoch === 1) await this.gate.pass({ signal: new AbortController().signal });
    return claimed;
  }
}

/** Receives a cancellation while the events of a claimed execution are read. */
class CancelledWhileRead extends InMemoryExecutionStore {
  override async events(
    ...[owner, id, range]: Parameters<ExecutionStore['events']>
  ): Promise<readonly ExecutionEvent[]> {
    const events = await super.events(owner, id, range);
    await super.request('anyone', id, { kind: 'cancel', reason: 'too late?' });
    return events;
  }
}

/** Receives an answer just before the first release of the execution. */
class AnswersBeforeRelease extends InMemoryExecutionStore {
  #isAnswered = false;

  override async commit(commit: Commit): Promise<CommitOutcome> {
    if (commit.release !== undefined && !this.#isAnswered) {
      this.#isAnswered = true;
      await answer(this, 'both/approve');
    }
    return super.commit(commit);
  }
}

/** Fails each commit once: with a rejection, or with a synchronous error. */
class FailingCommits extends InMemoryExecutionStore {
  readonly #failing: 'rejects' | 'throws';
  readonly #failed = new Set<string>();

  constructor(clock: Clock, failing: 'rejects' | 'throws') {
    super(clock);
    this.#failing = failing;
  }

  override commit(commit: Commit): Promise<CommitOutcome> {
    if (this.#failed.has(commit.commitId)) return super.commit(commit);
    this.#failed.add(commit.commitId);
    const failure = new TypeError('the storage is down');
    if (this.#failing === 'throws') throw failure;
    return Promise.reject(failure);
  }
}

class FailingFinds extends InMemoryExecutionStore {
  isDown = false;

  override async find(owner: Owner, id: string): Promise<Execution | undefined> {
    if (this.isDown) throw new TypeError('the storage is down');
    return super.find(owner, id);
  }
}

/** The parts of a process that runs executions, and one execution that is due. */
async function executorOf(workflow: WorkflowDefinition, store: ExecutionStore, clock: Clock): Promise<Executor> {
  const ids = sequentialIds();
  const { approvals } = createInMemoryStorage({ clock });
  const executor = new Executor({
    store,
    bus: new ExecutionBus(),
    services: {
      clock,
      ids,
      logger: silentLogger,
      approvals: createApprovals({ secrets: ['a secret that is long enough for tests'], store: approvals, clock, ids }),
      downloadFile: () => Promise.reject(new TypeError('nothing is downloaded here')),
    },
    workflows: new Map([[workflow.id, workflow]]),
    leaseMs,
    start: () => Promise.reject(new TypeError('nothing is started here')),
  });
  executor.start();
  const fields = { id: 'run', workflowId: 'order', workflowName: 'order', input: null, context: {}, metadata: {} };
  await store.create({ ...fields, workflowState: {}, events: [] }, { requestId: 'run' });
  return executor;
}

async function answer(store: ExecutionStore, path: string): Promise<void> {
  const suspensionId = '1.1-run';
  const data = { by: path };
  await store.resume('anyone', { executionId: 'run', suspensionId, data, requestId: 'answer' });
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1) await yieldToEventLoop();
}
