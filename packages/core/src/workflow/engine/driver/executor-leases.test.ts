import type { ExecutionStore, Job } from '@halyard/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { startedBy } from '../../interpreter/step/start-execution.ts';
import { Gate } from '../../testing/gate.ts';
import { job, leaseMs, openTwoProcesses, settled } from '../../testing/two-processes.ts';

/** Answers the pending suspension. */
async function answer(store: ExecutionStore): Promise<void> {
  const suspensionId = (await store.find('anyone', 'run'))?.suspensions[0]?.id ?? '';
  await store.resume('anyone', { executionId: 'run', suspensionId, data: 1, requestId: 'answer' });
}

function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('a renewal', () => {
  it('keeps an execution here beyond its first lease, until one lease after the last renewal', async () => {
    const { body, clock, here, store, there } = await openTwoProcesses();
    const running = here.run(job);
    await body.entered;
    clock.advance(leaseMs - 1);
    await here.renew();
    clock.advance(leaseMs - 1);
    await there.run(job);
    expect(await store.find('anyone', 'run')).toMatchObject({ runner: 'here', epoch: 1 });

    clock.advance(1);
    const taken = there.run(job);
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ runner: 'there', epoch: 2 });

    body.open();
    await Promise.all([running, taken]);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
  });

  it('names local executions, with their epochs', async () => {
    const { body, here, store } = await openTwoProcesses();
    const renew = vi.spyOn(store, 'renew');
    await here.renew();
    const running = here.run(job);
    await body.entered;
    await here.renew();
    expect(renew.mock.calls).toEqual([
      [[], { runner: 'here', leaseMs }],
      [[{ executionId: 'run', epoch: 1 }], { runner: 'here', leaseMs }],
    ]);
    body.open();
    await running;
  });

  it('does not name executions of a pending claim', async () => {
    const { body, here, lines, store } = await openTwoProcesses();
    const isAnswered = Promise.withResolvers<void>();
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation(async (...given) => {
      await isAnswered.promise;
      return claim(...given);
    });
    const renew = vi.spyOn(store, 'renew').mockRejectedValueOnce(new TypeError('no connection'));
    const running = here.run(job);
    await here.renew();
    await here.renew();
    expect(renew.mock.calls.map(([held]) => held)).toEqual([[], []]);
    expect(lines).toEqual([]);
    isAnswered.resolve();
    body.open();
    await running;
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('stops executions that the storage reports as lost, tells waiting callers, and logs them', async () => {
    const { body, clock, here, lines, store, there } = await openTwoProcesses();
    vi.spyOn(store, 'watch').mockReturnValue(() => {});
    const running = here.run(job);
    await body.entered;
    // Its first commit, which would find out as well, is written.
    await settled();
    const told: unknown[] = [];
    vi.spyOn(here.waiters, 'notify').mockImplementation((...given) => void told.push(given));
    clock.advance(leaseMs);
    const taken = there.run(job);
    await settled();

    await here.renew();
    await settled();

    expect(body.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(told).toEqual([['run', 'elsewhere']]);
    expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('was lost') as string }]);
    body.open();
    await Promise.all([running, taken]);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
  });

  it('does not stop a run that began after the storage was asked', async () => {
    const bodies = [new Gate(), new Gate()];
    const workflow = createWorkflow({ id: 'order' }).andThen({
      id: 'pay',
      execute: async (context) => {
        const [body] = context.resumeData === undefined ? bodies : bodies.slice(1);
        await body?.pass(context);
        return context.resumeData ?? context.suspend('approval');
      },
    });
    const { here, store } = await openTwoProcesses({ workflow });
    const answered = Promise.withResolvers<readonly string[]>();
    vi.spyOn(store, 'renew').mockImplementation(() => answered.promise);
    const first = here.run(job);
    await bodies[0]?.entered;
    const renewing = here.renew();
    bodies[0]?.open();
    await first;
    await answer(store);
    const second = here.run(job);
    await bodies[1]?.entered;

    answered.resolve(['run']);
    await renewing;

    expect(bodies[1]?.signals[0]?.aborted).toBe(false);
    bodies[1]?.open();
    await second;
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('ignores the loss of an execution that has ended here in the meantime', async () => {
    const { body, here, lines, store } = await openTwoProcesses();
    const answered = Promise.withResolvers<readonly string[]>();
    vi.spyOn(store, 'renew').mockImplementation(() => answered.promise);
    const running = here.run(job);
    await body.entered;
    const renewing = here.renew();
    body.open();
    await running;
    answered.resolve(['run']);
    await renewing;
    expect(lines).toEqual([]);
  });

  it('that fails is logged only if something runs here', async () => {
    const { body, here, lines, store } = await openTwoProcesses();
    vi.spyOn(store, 'renew').mockRejectedValue(new TypeError('no connection'));
    await here.renew();
    expect(lines).toEqual([]);
    const running = here.run(job);
    await body.entered;
    await here.renew();
    expect(lines).toEqual([{ level: 'warn', message: 'the lease could not be renewed' }]);
    body.open();
    await running;
  });

  it('moves the end of the lease of this process', async () => {
    useFakeTimers();
    const { body, causes, here } = await openTwoProcesses();
    const running = here.run(job);
    await body.entered;
    vi.advanceTimersByTime(5_000);
    await here.renew();
    vi.advanceTimersByTime(8_999);
    expect(body.signals[0]?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(body.signals[0]?.aborted).toBe(true);
    body.open();
    await running;
    expect(causes).toEqual(['the lease of this process has ended']);
  });

  it('does not move the end of the lease if everything was lost', async () => {
    useFakeTimers();
    const { body, causes, here, store } = await openTwoProcesses();
    vi.spyOn(store, 'renew').mockResolvedValue(['run']);
    const running = here.run(job);
    await body.entered;
    await here.renew();
    body.open();
    await running;
    expect(causes).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sets no timer when nothing runs here', async () => {
    useFakeTimers();
    const { here } = await openTwoProcesses();
    await here.renew();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('starts nothing after its lease when it is paused during a commit, although its timers have not run', async () => {
  const bodies: string[] = [];
  const workflow = createWorkflow({ id: 'order' })
    .andThen({ id: 'pay', execute: () => bodies.push('pay') })
    .andThen({ id: 'send', execute: () => bodies.push('send') });
  const { clock, here, store, there } = await openTwoProcesses({ workflow });
  let pausedMs = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + pausedMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const commit = store.commit.bind(store);
  vi.spyOn(store, 'commit').mockImplementation(async (given) => {
    const outcome = await commit(given);
    if (given.epoch === 1) pausedMs = leaseMs;
    return outcome;
  });
  await here.run(job);
  expect(bodies).toEqual(['pay']);

  clock.advance(leaseMs);
  await there.run(job);
  expect(bodies).toEqual(['pay', 'send']);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
});

it('stops what still runs at the end of its lease although another execution has ended since the claim', async () => {
  useFakeTimers();
  const body = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'pay',
    execute: async (context) => {
      if (context.state.executionId === 'run') await body.pass(context);
    },
  });
  const { here, store } = await openTwoProcesses({ workflow });
  const fields = { workflowId: 'order', workflowName: 'order', input: null, context: {}, metadata: {} };
  await store.create({ id: 'short', ...fields, workflowState: {}, events: [] }, { requestId: 'short' });
  const running = here.run(job);
  await body.entered;
  await here.run({ ...job, executionId: 'short' });
  expect(await store.find('anyone', 'short')).toMatchObject({ status: 'completed' });
  vi.advanceTimersByTime(leaseMs);
  expect(body.signals[0]?.aborted).toBe(true);
  body.open();
  await running;
});

it('sends the records of a step in a blocked process, which are refused if another one has taken over', async () => {
  let pausedMs = 0;
  const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => (pausedMs = leaseMs) });
  const { here, store } = await openTwoProcesses({ workflow });
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + pausedMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const commit = vi.spyOn(store, 'commit');
  await here.run(job);
  expect(commit.mock.calls.flatMap(([{ entries }]) => entries.map(({ path }) => path))).toContain('pay');
});

const checkMs = 1_000;

/** Delays that end when the test says so, or their signal aborts. */
function delaysByHand() {
  const delays: (() => void)[] = [];
  const waits: number[] = [];
  const delay = async (ms: number, signal?: AbortSignal): Promise<void> => {
    waits.push(ms);
    const { promise, resolve } = Promise.withResolvers<void>();
    delays.push(resolve);
    signal?.addEventListener('abort', () => resolve());
    await promise;
  };
  /** Ends the running delays of this length. */
  const pass = async (ms: number): Promise<void> => {
    waits.forEach((one, index) => one === ms && delays[index]?.());
    await settled();
  };
  return { delay, delays, pass, waits };
}

/** A storage that refuses everything, or does not answer. */
function fail(store: ExecutionStore, how: () => Promise<never>): void {
  for (const method of ['claim', 'commit', 'find', 'renew'] as const) vi.spyOn(store, method).mockImplementation(how);
}

const refuses = (): Promise<never> => Promise.reject(new TypeError('no connection'));
const isSilent = (): Promise<never> => new Promise(() => {});

describe('while it is shut down and the storage does not answer, a process', () => {
  it.each([
    ['a running step', 'refuses', refuses],
    ['a running step', 'is silent', isSilent],
  ])('does not wait for %s after 4 s: the storage %s', async (_, __, how) => {
    const { delay, pass } = delaysByHand();
    const { body, causes, here, store } = await openTwoProcesses({ delay });
    const running = here.run(job);
    await body.entered;
    await settled();
    fail(store, how);
    let isDrained = false;
    const draining = here.close(25_000, 5_000).then(() => (isDrained = true));
    await settled();
    for (let checks = 0; checks < 3; checks += 1) await pass(checkMs);
    expect([isDrained, body.signals[0]?.aborted]).toEqual([false, false]);
    await pass(checkMs);
    await Promise.all([draining, running]);
    expect(body.signals[0]?.aborted).toBe(true);
    expect(causes).toContain('the storage does not answer while the process is shutting down');
    body.open();
  });

  it.each([
    ['refuses', refuses],
    ['is silent', isSilent],
  ])('does not wait for a commit that is repeated: the storage %s', async (_, how) => {
    const { delay, pass } = delaysByHand();
    const { body, here, store } = await openTwoProcesses({ delay });
    const running = here.run(job);
    await body.entered;
    await settled();
    fail(store, how);
    body.open();
    await settled();
    const draining = here.close(25_000, 5_000);
    await settled();
    for (let checks = 0; checks < 4; checks += 1) await pass(checkMs);
    await Promise.all([draining, running]);
    expect(here.activeCount).toBe(0);
  });

  it('does not wait for a claim', async () => {
    const { delay, pass } = delaysByHand();
    const { here, store } = await openTwoProcesses({ delay });
    fail(store, isSilent);
    void here.run(job);
    const draining = here.close(25_000, 5_000);
    await settled();
    for (let checks = 0; checks < 4; checks += 1) await pass(checkMs);
    await expect(draining).resolves.toBeUndefined();
  });

  it('waits on when the storage responds again within 4 s, and saves the results of its steps', async () => {
    const { delay, pass } = delaysByHand();
    const { body, here, store } = await openTwoProcesses({ delay });
    const running = here.run(job);
    await body.entered;
    await settled();
    const draining = here.close(25_000, 5_000);
    await settled();
    const renew = vi.spyOn(store, 'renew');
    for (let outages = 0; outages < 3; outages += 1) {
      for (let checks = 0; checks < 3; checks += 1) {
        renew.mockImplementationOnce(refuses);
        await pass(checkMs);
      }
      await pass(checkMs);
    }
    expect(renew).toHaveBeenCalledTimes(12);
    expect(body.signals[0]?.aborted).toBe(false);
    body.open();
    await Promise.all([draining, running]);
    expect(await store.find('anyone', 'run')).toMatchObject({ runner: null, seq: expect.any(Number) as number });
    expect((await store.journal('anyone', 'run')).map(({ path }) => path)).toContain('pay');
  });
});

describe('while it is shut down, a process', () => {
  it('waits until its steps have ended, and releases their executions', async () => {
    const { body, here, store } = await openTwoProcesses();
    const running = here.run(job);
    await body.entered;
    let isDrained = false;
    const draining = here.close(60_000).then(() => (isDrained = true));
    await settled();
    expect([here.isClosing, isDrained]).toEqual([true, false]);
    body.open();
    await Promise.all([draining, running]);
    expect((await store.find('anyone', 'run'))?.runner).toBeNull();
  });

  it('aborts the signals of its steps only at the end of the time limit', async () => {
    const { delay, delays, waits } = delaysByHand();
    const { body, here } = await openTwoProcesses({ delay });
    const running = here.run(job);
    await body.entered;
    const draining = here.close(25_000, 5_000);
    await settled();
    expect([waits, body.signals[0]?.aborted]).toEqual([[checkMs, 20_000], false]);
    delays[1]?.();
    await settled();
    expect([waits, body.signals[0]?.aborted]).toEqual([[checkMs, 20_000, 5_000], true]);
    body.open();
    await Promise.all([draining, running]);
  });

  it('leaves what still runs after the time limit to other processes', async () => {
    const { body, causes, clock, here, store, there } = await openTwoProcesses();
    const running = here.run(job);
    await body.entered;
    await here.close(1);
    expect(String(body.signals[0]?.reason)).toContain('the process is shutting down');
    clock.advance(leaseMs);
    body.open();
    await there.run(job);
    await running;
    expect(causes).toEqual(['the process is shutting down']);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
  });

  it('claims nothing, and does not read due executions', async () => {
    const { here, store } = await openTwoProcesses();
    const due = vi.spyOn(store, 'claimNext');
    expect(here.isClosing).toBe(false);
    await here.close(60_000);
    await here.run(job);
    await here.sweep();
    expect(due).not.toHaveBeenCalled();
    expect(await store.find('anyone', 'run')).toMatchObject({ epoch: 0 });
  });
});

it('reports local executions', async () => {
  const { body, here } = await openTwoProcesses();
  expect([here.isLocal('run'), here.isRunning('run'), here.activeCount]).toEqual([false, false, 0]);
  const running = here.run(job);
  expect([here.isLocal('run'), here.isRunning('run')]).toEqual([true, false]);
  await body.entered;
  expect([here.isLocal('run'), here.isRunning('run'), here.activeCount]).toEqual([true, true, 1]);
  expect(here.load).toEqual({ running: 1, due: 0, oldestDueMs: 0 });
  body.open();
  await running;
  expect([here.isLocal('run'), here.isRunning('run'), here.activeCount]).toEqual([false, false, 0]);
});

it('claims an execution again later when the storage failed, and logs the failure', async () => {
  const { body, here, lines, store } = await openTwoProcesses();
  vi.spyOn(store, 'claim').mockRejectedValueOnce(new TypeError('no connection'));
  await here.run(job);
  expect(lines).toEqual([{ level: 'error', message: 'an execution could not be claimed or read' }]);
  expect(here.isLocal('run')).toBe(false);
  body.open();
  await here.run(job);
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
});

it('logs that it could not claim or count due executions', async () => {
  const { body, here, lines, store } = await openTwoProcesses();
  vi.spyOn(store, 'claimNext').mockRejectedValueOnce(new TypeError('no connection'));
  vi.spyOn(store, 'backlog').mockRejectedValueOnce(new TypeError('no connection'));
  await here.sweep();
  expect(lines.map(({ message }) => message)).toEqual([
    'due executions could not be claimed; they are asked for again soon',
    'the number of due executions could not be read from the storage',
  ]);
  body.open();
  await here.sweep();
  await settled();
  expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
});

it('asks for all definitions that it can run, and tells how many slots are free', async () => {
  const { body, here, store } = await openTwoProcesses({ slots: 3 });
  const claimNext = vi.spyOn(store, 'claimNext');
  await here.sweep();
  const definitions = here.definitions.accepted('order');
  expect(claimNext.mock.calls).toEqual([
    [
      { runner: 'here', leaseMs },
      { definitions, limit: 3, freeSlots: 3, maxClaims: 8 },
    ],
  ]);
  expect(Object.keys(definitions)).toEqual(here.definitions.ids);
  body.open();
});

it('runs executions of its own workflows only', async () => {
  const { here, lines } = await openTwoProcesses();
  expect(here.workflowIds).toEqual(['order']);
  const unknown: Job = { executionId: 'run', workflowId: 'unknown' };
  expect(() => here.wake(unknown)).not.toThrow();
  await here.run(unknown);
  expect(lines).toEqual([]);
});

describe('the end of an execution that another one started', () => {
  it('is published, and answers who waits for it', async () => {
    const { body, here, store } = await openTwoProcesses({ metadata: { [startedBy]: 'parent' } });
    const deliveries = [{ executionId: 'parent', workflowId: 'order' }];
    const publish = vi.spyOn(store, 'publish').mockResolvedValue({ eventId: 'e', deliveries });
    const signal = vi.spyOn(here, 'signal');
    body.open();
    await here.run(job);
    await settled();
    expect(publish.mock.calls).toEqual([
      ['anyone', expect.objectContaining({ id: 'id-1', key: 'run', payload: null, requestId: 'id-1' })],
    ]);
    expect(signal.mock.calls).toEqual([deliveries]);
  });

  it('is not published twice or for other executions', async () => {
    const { body, here, store } = await openTwoProcesses();
    const publish = vi.spyOn(store, 'publish');
    body.open();
    await here.run(job);
    await settled();
    expect(publish).not.toHaveBeenCalled();
  });

  it('is not published while it waits', async () => {
    const workflow = createWorkflow({ id: 'order' }).andThen({
      id: 'ask',
      execute: ({ suspend }) => suspend('approval'),
    });
    const { here, store } = await openTwoProcesses({ workflow, metadata: { [startedBy]: 'parent' } });
    const publish = vi.spyOn(store, 'publish');
    await here.run(job);
    await settled();
    expect(publish).not.toHaveBeenCalled();
  });

  it('is logged when it could not be published', async () => {
    const { body, here, lines, store } = await openTwoProcesses({ metadata: { [startedBy]: 'parent' } });
    vi.spyOn(store, 'publish').mockRejectedValue(new TypeError('no connection'));
    body.open();
    await here.run(job);
    await settled();
    expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('was not told') as string }]);
  });
});

it('gives timers and sockets their turn while it runs many steps', async () => {
  let workflow = createWorkflow({ id: 'order' });
  let hasTurned = false;
  let hadTurnedAt = 0;
  let turns = 0;
  for (let index = 1; index <= 150; index += 1) {
    const execute = (): null => {
      if (hasTurned && hadTurnedAt === 0) hadTurnedAt = index;
      return null;
    };
    workflow = workflow.andThen({ id: `step-${index}`, execute }) as typeof workflow;
  }
  const { here } = await openTwoProcesses({ workflow });
  setImmediate(() => (hasTurned = true));
  const count = (): void => {
    turns += 1;
    counted = setImmediate(count);
  };
  let counted = setImmediate(count);
  await here.run(job);
  clearImmediate(counted);
  expect(hadTurnedAt).toBeGreaterThan(10);
  expect(hadTurnedAt).toBeLessThan(80);
  // Again and again, but not after each commit: a turn takes longer than a commit.
  expect(turns).toBeGreaterThan(1);
  expect(turns).toBeLessThan(20);
});

describe('while it reads the history of a long execution, a process', () => {
  /**
   * An execution that was answered, with a body that waits. Its history is read when `history`
   * opens.
   */
  async function openAnswered() {
    const [body, history] = [new Gate(), new Gate()];
    const workflow = createWorkflow({ id: 'order' }).andThen({
      id: 'pay',
      execute: (context) => (context.resumeData === undefined ? context.suspend('approval') : body.pass(context)),
    });
    const opened = await openTwoProcesses({ workflow });
    const { here, store } = opened;
    await here.run(job);
    await answer(store);
    const read = store.events.bind(store);
    vi.spyOn(store, 'events').mockImplementationOnce(async (...range) => {
      await history.pass({ signal: new AbortController().signal });
      return read(...range);
    });
    const running = here.run(job);
    await history.entered;
    return { ...opened, body, history, running };
  }

  it('keeps its lease of it', async () => {
    const { body, clock, here, history, running, store, there } = await openAnswered();
    for (let renewals = 0; renewals < 2; renewals += 1) {
      clock.advance(leaseMs - 1);
      await here.renew();
    }
    await there.sweep();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ runner: 'here', epoch: 2 });

    history.open();
    await body.entered;
    body.open();
    await running;
    expect(body.signals).toHaveLength(1);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 2 });
  });

  it.each(['the storage reports that it is lost', 'its lease ends by its own clock'])(
    'does not run it when %s',
    async (how) => {
      useFakeTimers();
      const { body, clock, here, history, lines, running, store, there } = await openAnswered();
      clock.advance(leaseMs);
      if (how.startsWith('its lease')) vi.advanceTimersByTime(leaseMs);
      const taken = there.run(job);
      await body.entered;
      if (how.startsWith('the storage')) await here.renew();
      history.open();
      await running;
      expect(body.signals.map(({ aborted }) => aborted)).toEqual([false]);
      expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('was lost') as string }]);

      body.open();
      await taken;
      expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed', epoch: 3 });
    },
  );
});
