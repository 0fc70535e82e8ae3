import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { leaseMs, WorkflowKit } from '../testing/workflow-kit.ts';
import { andSleepUntil } from './and-sleep-until.ts';
import { andSleep } from './and-sleep.ts';
import { andThen } from './and-then.ts';

const hour = 3_600_000;

describe.each([
  ['andSleep', andSleep({ id: 'nap', durationMs: hour })],
  ['andSleep by a function', andSleep({ id: 'nap', durationMs: () => hour })],
  ['andSleepUntil a Date', andSleepUntil({ id: 'nap', date: new Date('2026-01-01T01:00:00Z') })],
  ['andSleepUntil a text', andSleepUntil({ id: 'nap', date: '2026-01-01T01:00:00Z' })],
  ['andSleepUntil by a function', andSleepUntil({ id: 'nap', date: () => Date.UTC(2026, 0, 1, 1) })],
])('%s', (_, nap) => {
  const workflow = createWorkflow({ id: 'w' })
    .andAll({ id: 'all', steps: [nap] })
    .andThen({ id: 'after', execute: ({ data }) => data });

  it('blocks nothing and wakes on time, in another process too', async () => {
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin('x');
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null, timers: [{ path: 'all/nap' }] });
    const { definition } = await kit.row(id);
    expect(await kit.nextDueInMs(definition)).toBe(hour);
    await kit.restart();
    await kit.advance(hour - leaseMs - 1);
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    await kit.advance(1);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: ['x'] });
    expect((await kit.history(id)).filter((line) => line.endsWith(' nap'))).toEqual([
      'step-start nap',
      'step-complete nap',
    ]);
  });

  it('can be cancelled while it sleeps', async () => {
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    expect(await kit.cancel(id)).toMatchObject({ status: 'cancelled', timers: [] });
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a sleep', () => {
  it.each([1e21, 8.64e15])('of %d ms fails, because no store has times after the year 275760', async (durationMs) => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [andSleep({ id: 'nap', durationMs })] }),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({
      status: 'error',
      error: { message: 'Step "nap" failed: durationMs must end before the year 275760' },
    });
  });

  it('whose time has passed does not wait, and stores no timer', async () => {
    for (const nap of [
      andSleep({ id: 'nap', durationMs: 0 }),
      andSleep({ id: 'nap', durationMs: -5 }),
      andSleepUntil({ id: 'nap', date: 0 }),
    ]) {
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w' })
          .andAll({ id: 'all', steps: [nap] })
          .andThen({
            id: 'ask',
            execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('ask') : data),
          }),
      );
      const { executionId: id, status } = await kit.run('x');
      expect(status).toBe('suspended');
      expect(await kit.row(id)).toMatchObject({ timers: [] });
      const { definition } = await kit.row(id);
      expect(await kit.nextDueInMs(definition)).toBeUndefined();
      expect(await kit.resume(id, true)).toMatchObject({ result: ['x'] });
    }
  });

  it('fails without a duration', async () => {
    for (const nap of [
      andSleep({ id: 'nap', durationMs: () => Number.NaN }),
      andSleep({ id: 'nap', durationMs: Infinity }),
      andSleepUntil({ id: 'nap', date: 'soon' }),
      andSleepUntil({ id: 'nap', date: () => new Date('soon') }),
    ]) {
      const { error } = await new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [nap] })).run();
      expect(error).toMatchObject({ stepId: 'nap', message: expect.stringContaining('must be a') as string });
    }
  });

  it('runs in parallel with others, and computes its duration once', async () => {
    let asked = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          andSleep({ id: 'long', durationMs: () => (asked += 1) * hour * 2 }),
          andSleep({ id: 'short', durationMs: hour }),
          andThen({ id: 'work', execute: () => 'made' }),
        ],
      }),
    );
    const id = await kit.begin();
    await kit.advance(hour);
    expect((await kit.journal(id)).map(({ path }) => path)).toEqual(['all/work', 'all/short']);
    await kit.advance(hour);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect(asked).toBe(1);
  });
});
