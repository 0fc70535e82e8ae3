import type { JsonValue } from '@halyard/contracts';
import type { Agent } from '../../agent/agent.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StepRun } from '../runtime/step/step-run.ts';
import type { Flow } from './step-context.ts';
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
] as const;

export type StepType = (typeof stepTypes)[number];

/** How often, and when, a step that failed is tried again. */
export interface StepRetries {
  /** Tries in all, the first included; default 1. */
  readonly attempts: number;
  /** Before the second try, doubled before each further one; default 1 000. Each wait is shortened by up to half, at random. */
  readonly delayMs: number;
  /** Longest wait; default 60 000. */
  readonly maxDelayMs: number;
  /** Whether this error is worth another try; default: every one. */
  readonly retryOn: (error: unknown) => boolean;
}

/** What all steps have in common. */
export interface StepOptions {
  /** `^[A-Za-z0-9_.-]{1,64}$`, unique in its workflow. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  readonly purpose?: string;
}

/** What steps with a body of their own take besides. */
export interface BodyOptions {
  /** What the step accepts; data that does not fit ends the run in `error`. */
  readonly input?: Schema;
  /** What the step gives; an output that does not fit ends the run in `error`. */
  readonly output?: Schema;
  /** What the step tells whoever resumes it; default: the workflow's. */
  readonly suspendSchema?: Schema;
  /** What it is resumed with; default: the workflow's. */
  readonly resumeSchema?: Schema;
  readonly retries?: Partial<StepRetries>;
  /** Of one try, in milliseconds. */
  readonly timeoutMs?: number;
}

/** A node in the tree of a workflow, as the interpreter sees it. */
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
  /** The workflow that it runs. */
  readonly workflow?: WorkflowDefinition;
  /** The agent that it runs. */
  readonly agent?: Agent;
  /** Runs the step. Data and output are JSON. */
  run(run: StepRun, data: JsonValue): Promise<JsonValue>;
  /** The output when the step fails. Absent: the failure is that of the step or workflow around it. */
  outputOnError?(data: JsonValue): JsonValue;
}

/** A step that takes `In` and gives `Out`, in a workflow of the types `F`. Made by the `and…` functions. */
export interface Step<in In, out Out, in F extends Flow = Flow> extends AnyStep {
  /** For the compiler only. */
  readonly '~types'?: (data: In, flow: F) => Out;
}
