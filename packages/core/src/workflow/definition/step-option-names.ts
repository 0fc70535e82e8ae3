import type { OptionNames } from '@halyard/contracts';
import type { AgentStepOptions } from '../steps/and-agent.ts';
import type { AllOptions } from '../steps/and-all.ts';
import type { BranchOptions } from '../steps/and-branch.ts';
import type { ForEachItemOptions, ForEachOptions } from '../steps/and-for-each.ts';
import type { GuardrailOptions } from '../steps/and-guardrail.ts';
import type { JoinOptions } from '../steps/and-join.ts';
import type { MapOptions } from '../steps/and-map.ts';
import type { RaceOptions } from '../steps/and-race.ts';
import type { RunStepOptions } from '../steps/and-run.ts';
import type { SleepUntilOptions } from '../steps/and-sleep-until.ts';
import type { SleepOptions } from '../steps/and-sleep.ts';
import type { StartInputOptions, StartStepOptions } from '../steps/and-start.ts';
import type { TapOptions } from '../steps/and-tap.ts';
import type { ThenOptions } from '../steps/and-then.ts';
import type { TryOptions } from '../steps/and-try.ts';
import type { WaitForEventOptions } from '../steps/and-wait-for-event.ts';
import type { WhenOptions } from '../steps/and-when.ts';
import type { WorkflowInputOptions, WorkflowStepOptions } from '../steps/and-workflow.ts';
import type { LoopOptions } from '../steps/loop.ts';
import type { Flow } from './step-context.ts';
import type { StepOptions, StepRetries, StepType } from './step.ts';

const common: OptionNames<StepOptions> = { id: true, name: true, purpose: true };
const limits = { retries: true, timeoutMs: true } as const;
const schemas = { input: true, resumeSchema: true, suspendSchema: true } as const;

const tap: OptionNames<TapOptions<unknown, Flow>> = { ...common, ...limits, ...schemas, execute: true };
const then: OptionNames<ThenOptions<unknown, unknown, Flow>> = { ...tap, compensate: true, output: true };
const agent: OptionNames<AgentStepOptions<unknown, undefined, Flow>> = {
  ...common,
  ...limits,
  agent: true,
  compensate: true,
  options: true,
  prompt: true,
  schema: true,
};
const race: OptionNames<RaceOptions<[]>> = { ...common, steps: true };
const all: OptionNames<AllOptions<[]>> = { ...race, keepData: true };
const branch: OptionNames<BranchOptions<[]>> = { ...common, branches: true };
const forEach: OptionNames<
  ForEachOptions<unknown, unknown, Flow> | ForEachItemOptions<unknown, unknown, unknown, Flow>
> = { ...common, concurrency: true, items: true, step: true };
const guardrail: OptionNames<GuardrailOptions<unknown, Flow>> = { ...common, guardrails: true };
const join: OptionNames<JoinOptions<unknown, Flow>> = { ...common, executions: true };
const loop: OptionNames<LoopOptions<unknown, Flow>> = { ...common, condition: true, maxIterations: true, step: true };
const map: OptionNames<MapOptions<object>> = { ...common, map: true };
const run: OptionNames<RunStepOptions<unknown, unknown, Flow>> = {
  ...common,
  compensate: true,
  input: true,
  output: true,
  run: true,
};
const sleep: OptionNames<SleepOptions<unknown, Flow>> = { ...common, durationMs: true };
const sleepUntil: OptionNames<SleepUntilOptions<unknown, Flow>> = { ...common, date: true };
const start: OptionNames<StartStepOptions<unknown> | StartInputOptions<unknown, unknown, Flow>> = {
  ...common,
  input: true,
  metadata: true,
  priority: true,
  startAfterMs: true,
  userId: true,
  workflow: true,
};
const tryStep: OptionNames<TryOptions<unknown, unknown, unknown, Flow>> = {
  ...common,
  catch: true,
  finally: true,
  step: true,
};
const waitForEvent: OptionNames<WaitForEventOptions<unknown, undefined, Flow>> = {
  ...common,
  event: true,
  from: true,
  key: true,
  schema: true,
  timeoutMs: true,
};
const when: OptionNames<WhenOptions<unknown, unknown, Flow>> = { ...common, condition: true, step: true };
const workflow: OptionNames<
  WorkflowStepOptions<unknown, unknown> | WorkflowInputOptions<unknown, unknown, unknown, Flow>
> = { ...common, input: true, workflow: true };

export const stepRetryNames: OptionNames<StepRetries> = {
  attempts: true,
  delayMs: true,
  maxDelayMs: true,
  retryOn: true,
};

/** The options of each kind of step. */
export const stepOptionNames: Readonly<Record<StepType, Readonly<Record<string, true>>>> = {
  andAgent: agent,
  andAll: all,
  andBranch: branch,
  andDoUntil: loop,
  andDoWhile: loop,
  andForEach: forEach,
  andGuardrail: guardrail,
  andJoin: join,
  andMap: map,
  andRace: race,
  andRun: run,
  andSleep: sleep,
  andSleepUntil: sleepUntil,
  andStart: start,
  andTap: tap,
  andThen: then,
  andTry: tryStep,
  andWaitForEvent: waitForEvent,
  andWhen: when,
  andWorkflow: workflow,
};
