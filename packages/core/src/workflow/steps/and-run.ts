import type { JsonValue } from '@halyard/contracts';
import type { Jsonify } from '../../json/jsonify.ts';
import type { InferSchemaInput, Schema } from '../../schema/schema.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow, StepContext } from '../definition/step-context.ts';
import type {
  AnySchema,
  BodyFunction,
  BodyOptions,
  BodyOutput,
  CompensateOption,
  Step,
  StepOptions,
  StepOutput,
  TypedBy,
} from '../definition/step.ts';
import type { JoinedExecution } from '../interpreter/step/join-executions.ts';
import { type CallStep, runCode } from '../interpreter/step/run-code.ts';
import type { StartByStepOptions } from '../interpreter/step/start-execution.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { andJoin, type ExecutionsToJoin } from './and-join.ts';
import { andSleepUntil, type Moment } from './and-sleep-until.ts';
import { andSleep } from './and-sleep.ts';
import { andStart, type StartedExecution } from './and-start.ts';
import { andThen } from './and-then.ts';
import { andWaitForEvent, type EventOutput, type WaitForEventOptions } from './and-wait-for-event.ts';

/**
 * Options of a step that code calls. Its suspension and resume data have the schemas of the
 * workflow.
 */
export type CalledStepOptions<Output extends AnySchema = AnySchema> = Pick<
  BodyOptions<AnySchema, Output>,
  'output' | 'retries' | 'timeoutMs'
>;

/** The options of a wait for an event in code. The key is a text: the code has chosen it. */
export type CalledEventOptions<S extends Schema | undefined> = Pick<
  WaitForEventOptions<unknown, S, Flow>,
  'event' | 'from' | 'schema' | 'timeoutMs'
> & { readonly key?: string | undefined };

/**
 * Calls a function as a step. With an `output` schema, the function returns a value that the schema
 * accepts.
 */
export interface CalledStep<In, F extends Flow> {
  <Out>(
    id: string,
    execute: (context: StepContext<In, F>) => Out | Promise<Out>,
    options?: CalledStepOptions<undefined>,
  ): Promise<Jsonify<Out>>;
  <Output extends Schema>(
    id: string,
    execute: (context: StepContext<In, F>) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>,
    options: CalledStepOptions<Output>,
  ): Promise<BodyOutput<Output, unknown>>;
}

/**
 * The context of the code of `andRun`. Each id is unique in one run of the code: in a loop, add the
 * number of the round. Do everything that takes time, changes something or may give another value
 * the next time inside `step`.
 */
export interface CodeContext<In, F extends Flow = Flow> extends DataContext<In, F> {
  /**
   * Calls a function and records its result. After that, it returns the record. `execute` gets the
   * context of an `andThen` body: it may suspend, bail or abort.
   *
   * Rejects with a StepFailedError when it has failed for good, after its retries.
   */
  readonly step: CalledStep<In, F>;
  /** Waits for a duration in milliseconds, like `andSleep`. */
  readonly sleep: (id: string, durationMs: number) => Promise<void>;
  /** Waits until a point in time, like `andSleepUntil`. */
  readonly sleepUntil: (id: string, date: Moment) => Promise<void>;
  /**
   * Waits for an event, like `andWaitForEvent`. Returns its payload, or null when none came in
   * time.
   */
  readonly waitForEvent: <S extends Schema | undefined = undefined>(
    id: string,
    options: CalledEventOptions<S>,
  ) => Promise<EventOutput<S>>;
  /**
   * Starts another workflow as an execution of its own, like `andStart`. The server or runtime must
   * have the workflow.
   */
  readonly start: <ChildIn>(
    id: string,
    workflow: AnyWorkflow<ChildIn>,
    input: ChildIn,
    options?: StartByStepOptions,
  ) => Promise<StartedExecution>;
  /** Waits until executions have ended that were started by a step, like `andJoin`. */
  readonly join: (id: string, executions: ExecutionsToJoin) => Promise<readonly JoinedExecution[]>;
}

export interface RunStepOptions<
  In,
  Out,
  F extends Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Output extends AnySchema = undefined,
>
  extends
    StepOptions<Id>,
    Pick<BodyOptions<Input, Output>, 'input' | 'output'>,
    CompensateOption<BodyOutput<Output, Out>, F> {
  /** Ordinary code. Returns the output, which is converted to JSON. */
  readonly run: BodyFunction<CodeContext<TypedBy<Input, In>, F>, Output, Out>;
}

/**
 * Runs a part of a workflow as ordinary code, with its loops and conditions. Its calls of `step`,
 * `sleep` and `waitForEvent` are recorded. In another process, after a crash or a wait, the code
 * runs again from its beginning, and recorded calls return at once.
 *
 * A call that still runs when the code returns is stopped.
 */
export function andRun<
  In,
  Out,
  F extends Flow = Flow,
  Id extends string = string,
  Input extends AnySchema = undefined,
  Output extends AnySchema = undefined,
>(
  options: RunStepOptions<In, Out, F, Id, Input, Output>,
): Step<In, BodyOutput<Output, Out>, F, StepOutput<Id, BodyOutput<Output, Out>>> {
  const code = options.run as (context: CodeContext<unknown>) => unknown;
  const { compensate } = options as CompensateOption<unknown, Flow>;
  return createStep('andRun', options, {
    run: (run, data) => runCode(run, data, (context, call) => code(codeContext(context, call))),
    ...(compensate !== undefined && { compensate }),
  });
}

function codeContext(context: DataContext<unknown>, call: CallStep): CodeContext<unknown> {
  const { getStepData } = context;
  return {
    get data() {
      return context.data;
    },
    get input() {
      return context.input;
    },
    get state() {
      return context.state;
    },
    get context() {
      return context.context;
    },
    get workflowState() {
      return context.workflowState;
    },
    get signal() {
      return context.signal;
    },
    get user() {
      return context.user;
    },
    get logger() {
      return context.logger;
    },
    getStepData,
    step: <Out>(id: string, execute: (context: StepContext<unknown>) => unknown, options: CalledStepOptions = {}) =>
      called<Out>(call(() => andThen({ ...options, id, execute }))),
    sleep: (id, durationMs) => called(call(() => andSleep({ id, durationMs }))),
    sleepUntil: (id, date) => called(call(() => andSleepUntil({ id, date }))),
    start: (id, workflow, input, options) =>
      called(call(() => andStart({ ...options, id, workflow, input: () => input }))),
    join: (id, executions) => called(call(() => andJoin({ id, executions: () => executions }))),
    waitForEvent: (id, options) => called(call(() => andWaitForEvent({ ...options, id }))),
  };
}

/** The step was created for this type. */
function called<Out>(output: Promise<JsonValue>): Promise<Out> {
  return output as Promise<Out>;
}
