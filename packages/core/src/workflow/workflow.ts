import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { Jsonify } from '../json/jsonify.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { AccessLevel } from '../tool/access-level.ts';
import type { FlowControl } from './definition/flow-control.ts';
import type { Flow } from './definition/step-context.ts';
import { indexSteps, type StepIndex } from './definition/step-index.ts';
import type { AnyStep, StepRetries } from './definition/step.ts';
import type { UserOperations } from './definition/user-operations.ts';
import type { ResultFits, WorkflowDefinition } from './definition/workflow-definition.ts';
import type { WorkflowHooks } from './definition/workflow-hooks.ts';
import { type ScheduleOptions, withSchedule, type WorkflowSchedule } from './definition/workflow-schedule.ts';
import type { EventToPublish, PublishResult } from './engine/accept-event.ts';
import type { RunResult } from './engine/run-result.ts';
import type {
  ExecutionKey,
  ReplayOptions,
  ResumeOptions,
  StartOptions,
  WaitOptions,
} from './engine/runtime-options.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import type { FollowedEvent } from './follow/follow-execution.ts';
import { StepChain } from './step-chain.ts';

/** A workflow with input `In` and result `Out`, as other workflows and the server see it. */
export interface AnyWorkflow<in In = never, out Out = unknown> extends WorkflowDefinition {
  /** Carries types only; never set. */
  readonly '~workflow'?: (input: In) => Out;
}

/**
 * The type of a workflow whose steps do not lead to its result: no place that takes workflows
 * accepts it.
 */
interface ResultDoesNotFit<Data, Result> {
  readonly error: 'The output of the last step does not fit the `result` of the workflow';
  readonly output: Data;
  readonly result: Result;
}

type CheckedResult<Data, F extends Flow> = [Data] extends [F['result']]
  ? ResultFits
  : unknown extends F['result']
    ? ResultFits
    : ResultDoesNotFit<Data, F['result']>;

/** The input of a workflow, if its steps lead to its result. */
type CheckedInput<In, Data, F extends Flow> = CheckedResult<Data, F> extends ResultFits ? In : CheckedResult<Data, F>;

/** The result of an execution: as its schema parses it, else the output of the last step. */
type ResultOf<Data, F extends Flow> = unknown extends F['parsedResult'] ? Data : Jsonify<F['parsedResult']>;

/** How a script runs a workflow without a server. */
export interface RunWorkflowOptions extends StartOptions, WaitOptions {
  /** Default: a runtime of this workflow, with a store in memory that ends with the process. */
  readonly runtime?: WorkflowRuntime | undefined;
}

/** An execution that is being followed. */
export interface WorkflowStream<Out> {
  readonly executionId: string;
  /** Its events until it is idle: suspended or finished. */
  readonly events: AsyncIterable<FollowedEvent>;
  /** Its result once it is idle. May be ignored: a rejection is never reported as unhandled. */
  readonly result: Promise<RunResult<Out>>;
}

/**
 * A chain of steps. The data of each step is the output of the one before. A workflow is immutable:
 * every `and…` method returns a new workflow with one more step.
 *
 * `In` is the input, `Data` the output of the last step, `F` the types that all steps share, and
 * `Outputs` the outputs of the steps by id.
 */
export class Workflow<in In, Data, F extends Flow, Outputs extends object = {}> extends StepChain<
  In,
  Data,
  F,
  Outputs
> {
  readonly id: string;
  readonly access: AccessLevel;
  readonly name: string;
  readonly purpose: string;
  readonly steps: readonly AnyStep[];
  readonly index: StepIndex;
  readonly input: CompiledSchema<unknown> | undefined;
  readonly result: CompiledSchema<unknown> | undefined;
  readonly suspendSchema: CompiledSchema<unknown> | undefined;
  readonly resumeSchema: CompiledSchema<unknown> | undefined;
  readonly retries: Partial<StepRetries>;
  readonly timeoutMs: number | undefined;
  readonly hooks: WorkflowHooks;
  readonly hookTimeoutMs: number | undefined;
  readonly priority: number;
  readonly flowControl: FlowControl;
  readonly users: UserOperations;
  readonly schedules: readonly WorkflowSchedule[];
  readonly versions: readonly WorkflowDefinition[];
  readonly replaces: readonly WorkflowDefinition[];
  declare readonly '~workflow'?: (input: In) => ResultOf<Data, F>;
  /** Carries types only; never set. */
  declare readonly '~result'?: CheckedResult<Data, F>;
  /** Carries types only; never set. */
  declare readonly '~flow'?: F;
  #runtime: WorkflowRuntime | undefined;

  /** @throws ConfigurationError when two steps share an id. */
  constructor(definition: Omit<WorkflowDefinition, 'index' | '~result'>) {
    super();
    this.id = definition.id;
    this.access = definition.access;
    this.name = definition.name;
    this.purpose = definition.purpose;
    this.steps = definition.steps;
    this.index = indexSteps(definition.id, definition.steps);
    this.input = definition.input;
    this.result = definition.result;
    this.suspendSchema = definition.suspendSchema;
    this.resumeSchema = definition.resumeSchema;
    this.retries = definition.retries;
    this.timeoutMs = definition.timeoutMs;
    this.hooks = definition.hooks;
    this.hookTimeoutMs = definition.hookTimeoutMs;
    this.priority = definition.priority;
    this.flowControl = definition.flowControl;
    this.users = definition.users;
    this.schedules = definition.schedules;
    this.versions = definition.versions;
    this.replaces = definition.replaces;
  }

  /**
   * Starts the workflow at the times of a cron expression, in every server and started runtime that
   * has it: one execution per tick, however many processes there are.
   *
   * @throws ConfigurationError for an invalid expression or time zone, or a second schedule with
   * the same name.
   */
  schedule(options: ScheduleOptions<In>): Workflow<In, Data, F, Outputs> {
    return new Workflow({ ...this, schedules: withSchedule(this, options) });
  }

  /**
   * Starts an execution and waits until it is idle: suspended or finished. A failed execution is a
   * result with the status `error`.
   *
   * @throws InvalidInputError, ConflictError
   */
  async run(input: CheckedInput<In, Data, F>, options: RunWorkflowOptions = {}): Promise<RunResult<ResultOf<Data, F>>> {
    const { runtime = this.#ownRuntime() } = options;
    return this.#typed(runtime.execute(this.id, input, options, options));
  }

  /** Starts an execution and follows its events. @throws InvalidInputError, ConflictError */
  async stream(
    input: CheckedInput<In, Data, F>,
    options: RunWorkflowOptions = {},
  ): Promise<WorkflowStream<ResultOf<Data, F>>> {
    const { runtime = this.#ownRuntime() } = options;
    const { events, executionId } = await runtime.stream(this.id, input, options);
    const result = this.#typed(runtime.wait(this.#key(executionId), options));
    result.catch(() => {});
    return { executionId, events, result };
  }

  /**
   * Resumes a suspension and waits until the execution is idle again. An approval, and a step that
   * asks again, need the `suspensionId`. @throws NotFoundError, NotSuspendedError,
   * InvalidInputError, ConflictError
   */
  async resume(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: ResumeOptions & WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    const key = this.#key(executionId);
    await runtime.resume(key, options);
    return this.#typed(runtime.wait(key, options));
  }

  /**
   * Waits until an execution is idle or, with `until: 'ended'`, until it has ended. @throws
   * NotFoundError
   */
  async wait(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    return this.#typed(runtime.wait(this.#key(executionId), options));
  }

  /** Publishes an event for executions that wait for it. @throws InvalidInputError */
  async publish(event: EventToPublish, { runtime = this.#ownRuntime() }: RuntimeChoice = {}): Promise<PublishResult> {
    return runtime.publish(event);
  }

  /**
   * Lets a failed execution continue from the steps that failed, and waits until it is idle.
   * @throws NotFoundError, InvalidInputError
   */
  async retry(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.retry(this.#key(executionId));
    return this.#typed(runtime.wait(this.#key(executionId), options));
  }

  /**
   * Suspends a running execution at the next boundary of a step. @throws NotFoundError,
   * InvalidInputError, UnavailableError
   */
  async suspend(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.suspend(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /**
   * Cancels an execution and waits until it has ended. @throws NotFoundError, InvalidInputError,
   * UnavailableError
   */
  async cancel(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.cancel(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /**
   * Runs a new execution that starts at a step of another one. @throws NotFoundError,
   * InvalidInputError
   */
  async replay(
    executionId: string,
    options: ReplayOptions & WaitOptions & RuntimeChoice,
  ): Promise<RunResult<ResultOf<Data, F>>> {
    // Callers without a compiler can leave out the options. The runtime then names the missing one.
    const { runtime = this.#ownRuntime() } = { ...options };
    const replayed = await runtime.replay(this.#key(executionId), options);
    return this.#typed(runtime.wait(this.#key(replayed), options));
  }

  protected override withStep<Out, After extends object>(step: AnyStep): Workflow<In, Out, F, After> {
    return new Workflow({ ...this, steps: [...this.steps, step] });
  }

  #key(executionId: string): ExecutionKey {
    return { owner: 'anyone', workflowId: this.id, executionId };
  }

  #ownRuntime(): WorkflowRuntime {
    if (this.#runtime === undefined) {
      this.#runtime = new WorkflowRuntime({
        // A script starts its own executions; schedules apply in servers and started runtimes.
        workflows: [withoutSchedules(this)],
        storage: createInMemoryStorage(),
      });
      this.#runtime.start();
    }
    return this.#runtime;
  }

  /** The chain of steps guarantees the type of the result. */
  #typed(result: Promise<RunResult>): Promise<RunResult<ResultOf<Data, F>>> {
    return result as Promise<RunResult<ResultOf<Data, F>>>;
  }
}

interface RuntimeChoice {
  readonly runtime?: WorkflowRuntime;
}

function withoutSchedules(workflow: Omit<WorkflowDefinition, '~result'>): WorkflowDefinition {
  return { ...workflow, schedules: [] };
}
