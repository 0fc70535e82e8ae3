import { describe, expect, it, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { job, leaseMs, openTwoProcesses, settled } from '../../testing/two-processes.ts';

const fields = { workflowId: 'order', workflowName: 'order', input: null, context: {}, metadata: {} };

/** Creates executions beside the one with the id `run`. */
async function createMore(store: Awaited<ReturnType<typeof openTwoProcesses>>['store'], ...ids: readonly string[]) {
  for (const id of ids) await store.create({ id, ...fields, workflowState: {}, events: [] }, { requestId: id });
}

describe('a new execution', () => {
  it('is claimed with its creation while slots are free, however many are created at a time', async () => {
    const { body, here, store } = await openTwoProcesses({ slots: 1 });
    const claim = vi.spyOn(store, 'claim');
    const ids = ['first', 'second'];
    const outcomes = await Promise.all(
      ids.map((id) => here.create({ id, ...fields, workflowState: {}, events: [] }, { requestId: id })),
    );
    expect(outcomes).toEqual(['created', 'created']);
    await body.entered;
    expect(await store.find('anyone', 'first')).toMatchObject({ runner: 'here', epoch: 1 });
    expect(await store.find('anyone', 'second')).toMatchObject({ runner: null, epoch: 0 });
    body.open();
    for (let turn = 0; turn < 4; turn += 1) await settled();
    for (const id of ids) expect(await store.find('anyone', id)).toMatchObject({ status: 'completed', epoch: 1 });
    expect(claim).not.toHaveBeenCalled();
  });

  it('frees its slot when it was not created', async () => {
    const { here, store } = await openTwoProcesses({ slots: 1 });
    vi.spyOn(store, 'create').mockRejectedValueOnce(new RangeError('the storage is down'));
    const creation = here.create({ id: 'first', ...fields, workflowState: {}, events: [] }, { requestId: 'first' });
    await expect(creation).rejects.toThrow('the storage is down');
    await settled();
    expect([here.isLocal('first'), here.activeCount]).toEqual([false, 0]);
    const create = vi.spyOn(store, 'create');
    await here.create({ id: 'second', ...fields, workflowState: {}, events: [] }, { requestId: 'second' });
    expect(create.mock.lastCall?.[1]).toMatchObject({ claim: { runner: 'here' } });
  });
});

describe('an execution that is due', () => {
  it('is claimed by its id, at once, if a slot is free', async () => {
    const { body, here, store } = await openTwoProcesses({ slots: 1 });
    const claimNext = vi.spyOn(store, 'claimNext');
    here.wake(job);
    await body.entered;
    expect(await store.find('anyone', 'run')).toMatchObject({ runner: 'here' });
    expect(claimNext).not.toHaveBeenCalled();
    body.open();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
    expect(claimNext).not.toHaveBeenCalled();
  });

  it('waits in the store if no slot is free, and runs when one is, or in another process', async () => {
    const { body, here, store, there } = await openTwoProcesses({ slots: 1 });
    await createMore(store, 'second', 'third');
    here.wake(job);
    await body.entered;
    const claim = vi.spyOn(store, 'claim');
    const announced = vi.fn<() => void>();
    store.watchDue(announced);
    here.wake({ ...job, executionId: 'second' });
    here.wake({ ...job, executionId: 'third' });
    await settled();
    expect([here.isLocal('second'), here.isLocal('third'), claim.mock.calls]).toEqual([false, false, []]);
    expect(announced).toHaveBeenCalledTimes(2);
    await there.sweep();
    expect(await store.find('anyone', 'second')).toMatchObject({ runner: 'there' });
    body.open();
    await settled();
    await settled();
    for (const id of ['run', 'second', 'third'])
      expect(await store.find('anyone', id)).toMatchObject({ status: 'completed', epoch: 1 });
  });

  it('runs once if the store hands it out while it is being claimed by its id', async () => {
    const { body, here, store } = await openTwoProcesses();
    const answered = Promise.withResolvers<undefined>();
    vi.spyOn(store, 'claim').mockReturnValueOnce(answered.promise);
    const running = here.run(job);
    await here.sweep();
    answered.resolve(undefined);
    await body.entered;
    body.open();
    await running;
    expect(body.signals).toHaveLength(1);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 1 });
  });

  it('runs again here when this process has lost it without noticing, and its first run stops', async () => {
    const { body, clock, here, lines, store } = await openTwoProcesses();
    vi.spyOn(store, 'watch').mockReturnValue(() => {});
    const running = here.run(job);
    await body.entered;
    await settled();
    clock.advance(leaseMs);
    await here.sweep();
    await here.renew();
    await settled();
    expect(body.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('was lost') as string }]);
    body.open();
    await running;
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
  });

  it('is left to other processes while this one has not started, and counts as due', async () => {
    const { clock, here, store } = await openTwoProcesses({ slots: 1, isStarted: false });
    clock.advance(1_000);
    await here.sweep();
    expect(here.load).toEqual({ running: 0, due: 1, oldestDueMs: 1_000 });
    expect(await store.find('anyone', 'run')).toMatchObject({ epoch: 0 });
  });
});

describe('a signal', () => {
  it('that a run in this process has read needs no claim', async () => {
    const { body, here, store } = await openTwoProcesses();
    const running = here.run(job);
    await body.entered;
    const [claim, claimNext] = [vi.spyOn(store, 'claim'), vi.spyOn(store, 'claimNext')];
    await here.signal(job);
    await here.signal(job, { isUrgent: true });
    body.open();
    await running;
    expect([claim.mock.calls, claimNext.mock.calls]).toEqual([[], []]);
  });

  it('starts the execution if it does not run here', async () => {
    const { body, here, store } = await openTwoProcesses();
    body.open();
    await here.signal(job);
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('to stop needs no free slot', async () => {
    const { body, here, store } = await openTwoProcesses({ slots: 1 });
    await createMore(store, 'second');
    const running = here.run(job);
    await body.entered;
    await store.request('anyone', 'second', { kind: 'cancel', reason: 'too late' });
    await here.signal({ ...job, executionId: 'second' });
    await settled();
    expect(await store.find('anyone', 'second')).toMatchObject({ status: 'running' });
    await here.signal({ ...job, executionId: 'second' }, { isUrgent: true });
    await settled();
    expect(await store.find('anyone', 'second')).toMatchObject({ status: 'cancelled' });
    body.open();
    await running;
  });

  it('that arrives while the execution is claimed is read by the run', async () => {
    const body = new Gate();
    const workflow = createWorkflow({ id: 'order' }).andThen({
      id: 'pay',
      execute: (context) => body.passOrAbort(context),
    });
    const { here, lines, store } = await openTwoProcesses({ workflow });
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
  const { body, here, store } = await openTwoProcesses();
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
    const claimNext = vi.spyOn(opened.store, 'claimNext');
    const announceDue = vi.spyOn(opened.store, 'announceDue');
    const running = opened.here.run(job);
    await body.entered;
    return { ...opened, announceDue, claimNext, body, running };
  }

  it('asks for the next one', async () => {
    const { announceDue, body, claimNext, here, running } = await openLimited();
    here.start();
    body.open();
    await running;
    await settled();
    expect([claimNext.mock.calls.length, announceDue.mock.calls.length]).toEqual([1, 0]);
  });

  it('asks for none in a process that has lost it', async () => {
    const { body, claimNext, clock, here, running, store } = await openLimited();
    here.start();
    vi.spyOn(store, 'watch').mockReturnValue(() => {});
    clock.advance(leaseMs);
    await store.claim('run', { runner: 'there', leaseMs });
    await here.renew();
    body.open();
    await running;
    expect(claimNext).not.toHaveBeenCalled();
  });

  it('leaves the next one to others in a process that shuts down, which could not start it', async () => {
    const { announceDue, body, claimNext, here, running } = await openLimited();
    const draining = here.close(60_000);
    body.open();
    await Promise.all([draining, running]);
    expect([claimNext.mock.calls.length, announceDue.mock.calls.length]).toEqual([0, 1]);
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

it('tries again to quarantine an execution, if the storage failed', async () => {
  const { body, here, lines, store } = await openTwoProcesses();
  const exhausted = [{ ...job, claimsWithoutCommit: 8 }];
  vi.spyOn(store, 'claimNext').mockResolvedValue({ claimed: [], exhausted, hasLeftOut: false, nextDueInMs: undefined });
  const find = vi.spyOn(store, 'find').mockRejectedValueOnce(new TypeError('no connection'));
  await here.sweep();
  await settled();
  expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('could not be quarantined') as string }]);
  await here.sweep();
  await settled();
  expect(find).toHaveBeenCalledTimes(2);
  body.open();
});
