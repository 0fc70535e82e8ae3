import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import type { StepContext } from '../definition/step-context.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andAll } from './and-all.ts';
import { andRace } from './and-race.ts';
import { andSleep } from './and-sleep.ts';
import { andThen } from './and-then.ts';
import { andWorkflow } from './and-workflow.ts';

const race = createWorkflow({ id: 'race' });
const fast = andThen({ id: 'fast', execute: () => 'fast' });
const waits = andThen({ id: 'waits', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
const fails = andThen({
  id: 'fails',
  execute: (): string => {
    throw new TypeError('no');
  },
});
const laterAsks = {
  id: 'later',
  execute: ({ resumeData, suspend }: StepContext<unknown>) => resumeData ?? suspend('later'),
};

describe('andRace', () => {
  it('continues with the first success at once and aborts the others', async () => {
    const gate = new Gate();
    const slow = andThen({ id: 'slow', execute: (context) => gate.pass(context) });
    const kit = new WorkflowKit(race.andRace({ id: 'first', steps: [slow, fails, fast] }));
    expect(await kit.run()).toMatchObject({ status: 'completed', result: 'fast' });
    expect(gate.signals[0]?.aborted).toBe(true);
  });

  it('ignores later effects of losers: state, events, records, suspensions, sub-workflows', async () => {
    const gate = new Gate();
    const slow = andThen({
      id: 'slow',
      execute: async (context) => {
        context.setWorkflowState({ early: true });
        await gate.pass(context);
        context.setWorkflowState({ late: true });
        context.writer.write({ type: 'custom-late' });
        return context.suspend('too late');
      },
    });
    const child = createWorkflow({ id: 'child' }).andThen({ id: 'inner', execute: (context) => gate.pass(context) });
    const fastNextTurn = andThen({ id: 'fast', execute: () => yieldToEventLoop('fast') });
    const kit = new WorkflowKit(
      race
        .andRace({ id: 'first', steps: [slow, andWorkflow({ id: 'sub', workflow: child }), fastNextTurn] })
        .andThen(laterAsks),
      child,
    );
    const { executionId: id, ...run } = await kit.run();
    expect(run).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'later' }] });
    const history = await kit.history(id);
    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', workflowState: { early: true } });
    expect((await kit.journal(id)).map(({ path }) => path)).toEqual([
      'first/slow#state-0',
      'first/sub#execution',
      'first/fast',
      'first',
    ]);
    expect(await kit.children(id)).toMatchObject([{ status: 'cancelled' }]);
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: 'done' });
  });

  it('deletes suspensions and timers of losers, also those that started after the end of the race', async () => {
    const gate = new Gate();
    const blocked = andThen({ id: 'blocked', execute: (context) => gate.pass(context) });
    const nap = andSleep({ id: 'nap', durationMs: 1_000 });
    for (const winner of [fast, blocked]) {
      const kit = new WorkflowKit(race.andRace({ id: 'first', steps: [waits, nap, winner] }).andThen(laterAsks));
      const id = await kit.begin();
      gate.open();
      expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'later' }] });
      const { suspensions, timers } = await kit.row(id);
      expect({ timers, suspended: suspensions.map(({ stepId }) => stepId) }).toEqual({
        timers: [],
        suspended: ['later'],
      });
      expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed' });
    }
  });

  it('deletes everything of losers when the process dies between the win and the end of the race', async () => {
    const hook = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({
        id: 'race',
        hooks: {
          onStepEnd: (_execution, { stepId }) =>
            stepId === 'fast' ? hook.pass({ signal: new AbortController().signal }) : undefined,
        },
      })
        .andRace({ id: 'first', steps: [waits, fast] })
        .andThen(laterAsks),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ suspensions: [{ stepId: 'waits' }] });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'later' }] });
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: 'done' });
  });

  it('fails with the failure of the last branch when all failed', async () => {
    const kit = new WorkflowKit(race.andRace({ id: 'first', steps: [fails, andThen({ ...laterAsks, id: 'waits' })] }));
    const { executionId: id, status } = await kit.run();
    expect(status).toBe('suspended');
    const both = new WorkflowKit(
      race.andRace({ id: 'first', steps: [fails, andAll({ id: 'all', steps: [{ ...fails, id: 'also' }] })] }),
    );
    expect(await both.run()).toMatchObject({ status: 'error', error: { stepId: 'also' } });
    expect(await kit.resume(id, 'answered')).toMatchObject({ status: 'completed', result: 'answered' });
  });

  it('waits when all remaining branches are suspended, and is won by the first that is answered', async () => {
    const kit = new WorkflowKit(
      race.andRace({ id: 'first', steps: [waits, { ...waits, id: 'also' }, fails] }).andThen(laterAsks),
    );
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ stepId: 'waits' }, { stepId: 'also' }]);
    expect(await kit.resume(id, 'mine', 'also')).toMatchObject({ suspensions: [{ stepId: 'later' }] });
    await expect(kit.resume(id, 'late', 'waits')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await kit.journal(id)).at(-1)).toMatchObject({ path: 'first', output: 'mine' });
  });

  it('is won by a sleep that ends before an answer arrives, also in another process', async () => {
    const child = createWorkflow({ id: 'child' }).andAll({ id: 'all', steps: [waits] });
    const nap = andSleep({ id: 'nap', durationMs: 1_000 });
    for (const loser of [waits, andWorkflow({ id: 'sub', workflow: child })]) {
      const kit = new WorkflowKit(race.andRace({ id: 'first', steps: [loser, nap] }), child);
      const { executionId: id, status } = await kit.run('late');
      expect(status).toBe('suspended');
      await kit.restart();
      expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'late' });
      for (const row of await kit.children(id)) expect(row.status).toBe('cancelled');
    }
  });

  it('inside a parallel branch, ends only that branch', async () => {
    const inner = andRace({ id: 'inner', steps: [waits, fast] });
    const kit = new WorkflowKit(race.andAll({ id: 'all', steps: [inner, andThen(laterAsks)] }));
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ stepId: 'later' }]);
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: ['fast', 'done'] });
  });

  it('cancels the execution when a branch aborts, and completes it when one bails', async () => {
    const aborts = andThen({ id: 'stops', execute: ({ abort }) => abort('enough') });
    expect(await new WorkflowKit(race.andRace({ id: 'first', steps: [waits, aborts] })).run()).toMatchObject({
      status: 'cancelled',
    });
    const bails = andThen({ id: 'stops', execute: ({ bail }) => bail('enough') });
    const kit = new WorkflowKit(race.andRace({ id: 'first', steps: [waits, bails] }).andThen(laterAsks));
    expect(await kit.run()).toMatchObject({ status: 'completed', result: 'enough' });
  });
});
