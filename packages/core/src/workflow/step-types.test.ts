import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import type { Step, StepType } from './definition/step.ts';
import { andAll } from './steps/and-all.ts';
import { andBranch } from './steps/and-branch.ts';
import { andDoUntil } from './steps/and-do-until.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andForEach } from './steps/and-for-each.ts';
import { andGuardrail } from './steps/and-guardrail.ts';
import { andMap } from './steps/and-map.ts';
import { andRace } from './steps/and-race.ts';
import { andRun } from './steps/and-run.ts';
import { andSleepUntil } from './steps/and-sleep-until.ts';
import { andSleep } from './steps/and-sleep.ts';
import { andTap } from './steps/and-tap.ts';
import { andThen } from './steps/and-then.ts';
import { andTry } from './steps/and-try.ts';
import { andWhen } from './steps/and-when.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';
import type { AnyWorkflow } from './workflow.ts';

type Body = (context: StepContext<unknown>) => unknown;

/**
 * A step of each kind that calls a function of the author, and its expected output when that
 * function returns `'made'` for the data `'given'`.
 */
interface StepCase {
  readonly type: StepType;
  /** `sibling` is called by another part of the step, in parallel to the body or before it. */
  readonly make: (body: Body, sibling: () => unknown) => Step<unknown, unknown>;
  readonly output: unknown;
  /** The step that the error names when the body fails. */
  readonly failing: string;
  readonly siblingRuns?: number;
}

const work = (execute: Body): Step<unknown, unknown> => andThen({ id: 'work', execute });

/** Kinds of steps in which a body can suspend. */
const withBody: readonly StepCase[] = [
  { type: 'andThen', make: (body) => work(body), output: 'made', failing: 'work' },
  {
    type: 'andWhen',
    make: (body, sibling) => andWhen({ id: 'it', condition: () => sibling() !== null, step: work(body) }),
    output: 'made',
    failing: 'work',
    siblingRuns: 1,
  },
  {
    type: 'andAll',
    make: (body, sibling) => andAll({ id: 'it', steps: [andThen({ id: 'sibling', execute: sibling }), work(body)] }),
    output: ['sibling', 'made'],
    failing: 'work',
    siblingRuns: 1,
  },
  { type: 'andRace', make: (body) => andRace({ id: 'it', steps: [work(body)] }), output: 'made', failing: 'work' },
  {
    type: 'andWorkflow',
    make: (body, sibling) =>
      andWorkflow({
        id: 'it',
        workflow: createWorkflow({ id: 'child' }).andTap({ id: 'sibling', execute: sibling }).andThen({
          id: 'work',
          execute: body,
        }),
      }),
    output: 'made',
    failing: 'it',
    siblingRuns: 1,
  },
  {
    type: 'andForEach',
    make: (body, sibling) =>
      andForEach({
        id: 'it',
        items: () => ['first', 'second'],
        step: andThen({
          id: 'work',
          execute: (context: StepContext<unknown>) => (context.data === 'first' ? sibling() : body(context)),
        }),
      }),
    output: ['sibling', 'made'],
    failing: 'work:1',
    siblingRuns: 1,
  },
  {
    type: 'andBranch',
    make: (body, sibling) =>
      andBranch({
        id: 'it',
        branches: [
          { condition: () => true, step: andThen({ id: 'sibling', execute: sibling }) },
          { condition: () => true, step: work(body) },
          { condition: () => false, step: andThen({ id: 'never', execute: sibling }) },
        ],
      }),
    output: ['sibling', 'made', null],
    failing: 'work',
    siblingRuns: 1,
  },
  {
    type: 'andDoWhile',
    make: (body, sibling) =>
      andDoWhile({
        id: 'it',
        condition: ({ data }) => data === 'sibling',
        step: andThen({ id: 'work', execute: (context) => (context.data === 'given' ? sibling() : body(context)) }),
      }),
    output: 'made',
    failing: 'work:1',
    siblingRuns: 1,
  },
  {
    type: 'andDoUntil',
    make: (body, sibling) =>
      andDoUntil({
        id: 'it',
        condition: ({ data }) => data === 'made',
        step: andThen({ id: 'work', execute: (context) => (context.data === 'given' ? sibling() : body(context)) }),
      }),
    output: 'made',
    failing: 'work:1',
    siblingRuns: 1,
  },
  {
    type: 'andTry',
    make: (body, sibling) =>
      andTry({
        id: 'it',
        step: andAll({ id: 'both', steps: [andThen({ id: 'sibling', execute: sibling }), work(body)] }),
        finally: andThen({ id: 'last', execute: () => 'not used' }),
      }),
    output: ['sibling', 'made'],
    failing: 'work',
    siblingRuns: 1,
  },
  {
    type: 'andRun',
    make: (body, sibling) =>
      andRun({
        id: 'it',
        run: async ({ step }) => {
          await step('sibling', sibling);
          return step('work', body);
        },
      }),
    output: 'made',
    failing: 'it/work',
    siblingRuns: 1,
  },
  { type: 'andTap', make: (body) => andTap({ id: 'work', execute: body }), output: 'given', failing: '' },
];

/** Kinds of steps that call a function that cannot suspend. */
const withFunction: readonly StepCase[] = [
  {
    type: 'andMap',
    make: (body) => andMap({ id: 'it', map: { it: (context) => body(asBody(context)) } }),
    output: { it: 'made' },
    failing: 'it',
  },
  {
    type: 'andGuardrail',
    make: (body) =>
      andGuardrail({
        id: 'it',
        guardrails: [
          { name: 'one', check: async (_, context) => ({ action: 'modify', data: await body(asBody(context)) }) },
        ],
      }),
    output: 'made',
    failing: 'it',
  },
  {
    type: 'andSleep',
    make: (body) => andSleep({ id: 'it', durationMs: async (context) => (await body(asBody(context)), 0) }),
    output: 'given',
    failing: 'it',
  },
  {
    type: 'andSleepUntil',
    make: (body) => andSleepUntil({ id: 'it', date: async (context) => (await body(asBody(context)), 0) }),
    output: 'given',
    failing: 'it',
  },
];

/**
 * Such functions receive a smaller context than bodies. The functions of this file use only what
 * both have.
 */
function asBody(context: object): StepContext<unknown> {
  return context as StepContext<unknown>;
}

interface Calls {
  before: number;
  sibling: number;
  body: number;
  after: unknown[];
}

/** A workflow with a step of one kind between two others. */
function around(
  { make }: StepCase,
  body: Body,
  after: Body = ({ data }) => data,
): { readonly calls: Calls; readonly workflow: AnyWorkflow } {
  const calls: Calls = { before: 0, sibling: 0, body: 0, after: [] };
  const step = make(
    (context) => {
      calls.body += 1;
      return body(context);
    },
    () => {
      calls.sibling += 1;
      return 'sibling';
    },
  );
  const workflow = createWorkflow({ id: 'outer' })
    .andThen({
      id: 'before',
      execute: ({ data }): unknown => {
        calls.before += 1;
        return data;
      },
    })
    .andAll({ id: 'around', steps: [step] })
    .andThen({
      id: 'after',
      execute: (context): unknown => {
        calls.after.push(context.data);
        return after(context);
      },
    });
  return { calls, workflow };
}

function expectOnce(history: readonly string[]): void {
  const starts = history.filter((line) => line.startsWith('step-start'));
  const ends = history.filter((line) => line.startsWith('step-complete'));
  expect(new Set(starts).size).toBe(starts.length);
  expect(new Set(ends).size).toBe(ends.length);
}

describe.each([...withBody, ...withFunction])('$type', (one) => {
  const { siblingRuns = 0, output } = one;

  it('passes its output to the next step, and emits each start and end once', async () => {
    const { calls, workflow } = around(one, () => 'made');
    const kit = new WorkflowKit(workflow);
    const run = await kit.run('given');
    expect(run).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 1, after: [[output]] });
    const history = await kit.history(run.executionId);
    expectOnce(history);
    expect(history.filter((line) => line.startsWith('step-start')).length).toBe(
      history.filter((line) => line.startsWith('step-complete')).length,
    );
    const row = await kit.row(run.executionId);
    expect(row).toMatchObject({ suspensions: [], resumptions: [], timers: [], runner: null });
  });

  it('aborts its calls when it is cancelled, and drops their results', async () => {
    const gate = new Gate();
    const { calls, workflow } = around(one, async (context) => {
      await gate.pass(context);
      return 'made';
    });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin('given');
    expect(gate.signals[0]?.aborted).toBe(false);
    const cancelled = await kit.cancel(id, 'not wanted');
    expect(cancelled).toMatchObject({ status: 'cancelled', suspensions: [], timers: [] });
    expect(gate.signals[0]?.aborted).toBe(true);
    const history = await kit.history(id);
    expect(history.slice(-2)).toEqual(['workflow-cancelled outer', 'workflow-result outer']);

    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expect(calls.after).toEqual([]);
    for (const child of await kit.children(id)) expect(child.status).toBe('cancelled');
  });

  it('runs only the interrupted call again after a crash', async () => {
    const gate = new Gate();
    const { calls, workflow } = around(one, async (context) => {
      if (calls.body === 1) await gate.pass(context);
      return 'made';
    });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin('given');
    expect(calls.body).toBe(1);
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 2, after: [[output]] });

    const history = await kit.history(id);
    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expectOnce(history);
  });

  it('does not run again when the process dies after it', async () => {
    const gate = new Gate();
    const { calls, workflow } = around(
      one,
      () => 'made',
      async (context) => {
        if (calls.after.length === 1) await gate.pass(context);
        return context.data;
      },
    );
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin('given');
    expect(calls.after).toEqual([[output]]);
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 1, after: [[output], [output]] });
    expectOnce(await kit.history(id));
  });
});

describe.each([...withBody, ...withFunction].filter(({ failing }) => failing !== ''))('$type', (one) => {
  it('fails the execution with the name of the step when the function throws', async () => {
    const { failing } = one;
    const { calls, workflow } = around(one, () => {
      throw new TypeError('a driver’s text');
    });
    const kit = new WorkflowKit(workflow);
    const run = await kit.run('given');
    expect(run).toMatchObject({ status: 'error', result: null, error: { stepId: failing, code: 'STEP_FAILED' } });
    expect(run.error?.message).toContain(`Step "${failing}" failed`);
    expect(JSON.stringify(await kit.events(run.executionId))).not.toContain('driver');
    expect(calls).toMatchObject({ body: 1, after: [] });
    expect(await kit.history(run.executionId)).toContain('step-error around');
  });
});

describe.each(withBody)('$type with a suspension in it', (one) => {
  const { siblingRuns = 0, output } = one;
  const asking: Body = ({ resumeData, suspend }) => resumeData ?? suspend('ask', { what: 'work' });

  it('suspends the whole execution, and runs only the resumed body again', async () => {
    const { calls, workflow } = around(one, asking);
    const kit = new WorkflowKit(workflow);
    const { executionId, ...run } = await kit.run('given');
    expect(run).toMatchObject({ status: 'suspended', result: null, endAt: null });
    expect(run.suspension).toMatchObject({ reason: 'ask', suspendData: { what: 'work' }, suspendedStepIndex: 1 });
    expect(run.suspensions).toHaveLength(1);
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 1, after: [] });

    expect(await kit.resume(executionId, 'made')).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 2, after: [[output]] });
    expectOnce(await kit.history(executionId));
    expect(await kit.row(executionId)).toMatchObject({ suspensions: [], resumptions: [] });
  });

  it('can be resumed in another process, and suspend again', async () => {
    const { calls, workflow } = around(one, ({ resumeData, suspend }) =>
      resumeData === 'made' ? resumeData : suspend(`ask ${calls.body}`),
    );
    const kit = new WorkflowKit(workflow);
    const { executionId } = await kit.run('given');
    await kit.restart();
    expect(await kit.resume(executionId, 'no')).toMatchObject({ status: 'suspended', suspension: { reason: 'ask 2' } });
    await kit.restart();
    expect(calls.body).toBe(2);
    expect(await kit.resume(executionId, 'made')).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, sibling: siblingRuns, body: 3, after: [[output]] });
    expectOnce(await kit.history(executionId));
  });

  it('can be cancelled while it waits', async () => {
    const { calls, workflow } = around(one, asking);
    const kit = new WorkflowKit(workflow);
    const { executionId } = await kit.run('given');
    expect(await kit.cancel(executionId)).toMatchObject({ status: 'cancelled', suspensions: [] });
    for (const child of await kit.children(executionId)) expect(child.status).toBe('cancelled');
    await expect(kit.resume(executionId, 'made')).rejects.toMatchObject({ code: 'EXECUTION_NOT_SUSPENDED' });
    expect(calls).toMatchObject({ body: 1, after: [] });
  });

  it('cancels the whole execution when it aborts', async () => {
    const { calls, workflow } = around(one, ({ abort }) => abort('never mind'));
    const kit = new WorkflowKit(workflow);
    const { executionId, ...run } = await kit.run('given');
    expect(run).toMatchObject({ status: 'cancelled', result: null });
    expect((await kit.events(executionId)).at(-2)).toMatchObject({ type: 'workflow-cancelled', reason: 'never mind' });
    for (const child of await kit.children(executionId)) expect(child.status).toBe('cancelled');
    expect(calls.after).toEqual([]);
  });

  it('is suspended even when the body catches the signal that `suspend` throws', async () => {
    const { calls, workflow } = around(one, ({ resumeData, suspend }) => {
      if (resumeData !== undefined) return resumeData;
      try {
        return suspend('ask');
      } catch {
        return 'caught';
      }
    });
    const kit = new WorkflowKit(workflow);
    const { executionId, status } = await kit.run('given');
    expect(status).toBe('suspended');
    expect(await kit.resume(executionId, 'made')).toMatchObject({ status: 'completed', result: [output] });
    expect(calls.body).toBe(2);
  });
});
