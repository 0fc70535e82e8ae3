import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import type { StepContext } from '../definition/step-context.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andThen } from './and-then.ts';
import { andWorkflow } from './and-workflow.ts';

const asks = ({ resumeData, suspend }: StepContext<unknown>): unknown => resumeData ?? suspend('ask');
const child = createWorkflow({ id: 'child', name: 'Child' })
  .andThen({ id: 'one', execute: ({ data }) => ({ got: data }) })
  .andThen({ id: 'two', execute: asks });
const parent = createWorkflow({ id: 'parent' })
  .andThen({ id: 'before', execute: () => 'x' })
  .andWorkflow({ id: 'sub', workflow: child })
  .andThen({ id: 'after', execute: ({ data }) => ({ after: data }) });

describe('andWorkflow', () => {
  it('runs another workflow as a separate execution with its own events', async () => {
    const kit = new WorkflowKit(parent, child);
    const options = { userId: 'ann', conversationId: 'talk', context: { on: true }, metadata: { order: 1 } };
    const { executionId: id } = await kit.run(null, options);
    const [row] = await kit.children(id);
    expect(row).toMatchObject({
      ...options,
      workflowId: 'child',
      workflowName: 'Child',
      parentExecutionId: id,
      rootExecutionId: id,
      path: 'sub',
      input: 'x',
      status: 'suspended',
      suspensions: [{ stepId: 'two', stepIndex: 1 }],
    });
    expect(await kit.history(row?.id ?? '')).toEqual([
      'workflow-start child',
      'step-start one',
      'step-complete one',
      'step-start two',
      'workflow-suspended child',
      'workflow-result child',
    ]);
    expect(await kit.history(id)).toEqual([
      'workflow-start parent',
      'step-start before',
      'step-complete before',
      'step-start sub',
      'workflow-suspended parent',
      'workflow-result parent',
    ]);
    const [, suspended] = (await kit.events(id)).slice(-2);
    expect(suspended).toMatchObject({ suspension: { stepId: 'two', suspendedStepIndex: 1 } });
    expect((await kit.events(row?.id ?? '')).at(-1)).toMatchObject({
      suspension: { stepId: 'two', suspendedStepIndex: 1 },
    });

    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: { after: 'done' } });
    expect(await kit.row(row?.id ?? '')).toMatchObject({ status: 'completed', output: 'done', suspensions: [] });
    expect((await kit.history(row?.id ?? '')).slice(-3)).toEqual([
      'step-complete two',
      'workflow-complete child',
      'workflow-result child',
    ]);
    const seqs = await kit.storage.executions.events('anyone', row?.id ?? '', { after: 0, limit: 100 });
    expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map((_, index) => index + 1));
  });

  it.each(['parent', 'child'])('can be resumed through the %s', async (through) => {
    const kit = new WorkflowKit(parent, child);
    const { executionId: id } = await kit.run();
    const [row] = await kit.children(id);
    const run = await kit.resume(through === 'parent' ? id : (row?.id ?? ''), 'done', 'two');
    expect(run).toMatchObject({ status: 'completed', result: through === 'parent' ? { after: 'done' } : 'done' });
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: { after: 'done' } });
  });

  it.each(['parent', 'child'])('cancels parent and child through the %s', async (through) => {
    const kit = new WorkflowKit(parent, child);
    const { executionId: id } = await kit.run();
    const [row] = await kit.children(id);
    await kit.cancel(through === 'parent' ? id : (row?.id ?? ''), 'enough');
    expect(await kit.row(id)).toMatchObject({ status: 'cancelled' });
    expect(await kit.row(row?.id ?? '')).toMatchObject({ status: 'cancelled' });
    expect((await kit.events(row?.id ?? '')).at(-2)).toMatchObject({ type: 'workflow-cancelled', reason: 'enough' });
  });

  it('fails with the failure of its workflow, and records it', async () => {
    const failing = createWorkflow({ id: 'child' }).andThen({
      id: 'breaks',
      execute: (): string => {
        throw new TypeError('no');
      },
    });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andWorkflow({ id: 'sub', workflow: failing }), failing);
    const { error, executionId: id } = await kit.run();
    expect(error).toEqual({ message: 'Step "sub" failed: Step "breaks" failed', stepId: 'sub', code: 'STEP_FAILED' });
    const [row] = await kit.children(id);
    expect(row).toMatchObject({ status: 'error', error: { stepId: 'breaks' } });
    expect((await kit.history(row?.id ?? '')).slice(-2)).toEqual(['workflow-error child', 'workflow-result child']);
  });

  it('passes the chosen input to its workflow, as the schema parses it', async () => {
    const strict = createWorkflow({ id: 'strict', input: Type.Object({ n: Type.Integer() }) }).andThen({
      id: 'twice',
      execute: ({ data }) => data.n * 2,
    });
    const chosen = andWorkflow({
      id: 'sub',
      workflow: strict,
      input: ({ data }: { data: { count: number } }) => ({ n: data.count }),
    });
    const workflow = createWorkflow({ id: 'w', input: Type.Object({ count: Type.Number() }) }).andAll({
      id: 'all',
      steps: [chosen],
    });
    expect(await new WorkflowKit(workflow, strict).run({ count: 4 })).toMatchObject({ result: [8] });
    const kit = new WorkflowKit(workflow, strict);
    const { error, executionId: id } = await kit.run({ count: 0.5 });
    expect(error?.message).toBe('Step "sub" failed: input/n must be integer');
    expect(await kit.children(id)).toEqual([]);
  });

  it('has its own steps and state, and may use the step ids of its parent', async () => {
    const same = createWorkflow({ id: 'same' }).andThen({
      id: 'step',
      execute: ({ data, getStepData, setWorkflowState, workflowState }) => {
        setWorkflowState({ by: 'child' });
        return { data, before: workflowState, seen: getStepData('first')?.output ?? null };
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'first', execute: ({ setWorkflowState }) => (setWorkflowState({ by: 'parent' }), 'f') })
        .andWorkflow({ id: 'step', workflow: same })
        .andThen({ id: 'last', execute: ({ data, workflowState }) => ({ data, workflowState }) }),
      same,
    );
    const { executionId: id, result } = await kit.run();
    expect(result).toEqual({ data: { data: 'f', before: {}, seen: null }, workflowState: { by: 'parent' } });
    expect(await kit.children(id)).toMatchObject([{ workflowState: { by: 'child' } }]);
  });

  it('may be nested at any depth, each level an execution linked to its parent', async () => {
    const inner = createWorkflow({ id: 'inner' }).andThen({ id: 'ask', execute: asks });
    const middle = createWorkflow({ id: 'middle' }).andForEach({
      id: 'each',
      items: () => [1, 2],
      concurrency: 2,
      step: andWorkflow({ id: 'sub', workflow: inner }),
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'outer' }).andWorkflow({ id: 'sub', workflow: middle }),
      middle,
      inner,
    );
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toHaveLength(2);
    const [row] = await kit.children(id);
    const grandchildren = await kit.children(row?.id ?? '');
    expect(grandchildren.map(({ path, rootExecutionId }) => [path, rootExecutionId])).toEqual([
      ['sub/each:0/sub', id],
      ['sub/each:1/sub', id],
    ]);
    await kit.answer(grandchildren[1]?.id ?? '', 'second');
    expect(await kit.row(grandchildren[1]?.id ?? '')).toMatchObject({ status: 'completed' });
    expect(await kit.row(row?.id ?? '')).toMatchObject({ status: 'suspended' });
    await kit.restart();
    expect(await kit.resume(id, 'first')).toMatchObject({ status: 'completed', result: ['first', 'second'] });
  });

  it('ends only the sub-workflow when one of its steps bails', async () => {
    const early = createWorkflow({ id: 'early' })
      .andAll({
        id: 'all',
        steps: [andThen({ id: 'ask', execute: asks }), andThen({ id: 'stop', execute: ({ bail }) => bail('early') })],
      })
      .andThen({ id: 'never', execute: () => 'never' });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andWorkflow({ id: 'sub', workflow: early })
        .andThen({ id: 'after', execute: ({ data }) => [data] }),
      early,
    );
    const { executionId: id, result } = await kit.run();
    expect(result).toEqual(['early']);
    expect(await kit.children(id)).toMatchObject([{ status: 'completed', output: 'early', suspensions: [] }]);
  });
});
