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
import { andSleepUntil } from './steps/and-sleep-until.ts';
import { andSleep } from './steps/and-sleep.ts';
import { andTap } from './steps/and-tap.ts';
import { andThen } from './steps/and-then.ts';
import { andWhen } from './steps/and-when.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';
import type { AnyWorkflow } from './workflow.ts';

type Body = (context: StepContext<unknown>) => unknown;

/** A step of each kind, with an author's function somewhere in it: what is expected when that gives `'made'` for the data `'given'`. */
interface StepCase {
  readonly type: StepType;
  /** `beside` is called by a step that runs side by side with the body, or before it. */
  readonly make: (body: Body, beside: () => unknown) => Step<unknown, unknown>;
  readonly output: unknown;
  /** Who is named where the body fails. */
  readonly failing: string;
  readonly besideRuns?: number;
}

const work = (execute: Body): Step<unknown, unknown> => andThen({ id: 'work', execute });

/** Kinds of steps in which a body can suspend. */
const withBody: readonly StepCase[] = [
  { type: 'andThen', make: (body) => work(body), output: 'made', failing: 'work' },
  {
    type: 'andWhen',
    make: (body, beside) => andWhen({ id: 'it', condition: () => beside() !== null, step: work(body) }),
    output: 'made',
    failing: 'work',
    besideRuns: 1,
  },
  {
    type: 'andAll',
    make: (body, beside) => andAll({ id: 'it', steps: [andThen({ id: 'beside', execute: beside }), work(body)] }),
    output: ['beside', 'made'],
    failing: 'work',
    besideRuns: 1,
  },
  { type: 'andRace', make: (body) => andRace({ id: 'it', steps: [work(body)] }), output: 'made', failing: 'work' },
  {
    type: 'andWorkflow',
    make: (body, beside) =>
      andWorkflow({
        id: 'it',
        workflow: createWorkflow({ id: 'child' }).andTap({ id: 'beside', execute: beside }).andThen({
          id: 'work',
          execute: body,
        }),
      }),
    output: 'made',
    failing: 'it',
    besideRuns: 1,
  },
  {
    type: 'andForEach',
    make: (body, beside) =>
      andForEach({
        id: 'it',
        items: () => ['first', 'second'],
        step: andThen({
          id: 'work',
          execute: (context: StepContext<unknown>) => (context.data === 'first' ? beside() : body(context)),
        }),
      }),
    output: ['beside', 'made'],
    failing: 'work:1',
    besideRuns: 1,
  },
  {
    type: 'andBranch',
    make: (body, beside) =>
      andBranch({
        id: 'it',
        branches: [
          { condition: () => true, step: andThen({ id: 'beside', execute: beside }) },
          { condition: () => true, step: work(body) },
          { condition: () => false, step: andThen({ id: 'never', execute: beside }) },
        ],
      }),
    output: ['beside', 'made', null],
    failing: 'work',
    besideRuns: 1,
  },
  {
    type: 'andDoWhile',
    make: (body, beside) =>
      andDoWhile({
        id: 'it',
        condition: ({ data }) => data === 'beside',
        step: andThen({ id: 'work', execute: (context) => (context.data === 'given' ? beside() : body(context)) }),
      }),
    output: 'made',
    failing: 'work:1',
    besideRuns: 1,
  },
  {
    type: 'andDoUntil',
    make: (body, beside) =>
      andDoUntil({
        id: 'it',
        condition: ({ data }) => data === 'made',
        step: andThen({ id: 'work', execute: (context) => (context.data === 'given' ? beside() : body(context)) }),
      }),
    output: 'made',
    failing: 'work:1',
    besideRuns: 1,
  },
  { type: 'andTap', make: (body) => andTap({ id: 'work', execute: body }), output: 'given', failing: '' },
];

/** Kinds of steps that ask a function of the author's, which cannot suspend. */
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

/** What functions see that are no bodies is less; the bodies of this file ask for no more. */
function asBody(context: object): StepContext<unknown> {
  return context as StepContext<unknown>;
}

interface Calls {
  before: number;
  beside: number;
  body: number;
  after: unknown[];
}

/** A workflow with a step of one kind between two others. */
function around(
  { make }: StepCase,
  body: Body,
  after: Body = ({ data }) => data,
): { readonly calls: Calls; readonly workflow: AnyWorkflow } {
  const calls: Calls = { before: 0, beside: 0, body: 0, after: [] };
  const step = make(
    (context) => {
      calls.body += 1;
      return body(context);
    },
    () => {
      calls.beside += 1;
      return 'beside';
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
  const { besideRuns = 0, output } = one;

  it('gives its output to the next step, and tells of each start and end once', async () => {
    const { calls, workflow } = around(one, () => 'made');
    const kit = new WorkflowKit(workflow);
    const run = await kit.run('given');
    expect(run).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 1, after: [[output]] });
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

  it('runs again what a process died in, and nothing else', async () => {
    const gate = new Gate();
    const { calls, workflow } = around(one, async (context) => {
      if (calls.body === 1) await gate.pass(context);
      return 'made';
    });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin('given');
    expect(calls.body).toBe(1);
    await kit.restart();
    expect(await kit.rest(id)).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 2, after: [[output]] });

    const history = await kit.history(id);
    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expectOnce(history);
  });

  it('is not run again when a process dies after it', async () => {
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
    expect(await kit.rest(id)).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 1, after: [[output], [output]] });
    expectOnce(await kit.history(id));
  });
});

describe.each([...withBody, ...withFunction].filter(({ failing }) => failing !== ''))('$type', (one) => {
  it('ends the run in error when what it calls throws, naming the step', async () => {
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
  const { besideRuns = 0, output } = one;
  const asking: Body = ({ resumeData, suspend }) => resumeData ?? suspend('ask', { what: 'work' });

  it('suspends the whole execution, and runs nothing again but the body that is resumed', async () => {
    const { calls, workflow } = around(one, asking);
    const kit = new WorkflowKit(workflow);
    const { executionId, ...run } = await kit.run('given');
    expect(run).toMatchObject({ status: 'suspended', result: null, endAt: null });
    expect(run.suspension).toMatchObject({ reason: 'ask', suspendData: { what: 'work' }, suspendedStepIndex: 1 });
    expect(run.suspensions).toHaveLength(1);
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 1, after: [] });

    expect(await kit.resume(executionId, 'made')).toMatchObject({ status: 'completed', result: [output] });
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 2, after: [[output]] });
    expectOnce(await kit.history(executionId));
    expect(await kit.row(executionId)).toMatchObject({ suspensions: [], resumptions: [] });
  });

  it('is resumed by another process, and may suspend again', async () => {
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
    expect(calls).toEqual({ before: 1, beside: besideRuns, body: 3, after: [[output]] });
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

  it('keeps to its suspension although the body catches what suspend throws', async () => {
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
