import { silentLogger } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { DefinitionIds } from './definition/definition-ids.ts';
import type { StepContext } from './definition/step-context.ts';
import type { WorkflowDefinition } from './definition/workflow-definition.ts';
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
): Promise<{ readonly status: string; readonly reason: string | undefined }> {
  const kit = new WorkflowKit(from);
  const { executionId: id } = await kit.run();
  await kit.restart({ ...to, replaces: [from] });
  const { status, suspension } = await kit.resume(id, 'done');
  return { status, reason: suspension?.reason };
}

describe('an execution whose workflow was replaced by another', () => {
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
  ])('is suspended, and the reason names the step: %s', async (_, to, where) => {
    expect(await changed(to)).toEqual({ status: 'suspended', reason: `Workflow "w" has changed: ${where}` });
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
    expect(await changed(to, from)).toMatchObject({
      status: 'suspended',
      reason: expect.stringContaining('has changed'),
    });
    const inFront = start.andWorkflow({
      id: 'sub',
      workflow: child
        .andThen({ id: 'new', execute: () => 1 })
        .andThen(a)
        .andThen(ask),
    });
    expect((await changed(inFront, from)).reason).toContain('step "sub/new" was inserted before "a"');
    expect(
      await changed(start.andWorkflow({ id: 'sub', workflow: child.andThen(a).andThen(ask).andThen(b) }), from),
    ).toMatchObject({ status: 'suspended', reason: 'ask' });
  });

  it('runs no steps, and continues with a version that fits', async () => {
    const gate = new Gate();
    const log: string[] = [];
    const from = start.andThen(a).andThen({ id: 'slow', execute: (context) => gate.pass(context) });
    const kit = new WorkflowKit(from);
    const id = await kit.begin();
    const broken = start.andThen({ id: 'slow', execute: () => log.push('ran') });
    await kit.restart({ ...broken, replaces: [from] });
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended' });
    expect(log).toEqual([]);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-suspended w', 'workflow-result w']);
    gate.open();
    await kit.restart({ ...from, replaces: [broken] });
    expect(await kit.resume(id)).toMatchObject({ status: 'completed' });
  });

  it('continues when it had not recorded any step', async () => {
    const gate = new Gate();
    const old = start.andThen({ id: 'old', execute: (context) => gate.pass(context) });
    const kit = new WorkflowKit(old);
    const id = await kit.begin();
    await kit.restart({ ...start.andAll({ id: 'all', steps: [andThen(a)] }), replaces: [old] });
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: ['A'] });
  });
});

describe('an execution of another definition', () => {
  const v1 = start.andThen(ask);
  const charged: string[] = [];
  const charge = {
    id: 'charge',
    execute: ({ state }: StepContext<unknown>) => (charged.push(state.executionId), 'charged'),
  };
  const v2 = v1.andThen(charge);

  it('is not run by a process with an older one, which would skip its steps', async () => {
    const warnings: object[] = [];
    const kit = new WorkflowKit(v2).use({ logger: { ...silentLogger, warn: (fields) => warnings.push(fields) } });
    const { executionId: id } = await kit.run();
    await kit.restart(v1);
    await kit.answer(id, 'yes');
    await kit.advance(60_000);
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    expect(warnings).toContainEqual({ executions: [id], workflows: ['w'] });
    await kit.restart(v2);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'charged' });
    expect(charged).toContain(id);
  });

  it('is continued by a definition that appends steps, and not by the old one after that', async () => {
    const later = v1.andThen({ id: 'again', execute: asks }).andThen(charge);
    const kit = new WorkflowKit(v1);
    const { executionId: id } = await kit.run();
    await kit.restart(later);
    expect(await kit.resume(id, 'yes')).toMatchObject({ status: 'suspended', suspension: { stepId: 'again' } });
    await kit.restart(v1);
    await kit.answer(id, 'yes');
    expect(await kit.row(id)).toMatchObject({ status: 'running' });
    await kit.restart(later);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'charged' });
  });

  it('waits for a process that has its steps when the change is breaking', async () => {
    const kit = new WorkflowKit(v2);
    const { executionId: id } = await kit.run();
    const v3 = start.andThen({ id: 'check', execute: () => 1 }).andThen(ask);
    await kit.restart(v3);
    await kit.answer(id, 'yes');
    expect(await kit.row(id)).toMatchObject({ status: 'running' });
    const both = createWorkflow({ id: 'w', versions: [v2] })
      .andThen({ id: 'check', execute: () => 1 })
      .andThen(ask);
    await kit.restart(both);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'charged' });
    expect(await kit.run()).toMatchObject({ status: 'suspended', suspension: { suspendedStepIndex: 1 } });
  });

  it('rewinds, retries and replays with its own definition', async () => {
    const kit = new WorkflowKit(v2);
    const { executionId: id } = await kit.run();
    await kit.restart({ ...start.andThen({ id: 'check', execute: () => 1 }).andThen(ask), versions: [v2] });
    expect(await kit.resume(id, 'yes')).toMatchObject({ result: 'charged' });
    expect(await kit.replay(id, { stepId: 'charge' })).toMatchObject({ status: 'completed', result: 'charged' });
  });

  it('is named by the ids, types and nesting of its steps, and by nothing else', () => {
    const id = (workflow: WorkflowDefinition): string => new DefinitionIds([workflow]).of(workflow);
    expect(id(start.andThen({ ...ask, name: 'Ask', execute: () => 1 }))).toBe(id(v1));
    const others = [
      v2,
      start.andTap(ask),
      start.andThen({ ...ask, id: 'other' }),
      start.andAll({ id: 'all', steps: [andThen(ask)] }),
      createWorkflow({ id: 'x' }).andThen(ask),
      start.andWorkflow({ id: 'sub', workflow: v1 }),
      start.andWorkflow({ id: 'sub', workflow: v2 }),
    ].map(id);
    expect(new Set([...others, id(v1)]).size).toBe(others.length + 1);
  });

  it('checks answers with the schemas of the version that asked, also in a sub-workflow', async () => {
    const Cents = Type.Object({ cents: Type.Integer({ maximum: 100 }) });
    const asking = createWorkflow({ id: 'asking' }).andThen({
      id: 'old',
      resumeSchema: Cents,
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('how much?'),
    });
    const first = createWorkflow({ id: 'w' }).andWorkflow({ id: 'sub', workflow: asking });
    const second = createWorkflow({ id: 'w', versions: [first] }).andThen({ id: 'new', execute: () => 'new' });
    for (const [one, other] of [
      [first, second],
      [asking, createWorkflow({ id: 'asking', versions: [asking] }).andThen({ id: 'new', execute: () => 'new' })],
    ] as const) {
      const kit = new WorkflowKit(one);
      const id = await kit.begin();
      await kit.restart(other);
      for (const unfit of [{ cents: 5_000 }, 'free', null, []])
        await expect(kit.resume(id, unfit)).rejects.toMatchObject({ kind: 'invalid-input' });
      expect(await kit.resume(id, { cents: 100 })).toMatchObject({ status: 'completed', result: { cents: 100 } });
    }
  });

  it('can be answered at a process that does not know its workflow', async () => {
    const kit = new WorkflowKit(v1);
    const id = await kit.begin();
    await kit.restart(createWorkflow({ id: 'other' }).andThen({ id: 'work', execute: () => 'other' }));
    await kit.answer(id, 'yes');
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    await kit.restart(v1);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
  });

  it('knows the workflows that only an earlier version starts', async () => {
    const child = createWorkflow({ id: 'child' }).andThen({ id: 'work', execute: () => 'made' });
    const first = createWorkflow({ id: 'w' })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') })
      .andStart({ id: 'start', workflow: child });
    const kit = new WorkflowKit(first);
    const id = await kit.begin();
    await kit.restart(createWorkflow({ id: 'w', versions: [first] }).andThen({ id: 'other', execute: () => 'other' }));
    expect(await kit.resume(id, 'go')).toMatchObject({ status: 'completed' });
  });

  it('refuses earlier versions of another workflow', () => {
    expect(() => createWorkflow({ id: 'w', versions: [createWorkflow({ id: 'x' })] })).toThrow(
      'Workflow "w" can have earlier versions with this id only, not "x"',
    );
  });
});
