import { ConfigurationError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { andAgent } from '../steps/and-agent.ts';
import { andAll } from '../steps/and-all.ts';
import { andBranch } from '../steps/and-branch.ts';
import { andDoUntil } from '../steps/and-do-until.ts';
import { andDoWhile } from '../steps/and-do-while.ts';
import { andForEach } from '../steps/and-for-each.ts';
import { andGuardrail } from '../steps/and-guardrail.ts';
import { andJoin } from '../steps/and-join.ts';
import { andMap } from '../steps/and-map.ts';
import { andRace } from '../steps/and-race.ts';
import { andRun } from '../steps/and-run.ts';
import { andSleepUntil } from '../steps/and-sleep-until.ts';
import { andSleep } from '../steps/and-sleep.ts';
import { andStart } from '../steps/and-start.ts';
import { andTap } from '../steps/and-tap.ts';
import { andThen } from '../steps/and-then.ts';
import { andTry } from '../steps/and-try.ts';
import { andWaitForEvent } from '../steps/and-wait-for-event.ts';
import { andWhen } from '../steps/and-when.ts';
import { andWorkflow } from '../steps/and-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import type { Step, StepType } from './step.ts';

it.each([
  [() => andThen({ id: 'price' } as never), 'Step "price" (andThen) needs the option `execute`, a function'],
  [() => andTap({ id: 'log', execute: 5 } as never), 'Step "log" (andTap) needs the option `execute`, a function'],
  [() => andRun({ id: 'code' } as never), 'Step "code" (andRun) needs the option `run`, a function'],
  [
    () => andWhen({ id: 'big', step: andThen({ id: 'price', execute: () => 1 }) } as never),
    'Step "big" (andWhen) needs the option `condition`, a function',
  ],
])('refuses a step without its function: %#', (make, message) => {
  expect(make).toThrow(new ConfigurationError(message));
});

it.each([
  [() => andAll({ id: 'ask', steps: [{ id: 'price', execute: () => 1 }] } as never), 'Step "ask" (andAll)'],
  [() => andRace({ id: 'ask', steps: [undefined] } as never), 'Step "ask" (andRace)'],
  [() => andWhen({ id: 'big', condition: () => true, step: { id: 'price' } } as never), 'Step "big" (andWhen)'],
  [() => andForEach({ id: 'lines' } as never), 'Step "lines" (andForEach)'],
])('refuses something that is not a step inside a step: %#', (make, step) => {
  const message = `${step} contains something that is not a step: create each with a function such as andThen({ … })`;
  expect(make).toThrow(new ConfigurationError(message));
});

const kinds: Readonly<Record<StepType, (options: never) => unknown>> = {
  andAgent,
  andAll,
  andBranch,
  andDoUntil,
  andDoWhile,
  andForEach,
  andGuardrail,
  andJoin,
  andMap,
  andRace,
  andRun,
  andSleep,
  andSleepUntil,
  andStart,
  andTap,
  andThen,
  andTry,
  andWaitForEvent,
  andWhen,
  andWorkflow,
};

const inner = andThen({ id: 'inner', execute: () => 1 });

/** Options without an id that are valid otherwise. */
const withoutId: Readonly<Record<StepType, object>> = {
  andAgent: { agent: {}, prompt: 'Hello' },
  andAll: { steps: [inner] },
  andBranch: { branches: [{ condition: () => true, step: inner }] },
  andDoUntil: { condition: () => true, step: inner },
  andDoWhile: { condition: () => true, step: inner },
  andForEach: { step: inner },
  andGuardrail: { guardrails: [{ name: 'any', check: () => ({ action: 'allow' }) }] },
  andJoin: {},
  andMap: { map: {} },
  andRace: { steps: [inner] },
  andRun: { run: () => 1 },
  andSleep: { durationMs: 1 },
  andSleepUntil: { date: 1 },
  andStart: { workflow: createWorkflow({ id: 'other' }) },
  andTap: { execute: () => 1 },
  andThen: { execute: () => 1 },
  andTry: { step: inner, finally: andThen({ id: 'last', execute: () => 1 }) },
  andWaitForEvent: { event: 'paid' },
  andWhen: { condition: () => true, step: inner },
  andWorkflow: { workflow: createWorkflow({ id: 'other' }) },
};

describe.each([undefined, null, ''])('a step with the id %o', (id) => {
  const orders = createWorkflow({ id: 'orders' }).andThen({ id: 'first', execute: () => 1 });
  const advice = 'give it one that is unique in the workflow';

  it.each(Object.entries(kinds))('is refused by its workflow, with the place of %s', (type, create) => {
    const options = { ...withoutId[type as StepType], ...(id !== undefined && { id }) };
    const method: unknown = Reflect.get(orders, type);
    expect(() => Reflect.apply(method as () => unknown, orders, [options])).toThrow(
      new ConfigurationError(`Step 2 of workflow "orders" (${type}) has no id: ${advice}`),
    );
    const step = create(options as never) as Step<unknown, unknown>;
    const around = andAll({ id: 'around', steps: [andThen({ id: 'beside', execute: () => 1 }), step] });
    expect(() => orders.andForEach({ id: 'each', items: () => [1], step: around })).toThrow(
      new ConfigurationError(`Step 2 in step "around" (andAll) of workflow "orders" (${type}) has no id: ${advice}`),
    );
  });

  it('is named by its kind in other errors', () => {
    expect(() => andThen({ id, execute: 1 } as never)).toThrow(
      'A step without an id (andThen) needs the option `execute`, a function',
    );
    expect(() => andAll({ id, steps: [] } as never)).toThrow('A step without an id (andAll) needs at least one step');
  });

  it('fails the code that calls it, with its place', async () => {
    const workflow = createWorkflow({ id: 'w' }).andRun({
      id: 'code',
      run: async ({ step }) => {
        await step('one', () => 1);
        return step(id as never, () => 2);
      },
    });
    expect((await new WorkflowKit(workflow).run()).error?.message).toBe(
      'Step "code" failed: step 2 that the code of "code" calls (andThen) has no id: pass one as the first argument',
    );
  });
});

it('refuses an id that is not a text', () => {
  expect(() => andThen({ id: 5, execute: () => 1 } as never)).toThrow(
    new ConfigurationError('The id of a step (andThen) must be a text, not a number'),
  );
});

it.each(Object.entries(kinds))('refuses a step in place of the options of %s', (type, create) => {
  const step = andThen({ id: 'price', execute: () => 1 });
  expect(() => create(step as never)).toThrow(
    `${type} needs the options of a step, not the step "price" itself: ${type}({ id: 'price', … })`,
  );
});
