import type { ClaimedExecution } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import { andAll } from './steps/and-all.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andTap } from './steps/and-tap.ts';
import { andThen } from './steps/and-then.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const numbers = createWorkflow({ id: 'w', input: Type.Number() });

/** Adds 1. Waits for an answer when it receives `waitsAt`. */
function add(waitsAt: number, also: (context: StepContext<number>) => void = () => {}) {
  return {
    id: 'add',
    execute: (context: StepContext<number>) => {
      const { data, resumeData, suspend } = context;
      if (data === waitsAt && resumeData === undefined) suspend('asks');
      also(context);
      return data + 1;
    },
  };
}

/** A loop that waits in its last round. */
function loopOf(rounds: number, step = andThen(add(rounds - 1))) {
  return { id: 'loop', step, maxIterations: 10_000, condition: ({ data }: { readonly data: number }) => data < rounds };
}

/** The entries that a process reads when it continues a suspended execution. */
async function claimAfterAnswer({ storage }: WorkflowKit, executionId: string): Promise<ClaimedExecution> {
  const { executions } = storage;
  const suspensionId = (await executions.find('anyone', executionId))?.suspensions[0]?.id ?? '';
  await executions.resume('anyone', { executionId, suspensionId, data: true, requestId: 'answer' });
  const claimed = await executions.claim(executionId, { runner: 'reader', leaseMs: 1 });
  if (claimed === undefined) expect.fail('the execution cannot be claimed');
  return claimed;
}

describe('a loop that was left in one of its last rounds', () => {
  it.each([150, 1_500])('is continued without reading its older rounds: %i', async (rounds) => {
    const kit = new WorkflowKit(numbers.andDoWhile(loopOf(rounds)));
    const { executionId } = await kit.run(0);
    const { execution, journal } = await claimAfterAnswer(kit, executionId);
    expect(journal.length).toBeLessThan(110);
    expect((await kit.journal(executionId)).length).toBe(2 * (rounds - 1));
    await kit.restart();
    expect(await kit.waitUntilIdle(executionId)).toMatchObject({ status: 'completed', result: rounds });
    expect(execution.suspensions).toEqual([]);
  });

  it('starts no step twice', async () => {
    const kit = new WorkflowKit(numbers.andDoWhile(loopOf(300)));
    const { executionId } = await kit.run(0);
    await kit.restart();
    await kit.resume(executionId, true);
    const history = await kit.history(executionId);
    for (const type of ['step-start', 'step-complete'])
      expect(history.filter((one) => one.startsWith(`${type} `)).toSorted()).toEqual(
        [`${type} loop`, ...Array.from({ length: 300 }, (_, round) => `${type} add:${round}`)].toSorted(),
      );
  });

  it('is continued with the sub-workflows of its last rounds only', async () => {
    const child = createWorkflow({ id: 'child', input: Type.Number() }).andThen(add(199));
    const loop = { ...loopOf(200), step: andWorkflow({ id: 'sub', workflow: child }) };
    const kit = new WorkflowKit(numbers.andDoWhile(loop));
    const { executionId } = await kit.run(0);
    const { children } = await claimAfterAnswer(kit, executionId);
    expect(children.length).toBeLessThan(50);
    await kit.restart();
    expect(await kit.waitUntilIdle(executionId)).toMatchObject({ status: 'completed', result: 200 });
  });

  it('is continued inside a sub-workflow, and starts no step of it twice', async () => {
    const child = createWorkflow({ id: 'child', input: Type.Number() }).andDoWhile(loopOf(700));
    const kit = new WorkflowKit(numbers.andWorkflow({ id: 'sub', workflow: child }));
    const { executionId } = await kit.run(0);
    const [row] = await kit.children(executionId);
    const { journal } = await claimAfterAnswer(kit, executionId);
    expect(journal.length).toBeLessThan(110);
    await kit.restart();
    expect(await kit.waitUntilIdle(executionId)).toMatchObject({ status: 'completed', result: 700 });
    const starts = (await kit.history(row?.id ?? '')).filter((one) => one.startsWith('step-start '));
    expect(starts.length).toBe(701);
    expect(new Set(starts).size).toBe(701);
  });

  it('is continued beside other steps, whose entries are kept', async () => {
    const calls: string[] = [];
    const beside = andThen({ id: 'beside', execute: () => calls.push('beside') });
    const kit = new WorkflowKit(
      numbers
        .andTap({ id: 'first', execute: () => calls.push('first') })
        .andAll({ id: 'all', steps: [beside, andDoWhile(loopOf(200))] }),
    );
    const { executionId } = await kit.run(0);
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'completed', result: [2, 200] });
    expect(calls).toEqual(['first', 'beside']);
  });

  it('is continued in a loop around it', async () => {
    const inner = andDoWhile({
      id: 'inner',
      condition: ({ data }) => data % 30 !== 0,
      step: andThen(add(250)),
    });
    const kit = new WorkflowKit(numbers.andDoWhile({ id: 'outer', condition: ({ data }) => data < 300, step: inner }));
    const { executionId } = await kit.run(0);
    const { journal } = await claimAfterAnswer(kit, executionId);
    expect(journal.length).toBeLessThan(250);
    await kit.restart();
    expect(await kit.waitUntilIdle(executionId)).toMatchObject({ status: 'completed', result: 300 });
  });

  it('is continued from a round whose step failed and passed its data on', async () => {
    const tap = andTap({
      id: 'tap',
      execute: ({ resumeData, setWorkflowState, suspend, workflowState }: StepContext<unknown>) => {
        const { count = 0 } = workflowState as { count?: number };
        if (count === 180 && resumeData === undefined) suspend('asks');
        setWorkflowState({ count: count + 1 });
        throw new RangeError('as always');
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andDoWhile({
        id: 'loop',
        step: tap,
        condition: ({ workflowState }) => (workflowState as { count: number }).count < 182,
      }),
    );
    const { executionId } = await kit.run({ from: 'the start' });
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'completed', result: { from: 'the start' } });
    expect((await kit.row(executionId)).workflowState).toEqual({ count: 182 });
  });
});

describe('the history of a long loop', () => {
  it('undoes the steps of all rounds when the workflow fails', async () => {
    const undone: unknown[] = [];
    const kit = new WorkflowKit(
      numbers
        .andDoWhile(loopOf(200, andThen({ ...add(199), compensate: ({ data }) => undone.push(data) })))
        .andThen({ id: 'fail', execute: () => Promise.reject(new RangeError('no')) }),
    );
    const { executionId } = await kit.run(0);
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'error' });
    expect(undone).toEqual(Array.from({ length: 200 }, (_, index) => 200 - index));
  });

  it('is complete for a rewind to an early round, with the workflow state of that time', async () => {
    const kit = new WorkflowKit(
      numbers.andDoWhile(
        loopOf(
          200,
          andThen(
            add(199, ({ setWorkflowState, workflowState }) =>
              setWorkflowState({ count: ((workflowState as { count?: number }).count ?? 0) + 1 }),
            ),
          ),
        ),
      ),
    );
    const { executionId } = await kit.run(0);
    await kit.restart();
    await kit.resume(executionId, undefined, 'add:5');
    expect((await kit.row(executionId)).workflowState).toEqual({ count: 199 });
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'completed', result: 200 });
    expect((await kit.row(executionId)).workflowState).toEqual({ count: 200 });
  });

  it('is complete for a retry and for a replay', async () => {
    let mayFail = true;
    const fails = (context: StepContext<number>): void => {
      if (context.data === 180 && mayFail) throw new RangeError('not yet');
    };
    const kit = new WorkflowKit(
      numbers.andDoWhile(loopOf(200, andThen(add(150, fails)))).andTap({ id: 'end', execute: () => {} }),
    );
    const { executionId } = await kit.run(0);
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'error' });
    mayFail = false;
    await kit.restart();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed', result: 200 });
    expect(await kit.replay(executionId, { stepId: 'end' })).toMatchObject({ status: 'completed', result: 200 });
  });
});

describe('getStepData in a loop', () => {
  const reading = (read: (context: StepContext<number>) => unknown, rounds = 200) =>
    numbers.andDoWhile(
      loopOf(
        rounds,
        andThen({
          id: 'add',
          execute: (context: StepContext<number>) => {
            if (context.data === rounds - 1) read(context);
            return add(rounds - 1).execute(context);
          },
        }),
      ),
    );

  it.each([3, 200])('reads the round before, also in another process: %i rounds', async (rounds) => {
    const seen: unknown[] = [];
    const kit = new WorkflowKit(
      reading(({ getStepData }) => seen.push(getStepData(`add:${rounds - 2}`)?.output, getStepData('add')), rounds),
    );
    const { executionId } = await kit.run(0);
    await kit.restart();
    expect(await kit.resume(executionId, true)).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([rounds - 1, undefined, rounds - 1, undefined]);
  });

  it.each([3, 200])('fails for an older round, and says what to do instead: %i rounds', async (rounds) => {
    const kit = new WorkflowKit(reading(({ getStepData }) => getStepData(`add:${rounds - 3}`), rounds));
    const { error } = await kit.run(0);
    expect(error).toMatchObject({ stepId: `add:${rounds - 1}` });
    expect(error?.message).toContain(
      `getStepData("add:${rounds - 3}") asks for round ${rounds - 3} of a loop, but steps of a loop can only be read`,
    );
    expect(error?.message).toContain('workflowState');
  });

  it.each([3, 200])('reads the last two rounds after the loop: %i rounds', async (rounds) => {
    const kit = new WorkflowKit(
      numbers
        .andDoWhile(loopOf(rounds))
        .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('once more') })
        .andThen({
          id: 'read',
          execute: ({ getStepData }) => [rounds - 1, rounds - 2].map((round) => getStepData(`add:${round}`)?.output),
        })
        .andThen({ id: 'too-old', execute: ({ getStepData }) => getStepData(`add:${rounds - 3}`) }),
    );
    const { executionId } = await kit.run(0);
    await kit.resume(executionId, true);
    await kit.restart();
    const { error } = await kit.resume(executionId, true);
    expect(error).toMatchObject({ stepId: 'too-old' });
    expect((await kit.journal(executionId)).find(({ path }) => path === 'read')?.output).toEqual([rounds, rounds - 1]);
  });

  it('reads the steps of the same round when it undoes one of them', async () => {
    const undone: unknown[] = [];
    const round = andAll({
      id: 'round',
      steps: [
        andThen({ id: 'price', execute: ({ data }: StepContext<unknown>) => [data].flat(9)[0] ?? 0 }),
        andThen({
          id: 'charge',
          execute: () => 'charged',
          compensate: ({ getStepData }) => undone.push(getStepData('price')?.status),
        }),
      ],
    });
    let rounds = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andDoUntil({ id: 'loop', step: round, condition: () => (rounds += 1) === 4 })
        .andThen({ id: 'fail', execute: () => Promise.reject(new RangeError('no')) }),
    );
    expect(await kit.run(0)).toMatchObject({ status: 'error' });
    expect(undone).toEqual(['success', 'success', 'success', 'success']);
  });
});
