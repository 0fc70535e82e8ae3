import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
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
import type { StepType } from './step.ts';

it.each([
  [
    () => andThen({ id: 'price', execute: () => 1, timeout: 5 } as never),
    'Step "price" (andThen) has no option "timeout". Did you mean "timeoutMs"?',
  ],
  [
    () => andSleep({ id: 'wait', durationMs: 5, duration: 5 } as never),
    'Step "wait" (andSleep) has no option "duration". Did you mean "durationMs"?',
  ],
  [
    () => andWorkflow({ id: 'child', workflow: createWorkflow({ id: 'w' }), inputs: () => 1 } as never),
    'Step "child" (andWorkflow) has no option "inputs". Did you mean "input"?',
  ],
])('refuses an unknown option, and names the nearest one: %#', (make, message) => {
  expect(make).toThrow(message);
});

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

it.each(Object.entries(kinds))('refuses a step in place of the options of %s', (type, create) => {
  const step = andThen({ id: 'price', execute: () => 1 });
  expect(() => create(step as never)).toThrow(
    `${type} needs the options of a step, not the step "price" itself: ${type}({ id: 'price', … })`,
  );
});
