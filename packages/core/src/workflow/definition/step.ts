import type { JsonValue } from '@halyard/contracts';
import type { Agent } from '../../agent/agent.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StepRun } from '../interpreter/step/step-run.ts';
import type { CompensationContext, Flow, StepContext } from './step-context.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** Every kind of step. */
export const stepTypes = [
  'andThen',
  'andWhen',
  'andAll',
  'andRace',
  'andTap',
  'andAgent',
  'andWorkflow',
  'andForEach',
  'andBranch',
  'andDoWhile',
  'andDoUntil',
  'andMap',
  'andSleep',
  'andSleepUntil',
  'andGuardrail',
  'andTry',
  'andWaitForEvent',
  'andRun',
  'andStart',
  'andJoin',
] as const;

export type StepType = (typeof stepTypes)[number];

/** What a step inside `andTry` is for. */
export type StepRole = 'catch' | 'finally';

/** How often and when a failed step is retried. */
export interface StepRetries {
  /** Attempts in all, including the first; default 1. */
  readonly attempts: number;
  /** Wait before the second attempt, doubled before each further one; default 1 000. Each wait is shortened at random, by up to half. */
  readonly delayMs: number;
  /** Longest wait; default 60 000. */
  readonly maxDelayMs: number;
  /** Whether this error is retried; default: every error. */
  readonly retryOn: (error: unknown) => boolean;
}

/** Options of every step. */
export interface StepOptions {
  /** `^[A-Za-z0-9_.-]{1,64}$`, unique in its workflow. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  readonly purpose?: string;
}

/** Excludes steps where options are expected: a step has the fields of some options. */
export interface NotAStep {
  readonly type?: never;
}

/** Further options of steps with a body. */
export interface BodyOptions {
  /** Schema of the data. Data that does not fit fails the step. */
  readonly input?: Schema;
  /** Schema of the output. An output that does not fit fails the step. */
  readonly output?: Schema;
  /** Schema of what the step sends when it suspends; default: the workflow's. */
  readonly suspendSchema?: Schema;
  /** Schema of the answer that resumes the step; default: the workflow's. */
  readonly resumeSchema?: Schema;
  readonly retries?: Partial<StepRetries>;
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The option of steps that can be undone. */
export interface CompensateOption<Out, F extends Flow> {
  /**
   * Undoes the step. Called when the workflow fails or is cancelled after the step has finished: the newest step first, with the step's retries and time
   * limit. Runs at least once and is recorded once. If it fails for good, that is recorded and logged, and the next step is undone.
   */
  readonly compensate?: (context: CompensationContext<Out, F>) => unknown;
}

/** A node in the tree of a workflow, as the runtime sees it. */
export interface AnyStep {
  readonly id: string;
  readonly name: string;
  readonly type: StepType;
  readonly purpose: string;
  readonly input: CompiledSchema<unknown> | undefined;
  readonly output: CompiledSchema<unknown> | undefined;
  readonly suspendSchema: CompiledSchema<unknown> | undefined;
  readonly resumeSchema: CompiledSchema<unknown> | undefined;
  readonly retries: Partial<StepRetries>;
  readonly timeoutMs: number | undefined;
  /** Steps inside this one. */
  readonly steps: readonly AnyStep[];
  /** What an inner step is for, by its id, where its place in the list does not say it. */
  readonly roles?: Readonly<Record<string, StepRole>>;
  /** The workflow that the step runs. */
  readonly workflow?: WorkflowDefinition;
  /** The workflow that the step starts as an execution of its own. */
  readonly starts?: WorkflowDefinition;
  /** The agent that the step runs. */
  readonly agent?: Agent;
  /** The event that the step waits for. */
  readonly event?: {
    readonly name: string;
    readonly from: 'server' | 'owner';
    readonly timeoutMs: number | undefined;
  };
  /** Runs the step. Data and output are JSON. */
  run(run: StepRun, data: JsonValue): Promise<JsonValue>;
  /** Undoes the finished step, whose output is the data. */
  compensate?(context: StepContext<unknown>): unknown;
  /** The output when the step fails. Absent: the failure is that of the step or workflow around it. */
  outputOnError?(data: JsonValue): JsonValue;
}

/** A step with data `In` and output `Out`, in a workflow with the types `F`. Created by the `and…` functions. */
export interface Step<in In, out Out, in F extends Flow = Flow> extends AnyStep {
  /** Carries types only; never set. */
  readonly '~types'?: (data: In, flow: F) => Out;
}
