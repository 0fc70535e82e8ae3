import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import { andThen } from './steps/and-then.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';
import type { AnyWorkflow } from './workflow.ts';

const asks = ({ resumeData, suspend }: StepContext<unknown>): unknown => resumeData ?? suspend('ask');
const start = createWorkflow({ id: 'w' });
const a = { id: 'a', execute: () => 'A' };
const ask = { id: 'ask', execute: asks };
const before = start.andThen(a).andAll({ id: 'all', steps: [andThen({ id: 'b', execute: () => 'B' }), andThen(ask)] });
const b = { id: 'b', execute: asks };

/** Runs one workflow until it is suspended, and resumes it with another definition. */
async function changed(
  to: AnyWorkflow,
  from: AnyWorkflow = before,
): Promise<{ readonly status: string; readonly message: string | undefined; readonly code: string | undefined }> {
  const kit = new WorkflowKit(from);
  const { executionId: id } = await kit.run();
  await kit.restart(to);
  const { error, status } = await kit.resume(id, 'done');
  return { status, message: error?.message, code: error?.code };
}

describe('an execution whose workflow has changed', () => {
  it.each<readonly [string, AnyWorkflow, string]>([
    [
      'a step that was recorded is gone',
      start.andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }),
      'step "a" was recorded and no longer exists',
    ],
    [
      'a step inside another that was recorded is gone',
      start.andThen(a).andAll({ id: 'all', steps: [andThen(ask)] }),
      'step "all/b" was recorded and no longer exists',
    ],
    [
      'a step that was recorded is of another type',
      start.andTap({ id: 'a', execute: () => {} }).andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }),
      'step "a" was recorded as andThen and is now andTap',
    ],
    [
      'a step was put in front of one that was recorded',
      start
        .andThen({ id: 'new', execute: () => 1 })
        .andThen(a)
        .andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }),
      'step "new" was inserted before "a", which was recorded without it',
    ],
    [
      'a step was put in front of one that began',
      start
        .andThen(a)
        .andThen({ id: 'new', execute: () => 1 })
        .andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }),
      'step "new" was inserted before "all", which was recorded without it',
    ],
    [
      'steps were exchanged',
      start.andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }).andThen(a),
      'step "all" was inserted before "a", which was recorded without it',
    ],
    [
      'the step that waits is gone',
      start.andThen(a).andAll({ id: 'all', steps: [andThen(b)] }),
      'step "all/ask" was recorded and no longer exists',
    ],
  ])('fails and names the step: %s', async (_, to, where) => {
    expect(await changed(to)).toEqual({
      status: 'error',
      code: 'DEFINITION_CHANGED',
      message: `Workflow "w" has changed: ${where}`,
    });
  });

  it.each<readonly [string, AnyWorkflow]>([
    ['steps were added after what has begun', before.andThen({ id: 'new', execute: ({ data }) => data })],
    [
      'a new branch in parallel to those that have started',
      start
        .andThen(a)
        .andAll({ id: 'all', steps: [andThen({ id: 'c', execute: () => 'C' }), andThen(b), andThen(ask)] }),
    ],
    [
      'what steps do, and how they are called',
      start
        .andThen({ ...a, name: 'First', execute: () => 'other' })
        .andAll({ id: 'all', steps: [andThen(b), andThen(ask)] }),
    ],
  ])('continues when the change fits its journal: %s', async (_, to) => {
    expect(await changed(to)).toMatchObject({ status: 'completed' });
  });

  it('checks sub-workflows too', async () => {
    const child = createWorkflow({ id: 'child' });
    const from = start.andWorkflow({ id: 'sub', workflow: child.andThen(a).andThen(ask) });
    const to = start.andAll({
      id: 'all',
      steps: [andWorkflow({ id: 'sub', workflow: child.andThen(a).andThen(ask) })],
    });
    expect(await changed(to, from)).toMatchObject({ code: 'DEFINITION_CHANGED' });
    const inFront = start.andWorkflow({
      id: 'sub',
      workflow: child
        .andThen({ id: 'new', execute: () => 1 })
        .andThen(a)
        .andThen(ask),
    });
    expect((await changed(inFront, from)).message).toContain('step "sub/new" was inserted before "a"');
    expect(
      await changed(start.andWorkflow({ id: 'sub', workflow: child.andThen(a).andThen(ask).andThen(b) }), from),
    ).toMatchObject({ status: 'suspended' });
  });

  it('runs no steps, and emits the failure once', async () => {
    const gate = new Gate();
    const log: string[] = [];
    const kit = new WorkflowKit(start.andThen(a).andThen({ id: 'slow', execute: (context) => gate.pass(context) }));
    const id = await kit.begin();
    await kit.restart(start.andThen({ id: 'slow', execute: () => log.push('ran') }));
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error' });
    expect(log).toEqual([]);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-error w', 'workflow-result w']);
  });

  it('continues when it had not recorded any step', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(start.andThen({ id: 'old', execute: (context) => gate.pass(context) }));
    const id = await kit.begin();
    await kit.restart(start.andAll({ id: 'all', steps: [andThen(a)] }));
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: ['A'] });
  });
});
