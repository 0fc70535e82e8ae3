import type { DueExecution, Job } from '@halyard/contracts';
import { describe, expect, it, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { job, leaseMs, openTwoProcesses, settled } from '../../testing/two-processes.ts';
import type { ExecutorOptions } from './executor.ts';

type Queue = ExecutorOptions['queue'];

/** A queue that runs nothing. */
function recordingQueue(): Queue & { readonly jobs: readonly Job[] } {
  const jobs: Job[] = [];
  return {
    jobs,
    start: () => {},
    enqueue: (added) => void jobs.push(added),
    close: () => {},
    waitingCount: () => jobs.length,
  };
}

const due = (fields: Partial<DueExecution> = {}) => ({
  ...job,
  userId: null,
  priority: 0,
  claimsWithoutCommit: 0,
  dueAt: 0,
  ...fields,
});

describe('a job of the queue', () => {
  it('has the priority of its workflow and its subject, if there are any', async () => {
    const queue = recordingQueue();
    const workflow = createWorkflow({ id: 'order', priority: 7 }).andThen({ id: 'pay', execute: () => 'paid' });
    const { here } = await openTwoProcesses({ queue, workflow });
    here.enqueue(job);
    here.enqueue({ ...job, priority: 0 });
    here.enqueue({ ...job, priority: 2, subject: 'user:ada' });
    expect(queue.jobs).toStrictEqual([{ ...job, priority: 7 }, job, { ...job, priority: 2, subject: 'user:ada' }]);
  });

  it('is added for what is due and does not run here, with its user as subject', async () => {
    const queue = recordingQueue();
    const { body, here, store } = await openTwoProcesses({ queue });
    const running = here.run(job);
    await body.entered;
    const claim = vi.spyOn(store, 'claim');
    vi.spyOn(store, 'due').mockResolvedValue([due(), due({ executionId: 'other', userId: 'ada', priority: 3 })]);
    await here.sweep();
    await settled();
    expect(queue.jobs).toEqual([{ executionId: 'other', workflowId: 'order', priority: 3, subject: 'user:ada' }]);
    expect(claim).not.toHaveBeenCalled();
    body.open();
    await running;
  });

  it('is not added for what has run here since it was read', async () => {
    const queue = recordingQueue();
    const { body, here, store } = await openTwoProcesses({ queue });
    const answered = Promise.withResolvers<readonly ReturnType<typeof due>[]>();
    vi.spyOn(store, 'due').mockReturnValueOnce(answered.promise);
    const sweeping = here.sweep();
    body.open();
    await here.run(job);
    answered.resolve([due()]);
    await sweeping;
    expect(queue.jobs).toEqual([]);
  });

  it('is added by each sweep', async () => {
    const queue = recordingQueue();
    const { here } = await openTwoProcesses({ queue });
    await here.sweep();
    await here.sweep();
    expect(queue.jobs).toEqual([job, job]);
  });
});

describe('a job that a sweep added, whose execution was no longer due at the next one,', () => {
  /** A queue that has one job for each execution, and runs it when the test does. */
  async function openSwept(fields: Partial<Queue> = {}) {
    const runs: ((job: Job) => Promise<void>)[] = [];
    const queue: Queue = { ...recordingQueue(), start: (run) => void runs.push(run), ...fields };
    return { ...(await openTwoProcesses({ queue })), runJob: async () => runs[0]?.(job) };
  }

  async function sweptTwice(fields: Partial<Queue> = {}) {
    const opened = await openSwept(fields);
    const { body, here, store } = opened;
    body.open();
    vi.spyOn(store, 'due').mockResolvedValueOnce([due()]).mockResolvedValue([]);
    await here.sweep();
    await here.sweep();
    return opened;
  }

  it('is left to the process that has started the execution', async () => {
    const { here, lines, runJob, store } = await sweptTwice();
    const claim = vi.spyOn(store, 'claim');
    const told: unknown[] = [];
    here.waiters.add('run', (outcome) => told.push(outcome));
    await runJob();
    expect([told, lines]).toEqual([['elsewhere'], []]);
    expect(claim).not.toHaveBeenCalled();
  });

  it.each([
    [1_000, 0],
    [999, 1],
  ])('runs if that sweep had not read everything: %j others, of which it leaves out %j', async (others, running) => {
    const { body, here, runJob, store } = await openSwept();
    const isClaimed = Promise.withResolvers<undefined>();
    vi.spyOn(store, 'due')
      .mockResolvedValueOnce([due()])
      .mockResolvedValueOnce(Array.from({ length: others }, (_, index) => due({ executionId: `other-${index}` })));
    await here.sweep();
    if (running > 0) {
      vi.spyOn(store, 'claim').mockReturnValueOnce(isClaimed.promise);
      void here.run({ ...job, executionId: 'claimed' });
    }
    await here.sweep();
    isClaimed.resolve(undefined);
    body.open();
    await runJob();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('runs if the queue had lost it, and starts it at once when it is added again', async () => {
    const runs: ((job: Job) => Promise<void>)[] = [];
    let isLosing = true;
    const enqueue = (added: Job): void => {
      if (!isLosing) void runs[0]?.(added);
    };
    const { here, store } = await sweptTwice({ enqueue, start: (run) => void runs.push(run) });
    isLosing = false;
    here.enqueue(job);
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('runs if it was added again since then', async () => {
    const { here, runJob, store } = await sweptTwice();
    here.enqueue(job);
    await runJob();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });
});

describe('a signal', () => {
  it('that a run in this process has read needs no job', async () => {
    const queue = recordingQueue();
    const { body, here, store } = await openTwoProcesses({ queue });
    const running = here.run(job);
    await body.entered;
    const claim = vi.spyOn(store, 'claim');
    await here.signal(job);
    await here.signalNow(job);
    body.open();
    await running;
    expect(queue.jobs).toEqual([]);
    expect(claim).not.toHaveBeenCalled();
  });

  it('becomes a job if the execution does not run here', async () => {
    const queue = recordingQueue();
    const { body, here, store } = await openTwoProcesses({ queue });
    await here.signal(job);
    expect(queue.jobs).toEqual([job]);
    body.open();
    await here.signalNow(job);
    await settled();
    expect(queue.jobs).toEqual([job]);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('that arrives while the execution is claimed becomes a job, and is read by the run', async () => {
    const queue = recordingQueue();
    const body = new Gate();
    const workflow = createWorkflow({ id: 'order' }).andThen({
      id: 'pay',
      execute: (context) => body.passOrAbort(context),
    });
    const { here, lines, store } = await openTwoProcesses({ queue, workflow });
    const answered = new Gate();
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementationOnce(async (...given) => {
      const claimed = await claim(...given);
      await answered.pass({ signal: new AbortController().signal });
      return claimed;
    });
    const running = here.run(job);
    await answered.entered;
    await store.request('anyone', 'run', { kind: 'cancel', reason: 'too late?' });
    await here.signal(job);
    expect(queue.jobs).toEqual([job]);
    answered.open();
    await running;
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'cancelled' });
    expect(lines).toEqual([]);
  });
});

it('ends a step whose execution another process has asked to cancel', async () => {
  const body = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'pay',
    execute: (context) => body.passOrAbort(context),
  });
  const { here, store } = await openTwoProcesses({ workflow });
  const running = here.run(job);
  await body.entered;
  await store.request('anyone', 'run', { kind: 'cancel', reason: 'too late' });
  await running;
  expect(body.signals[0]?.aborted).toBe(true);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'cancelled' });
});

it('asks the storage at once for a signal that arrived while the execution was claimed, and does not watch it after its run', async () => {
  const { body, here, store } = await openTwoProcesses({ queue: recordingQueue() });
  const claimed = new Gate();
  const claim = store.claim.bind(store);
  vi.spyOn(store, 'claim').mockImplementationOnce(async (...given) => {
    const outcome = await claim(...given);
    await claimed.pass({ signal: new AbortController().signal });
    return outcome;
  });
  const isAnswered = Promise.withResolvers<void>();
  const commit = store.commit.bind(store);
  vi.spyOn(store, 'commit').mockImplementation(async (given) => {
    await isAnswered.promise;
    return commit(given);
  });
  const unwatch = vi.fn<() => void>();
  let report: Parameters<typeof store.watch>[1] = () => {};
  vi.spyOn(store, 'watch').mockImplementation((_, onChange) => {
    report = onChange;
    return unwatch;
  });
  const find = vi.spyOn(store, 'find');
  const running = here.run(job);
  await claimed.entered;
  report('signal');
  expect(find).not.toHaveBeenCalled();
  claimed.open();
  await settled();
  expect(find).toHaveBeenCalledOnce();
  report('commit');
  expect(find).toHaveBeenCalledOnce();

  expect(unwatch).not.toHaveBeenCalled();
  isAnswered.resolve();
  body.open();
  await running;
  expect(unwatch).toHaveBeenCalledOnce();
});

it('is not running an execution that it claims again', async () => {
  const hook = new Gate();
  const workflow = createWorkflow({
    id: 'order',
    hooks: { onSuspend: () => hook.pass({ signal: new AbortController().signal }) },
  }).andThen({ id: 'ask', execute: ({ suspend }) => suspend('approval') });
  const { here, store } = await openTwoProcesses({ workflow });
  const running = here.run(job);
  await hook.entered;
  await here.run(job);
  const isAnswered = Promise.withResolvers<undefined>();
  const claim = vi.spyOn(store, 'claim').mockReturnValue(isAnswered.promise);
  const renew = vi.spyOn(store, 'renew');
  hook.open();
  await vi.waitFor(() => expect(claim).toHaveBeenCalled(), { timeout: 120_000 });
  await here.renew();
  expect([here.isLocal('run'), here.isRunning('run'), renew.mock.calls[0]?.[0]]).toEqual([true, false, []]);
  isAnswered.resolve(undefined);
  await running;
});

it.each([
  ['completes', { status: 'completed', result: 'paid' }, (): string => 'paid'],
  [
    'fails',
    {
      status: 'error',
      error: expect.objectContaining({ code: 'STEP_FAILED', stepId: 'pay' }) as object,
    },
    (): string => {
      throw new TypeError('no money');
    },
  ],
])('tells who waits for an execution how it ends: it %s', async (_, result, execute) => {
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute });
  const { here } = await openTwoProcesses({ workflow });
  const told: unknown[] = [];
  here.waiters.add('run', (outcome) => told.push(outcome));
  await here.run(job);
  expect(told).toEqual([expect.objectContaining(result)]);
});

it('asks the storage for signals only if one arrived while the execution was claimed', async () => {
  const { body, here, store } = await openTwoProcesses();
  const find = vi.spyOn(store, 'find');
  body.open();
  await here.run(job);
  expect(find).not.toHaveBeenCalled();
});

describe('the end of an execution with limited concurrency', () => {
  async function openLimited() {
    const body = new Gate();
    const workflow = createWorkflow({ id: 'order', concurrency: { limit: 1 } }).andThen({
      id: 'pay',
      execute: (context) => body.pass(context),
    });
    const opened = await openTwoProcesses({ workflow, concurrency: { key: 'order', limit: 1 } });
    const admit = vi.spyOn(opened.store, 'admit');
    const running = opened.here.run(job);
    await body.entered;
    return { ...opened, admit, body, running };
  }

  it('admits the next one', async () => {
    const { admit, body, running } = await openLimited();
    body.open();
    await running;
    expect(admit.mock.calls).toEqual([[['order']]]);
  });

  it('admits none in a process that has lost it', async () => {
    const { admit, body, clock, here, running, store } = await openLimited();
    vi.spyOn(store, 'watch').mockReturnValue(() => {});
    clock.advance(leaseMs);
    await store.claim('run', { runner: 'there', leaseMs });
    await here.renew();
    body.open();
    await running;
    expect(admit).not.toHaveBeenCalled();
  });

  it('admits none in a process that shuts down, which could not start it', async () => {
    const { admit, body, here, running } = await openLimited();
    const draining = here.drain(60_000);
    body.open();
    await Promise.all([draining, running]);
    expect(admit).not.toHaveBeenCalled();
  });
});

describe('an execution is left to others, without an error,', () => {
  it('if another process has it', async () => {
    const { body, here, lines, there } = await openTwoProcesses();
    const running = there.run(job);
    await body.entered;
    const told: unknown[] = [];
    here.waiters.add('run', (outcome) => told.push(outcome));
    await here.run(job);
    expect([told, lines]).toEqual([['elsewhere'], []]);
    body.open();
    await running;
  });

  it('if it was started with steps that this process does not have', async () => {
    const { here, lines, store } = await openTwoProcesses({ definition: 'order@of-another-version' });
    await here.run(job);
    expect(await store.find('anyone', 'run')).toMatchObject({ epoch: 0 });
    expect(lines).toEqual([]);
  });

  it('if it sleeps', async () => {
    const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'rest', durationMs: leaseMs });
    const { here } = await openTwoProcesses({ workflow });
    const told: unknown[] = [];
    here.waiters.add('run', (outcome) => told.push(outcome));
    await here.run(job);
    expect(told).toEqual(['elsewhere']);
  });
});

it('tries again at the next sweep to quarantine an execution, if the storage failed', async () => {
  const { body, here, lines, store } = await openTwoProcesses();
  vi.spyOn(store, 'due').mockResolvedValue([due({ claimsWithoutCommit: 8 })]);
  const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new TypeError('no connection'));
  await here.sweep();
  await settled();
  expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('could not be quarantined') as string }]);
  await here.sweep();
  await settled();
  expect(find).toHaveBeenCalledTimes(2);
  body.open();
});
