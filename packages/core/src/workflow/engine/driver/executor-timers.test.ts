import type { NextExecutions } from '@halyard/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { job, openTwoProcesses, settled } from '../../testing/two-processes.ts';
import { ExecutorTimers } from './executor-timers.ts';

const intervalMs = 600_000;

/**
 * A process with timers. `pass` lets time pass for them and for the storage. `done` lists their
 * calls.
 */
async function openTimers(workflow?: WorkflowDefinition) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const opened = await openTwoProcesses(workflow === undefined ? {} : { workflow });
  const { clock, here } = opened;
  const timers = new ExecutorTimers(here, { intervalMs, now: () => clock.now() });
  onTestFinished(() => timers.stop());
  const done: string[] = [];
  const renew = here.renew.bind(here);
  vi.spyOn(here, 'renew').mockImplementation(async () => {
    const isAnswered = await renew();
    done.push('renewed');
    return isAnswered;
  });
  const sweep = here.sweep.bind(here);
  vi.spyOn(here, 'sweep').mockImplementation(() => {
    done.push('swept');
    return sweep();
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    vi.advanceTimersByTime(ms);
    await settled();
  };
  return { ...opened, done, pass, timers };
}

/**
 * Nothing runs. `dueInMs` is the storage's reply to the question when the next execution is due.
 */
async function openIdle() {
  const opened = await openTimers();
  opened.body.open();
  await opened.here.run(job);
  const dueInMs: (number | undefined)[] = [];
  vi.spyOn(opened.store, 'claimNext').mockImplementation(() =>
    Promise.resolve({ claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: dueInMs.shift() }),
  );
  const sweeps = (): number => opened.done.filter((what) => what.startsWith('swept')).length;
  return { ...opened, dueInMs, sweeps };
}

describe('the timers of a process', () => {
  it('renew its lease and then sweep, at once and at an interval, until they are stopped', async () => {
    const { done, pass, timers } = await openIdle();
    await pass(intervalMs);
    expect(done).toEqual([]);
    timers.start();
    await settled();
    const renewedAndSwept = ['renewed', 'swept'];
    expect(done).toEqual(renewedAndSwept);
    await pass(intervalMs - 1);
    expect(done).toEqual(renewedAndSwept);
    await pass(1);
    await pass(intervalMs);
    expect(done).toEqual([...renewedAndSwept, ...renewedAndSwept, ...renewedAndSwept]);
    timers.stop();
    await pass(2 * intervalMs);
    expect(done).toHaveLength(6);
    timers.start();
    await settled();
    await pass(intervalMs);
    expect(done).toHaveLength(10);
  });

  it('leave out intervals while the store does not respond, and sweep once more afterwards', async () => {
    const { done, here, pass, store, timers } = await openIdle();
    const answer = Promise.withResolvers<NextExecutions>();
    vi.spyOn(store, 'claimNext').mockReturnValueOnce(answer.promise);
    timers.start();
    await settled();
    here.onSleep(1_000);
    await pass(1_000);
    await pass(intervalMs);
    await pass(intervalMs);
    // The lease is renewed, whatever a sweep waits for.
    const meanwhile = ['renewed', 'swept', 'renewed', 'renewed'];
    expect(done).toEqual(meanwhile);
    answer.resolve({ claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: undefined });
    await settled();
    expect(done).toEqual([...meanwhile, 'swept']);
    const renewed = Promise.withResolvers<boolean>();
    const renew = vi.spyOn(here, 'renew').mockClear().mockReturnValue(renewed.promise);
    await pass(intervalMs);
    await pass(intervalMs);
    expect(renew).toHaveBeenCalledTimes(1);
    renewed.resolve(true);
  });

  it('run once at each interval although they were started twice', async () => {
    const { done, pass, timers } = await openIdle();
    timers.start();
    timers.start();
    await settled();
    done.length = 0;
    await pass(intervalMs);
    expect(done).toEqual(['renewed', 'swept']);
  });

  it('wake an execution that falls asleep here when it is due', async () => {
    const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'rest', durationMs: 5_000 });
    const { pass, store, timers } = await openTimers(workflow);
    timers.start();
    await settled();
    await pass(4_999);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'running' });
    await pass(1);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
  });

  it('sweep when the next execution is due in a minute, and set no timer for one that is due later', async () => {
    const { dueInMs, pass, sweeps, timers } = await openIdle();
    dueInMs.push(60_000, 60_001);
    timers.start();
    await settled();
    await pass(59_999);
    expect(sweeps()).toBe(1);
    await pass(1);
    expect(sweeps()).toBe(2);
    await pass(60_001);
    expect(sweeps()).toBe(2);
  });

  it('sweep again and again with a short pause while others are claiming due executions', async () => {
    const { dueInMs, pass, sweeps, timers } = await openIdle();
    dueInMs.push(0, 0);
    timers.start();
    await settled();
    await pass(99);
    expect(sweeps()).toBe(1);
    await pass(1);
    expect(sweeps()).toBe(2);
    await pass(100);
    expect(sweeps()).toBe(3);
    await pass(100);
    expect(sweeps()).toBe(3);
  });

  it('have one timer, for the first due execution', async () => {
    const { here, pass, sweeps, timers } = await openIdle();
    timers.start();
    await settled();
    here.onSleep(10_000);
    here.onSleep(5_000);
    here.onSleep(20_000);
    expect(vi.getTimerCount()).toBe(2);
    await pass(5_000);
    expect(sweeps()).toBe(2);
    await pass(5_000);
    expect(sweeps()).toBe(2);
    here.onSleep(1_000);
    await pass(1_000);
    expect(sweeps()).toBe(3);
  });

  it('claim what another process announces, until they are stopped', async () => {
    const workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: () => 'paid' });
    const { pass, store, there, timers } = await openTimers(workflow);
    await there.close(0);
    const claimNext = vi.spyOn(store, 'claimNext').mockResolvedValueOnce({
      claimed: [],
      exhausted: [],
      nextDueInMs: undefined,
      hasLeftOut: false,
    });
    timers.start();
    await settled();
    expect(claimNext).toHaveBeenCalledTimes(1);
    store.announceDue();
    await settled();
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
    timers.stop();
    claimNext.mockClear();
    store.announceDue();
    await pass(0);
    expect(claimNext).not.toHaveBeenCalled();
  });

  it('wake nothing before they are started and after they were stopped', async () => {
    const { dueInMs, here, pass, sweeps, timers } = await openIdle();
    here.onSleep(1_000);
    await pass(1_000);
    expect(sweeps()).toBe(0);
    timers.start();
    await settled();
    here.onSleep(1_000);
    timers.stop();
    expect(vi.getTimerCount()).toBe(0);
    await pass(1_000);
    expect(sweeps()).toBe(1);
    // The storage answers only after the stop.
    dueInMs.push(1_000);
    timers.start();
    timers.stop();
    await pass(1_000);
    expect(sweeps()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sweep at the next interval when the storage fails', async () => {
    const { pass, store, sweeps, timers } = await openIdle();
    vi.spyOn(store, 'claimNext').mockRejectedValueOnce(new TypeError('no connection'));
    timers.start();
    await settled();
    expect(vi.getTimerCount()).toBe(1);
    await pass(intervalMs);
    expect(sweeps()).toBe(2);
  });
});

describe('events that stopped publishers have left', () => {
  const delivery = { executionId: 'other', workflowId: 'order' };

  it('are delivered by the timers, which then sweep at once, until none is left', async () => {
    const { pass, store, sweeps, timers } = await openIdle();
    const deliver = vi.spyOn(store, 'deliverPending');
    deliver.mockResolvedValueOnce([delivery]).mockResolvedValueOnce([delivery]).mockResolvedValue([]);
    timers.start();
    await settled();
    await pass(0);
    await pass(0);
    await pass(0);
    expect([sweeps(), deliver.mock.calls.length]).toEqual([3, 3]);
  });

  it('delay no timer while a delivery takes long, and are delivered by one call at a time', async () => {
    const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'rest', durationMs: 5_000 });
    const { pass, store, timers } = await openTimers(workflow);
    const taken = Promise.withResolvers<[]>();
    const deliver = vi.spyOn(store, 'deliverPending').mockReturnValue(taken.promise);
    timers.start();
    await settled();
    await pass(5_000);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
    expect(deliver).toHaveBeenCalledTimes(1);
    taken.resolve([]);
    await settled();
    await pass(intervalMs);
    expect(deliver).toHaveBeenCalledTimes(2);
  });

  it('stop no timer when each delivery fails', async () => {
    const workflow = createWorkflow({ id: 'order' }).andSleep({ id: 'rest', durationMs: 5_000 });
    const { lines, pass, store, timers } = await openTimers(workflow);
    const deliver = vi.spyOn(store, 'deliverPending').mockRejectedValue(new TypeError('statement timeout'));
    timers.start();
    await settled();
    await pass(5_000);
    expect(await store.find('anyone', 'run')).toMatchObject({ status: 'completed' });
    const message = 'events could not be delivered; they are delivered later';
    expect(lines).toEqual(deliver.mock.calls.map(() => ({ level: 'warn', message })));
  });

  it('are not delivered by a process that stops', async () => {
    const { here, store } = await openIdle();
    const deliver = vi.spyOn(store, 'deliverPending').mockResolvedValue([delivery]);
    await here.close(0);
    expect(await here.deliverEvents()).toBe(false);
    expect(deliver).not.toHaveBeenCalled();
  });
});
