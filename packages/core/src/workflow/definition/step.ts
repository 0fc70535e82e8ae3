import type { JsonValue } from '@halyard/contracts';
import type { Agent } from '../../agent/agent.ts';
import type { Jsonify } from '../../json/jsonify.ts';
import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { InferSchema, InferSchemaInput, Schema } from '../../schema/schema.ts';
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

/** The role of a step inside `andTry`. */
export type StepRole = 'catch' | 'finally';

/** How often and when a failed step is retried. */
export interface StepRetries {
  /** Attempts in all, including the first; default 1. */
  readonly attempts: number;
  /**
   * Wait before the second attempt, doubled before each further one; default 1 000. Each wait is
   * shortened at random, by up to half.
   */
  readonly delayMs: number;
  /** Longest wait; default 60 000. */
  readonly maxDelayMs: number;
  /** Whether this error is retried; default: every error. */
  readonly retryOn: (error: unknown) => boolean;
}

/** Options of every step. */
export interface StepOptions<Id extends string = string> {
  /** `^[A-Za-z0-9_.-]{1,64}$`, unique in its workflow. */
  readonly id: Id;
  /** Default: the id. */
  readonly name?: string | undefined;
  readonly purpose?: string | undefined;
}

/** Excludes steps where options are expected: a step has the fields of some options. */
export interface NotAStep {
  readonly type?: never;
}

/** Further options of steps with a body. The schemas give their types to the body. */
export interface BodyOptions<
  Input extends AnySchema = AnySchema,
  Output extends AnySchema = AnySchema,
  Suspend extends AnySchema = AnySchema,
  Resume extends AnySchema = AnySchema,
> {
  /** Schema of the data. Data that does not fit fails the step. */
  readonly input?: Input | undefined;
  /** Schema of the output. An output that does not fit fails the step. */
  readonly output?: Output | undefined;
  /** Schema of the data with which the step suspends; default: the workflow's. */
  readonly suspendSchema?: Suspend | undefined;
  /** Schema of the data that resumes the step; default: the workflow's. */
  readonly resumeSchema?: Resume | undefined;
  readonly retries?: Partial<StepRetries> | undefined;
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** A schema that an option may leave out. */
export type AnySchema = Schema | undefined;

/** The type of the data: that of its schema if that has a type. */
export type TypedBy<S extends AnySchema, Data> = S extends Schema
  ? unknown extends InferSchema<S>
    ? Data
    : InferSchema<S>
  : Data;

/** The context of a body with schemas of its own. */
export type BodyContext<
  In,
  F extends Flow,
  Input extends AnySchema,
  Suspend extends AnySchema,
  Resume extends AnySchema,
> = StepContext<
  TypedBy<Input, In>,
  F,
  Suspend extends Schema ? InferSchemaInput<Suspend> : F['suspend'],
  Resume extends Schema ? InferSchema<Resume> : F['resume']
>;

/** The types of a step that comes after those with these outputs. */
export interface FlowAfter<F extends Flow, Outputs extends object> extends Flow {
  readonly input: F['input'];
  readonly state: F['state'];
  readonly suspend: F['suspend'];
  readonly resume: F['resume'];
  readonly result: F['result'];
  readonly outputs: Outputs;
}

/**
 * The output of a step with this id, as later steps read it. Without `NoInfer`, the id of a step
 * inside another one is `string`.
 */
export type StepOutput<Id extends string, Out> = string extends Id ? {} : { readonly [Key in NoInfer<Id>]: Out };

/** The outputs of the steps inside a step, by id. */
export type OutputsInside<Steps extends readonly AnyStep[]> = Steps extends readonly [
  infer First,
  ...infer Rest extends readonly AnyStep[],
]
  ? OutputsIn<First> & OutputsInside<Rest>
  : {};

/** The outputs of a step and of those inside it, by id. */
export type OutputsIn<One> = One extends { readonly '~outputs'?: infer Outputs } ? NonNullable<Outputs> : {};

/** A body with an `output` schema returns a value that the schema accepts. */
export type BodyFunction<Context, Output extends AnySchema, Out> = Output extends Schema
  ? (context: Context) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>
  : (context: Context) => Out | Promise<Out>;

/** The output of a body as JSON: that of its schema, else the returned value. */
export type BodyOutput<Output extends AnySchema, Out> = Jsonify<Output extends Schema ? InferSchema<Output> : Out>;

/** The option of steps that can be undone. */
export interface CompensateOption<Out, F extends Flow> {
  /**
   * Undoes the step. Called when the workflow fails or is cancelled after the step has finished:
   * the newest step first, with the step's retries and time limit. Runs at least once and is
   * recorded once. If it fails for good, that is recorded and logged, and the next step is undone.
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
  /** The role of an inner step, by its id, where its position in the list does not say it. */
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
  /**
   * The output when the step fails. Absent: the failure is that of the step or workflow around it.
   */
  outputOnError?(data: JsonValue): JsonValue;
}

/**
 * A step with data `In` and output `Out`, in a workflow with the types `F`. `Outputs` are those
 * that later steps can read by id: its own, and those of the steps inside it. Created by the `and…`
 * functions.
 */
export interface Step<in In, out Out, in F extends Flow = Flow, out Outputs extends object = {}> extends AnyStep {
  /** Carries types only; never set. */
  readonly '~types'?: (data: In, flow: F) => Out;
  /** Carries types only; never set. */
  readonly '~outputs'?: Outputs;
}
