import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { Step } from './definition/step.ts';
import { andAll } from './steps/and-all.ts';
import { andForEach } from './steps/and-for-each.ts';
import { andSleep } from './steps/and-sleep.ts';
import { andThen } from './steps/and-then.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const ask = (id: string): Step<unknown, unknown> =>
  andThen({ id, execute: ({ resumeData, suspend }) => resumeData ?? suspend(`ask ${id}`) });

describe('several suspended branches', () => {
  it.each([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'c', 'a'],
  ])('can be answered by id in any order: %s %s %s', async (...order) => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [ask('a'), andAll({ id: 'inner', steps: [ask('b'), ask('c')] })],
      }),
    );
    const { executionId: id, suspension, suspensions } = await kit.run();
    expect(suspensions?.map(({ stepId }) => stepId)).toEqual(['a', 'b', 'c']);
    expect(suspension).toEqual(suspensions?.[0]);
    for (const [index, stepId] of order.entries()) {
      const run = await kit.resume(id, stepId.toUpperCase(), stepId);
      expect(run.suspensions?.map((one) => one.stepId)).toEqual(
        index === 2 ? undefined : ['a', 'b', 'c'].filter((other) => !order.slice(0, index + 1).includes(other)),
      );
      await kit.restart();
    }
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: ['A', ['B', 'C']] });
  });

  it('are answered from the earliest when no step is named', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask('a'), ask('b')] }));
    const { executionId: id } = await kit.run();
    expect(await kit.resume(id, 1)).toMatchObject({ suspensions: [{ stepId: 'b' }] });
    expect(await kit.resume(id, 2)).toMatchObject({ status: 'completed', result: [1, 2] });
  });

  it('are named by their loop item', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'rows',
        items: () => [[1, 2], [3]],
        concurrency: 2,
        step: andForEach({
          id: 'cells',
          items: ({ data }: { readonly data: number[] }) => data,
          concurrency: 2,
          step: ask('approve'),
        }),
      }),
    );
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions?.map(({ stepId }) => stepId).toSorted()).toEqual(['approve:0:0', 'approve:0:1', 'approve:1:0']);
    await kit.answer(id, 'B', 'approve:0:1');
    await kit.answer(id, 'C', 'approve:1:0');
    expect(await kit.resume(id, 'A', 'approve:0:0')).toMatchObject({ result: [['A', 'B'], ['C']] });
  });

  it('can be answered while others still run, and continue at once', async () => {
    const gate = new Gate();
    const slow = andThen({ id: 'slow', execute: async (context) => (await gate.pass(context), 'slow') });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask('a'), slow, ask('b')] }));
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'running', suspensions: [{ stepId: 'a' }, { stepId: 'b' }] });
    await kit.answer(id, 'B', 'b');
    expect((await kit.journal(id)).map(({ path }) => path)).toEqual(['all/b']);
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended', suspensions: [{ stepId: 'a' }] });
    expect(await kit.resume(id, 'A')).toMatchObject({ status: 'completed', result: ['A', 'slow', 'B'] });
    expect((await kit.history(id)).filter((line) => line === 'step-start slow')).toHaveLength(1);
  });

  it('stay suspended when a sleeping branch wakes', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask('a'), andSleep({ id: 'nap', durationMs: 5_000 })] }),
    );
    const { executionId: id } = await kit.run('x');
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null, timers: [{ path: 'all/nap' }] });
    await kit.advance(5_000);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', timers: [], suspensions: [{ stepId: 'a' }] });
    expect((await kit.journal(id)).map(({ path }) => path)).toEqual(['all/nap']);
    expect(await kit.resume(id, 'A')).toMatchObject({ status: 'completed', result: ['A', 'x'] });
  });

  it('accept one answer each when several arrive at the same time', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask('a'), ask('b')] }));
    const { executionId: id } = await kit.run();
    const answers = await Promise.allSettled(['1', '2', '3'].map((answer) => kit.resume(id, answer, 'a')));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ kind: expect.stringMatching(/^(not-found|invalid-input)$/u) as string });
    expect(await kit.resume(id, 'B')).toMatchObject({ status: 'completed' });
  });

  it('are stopped when another branch fails', async () => {
    const gate = new Gate();
    const fails = andThen({
      id: 'fails',
      execute: async (context): Promise<string> => {
        await gate.pass(context);
        throw new TypeError('no');
      },
    });
    const other = new Gate();
    const slow = andThen({ id: 'slow', execute: (context) => other.pass(context) });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [ask('a'), fails, slow] }));
    const id = await kit.begin();
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error', error: { stepId: 'fails' } });
    expect(other.signals[0]?.aborted).toBe(true);
    expect(await kit.row(id)).toMatchObject({ suspensions: [] });
  });
});
