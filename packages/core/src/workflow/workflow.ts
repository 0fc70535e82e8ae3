import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { Jsonify } from '../json/jsonify.ts';
import type { AccessLevel } from '../registry/access-level.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { FlowControl } from './definition/flow-control.ts';
import type { Flow } from './definition/step-context.ts';
import { indexSteps, type StepIndex } from './definition/step-index.ts';
import type {
  AnySchema,
  AnyStep,
  BodyOutput,
  FlowAfter,
  NotAStep,
  OutputsInside,
  Step,
  StepOutput,
  StepRetries,
} from './definition/step.ts';
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
import type { JoinedExecution } from './interpreter/step/join-executions.ts';
import { andAgent, type AgentOutput, type AgentStepOptions } from './steps/and-agent.ts';
import { andAll, type AllOptions, type AllOutput, type OutputsOf } from './steps/and-all.ts';
import {
  andBranch,
  type BranchCase,
  type BranchOptions,
  type BranchOutputs,
  type OutputsInBranches,
} from './steps/and-branch.ts';
import { andDoUntil } from './steps/and-do-until.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andForEach, type ForEachItemOptions, type ForEachOptions } from './steps/and-for-each.ts';
import { andGuardrail, type GuardrailOptions } from './steps/and-guardrail.ts';
import { andJoin, type JoinOptions } from './steps/and-join.ts';
import { andMap, type MapOptions, type MapOutput, type MapSource } from './steps/and-map.ts';
import { andRace, type RaceOptions } from './steps/and-race.ts';
import { andRun, type RunStepOptions } from './steps/and-run.ts';
import { andSleepUntil, type SleepUntilOptions } from './steps/and-sleep-until.ts';
import { andSleep, type SleepOptions } from './steps/and-sleep.ts';
import { andStart, type StartedExecution, type StartInputOptions, type StartStepOptions } from './steps/and-start.ts';
import { andTap, type TapOptions } from './steps/and-tap.ts';
import { andThen, type ThenOptions } from './steps/and-then.ts';
import { andTry, type TryOptions } from './steps/and-try.ts';
import { andWaitForEvent, type EventOutput, type WaitForEventOptions } from './steps/and-wait-for-event.ts';
import { andWhen, type WhenOptions } from './steps/and-when.ts';
import { andWorkflow, type WorkflowInputOptions, type WorkflowStepOptions } from './steps/and-workflow.ts';
import type { LoopOptions } from './steps/loop.ts';

/** A workflow with input `In` and result `Out`, as other workflows and the server see it. */
export interface AnyWorkflow<in In = never, out Out = unknown> extends WorkflowDefinition {
  /** Carries types only; never set. */
  readonly '~workflow'?: (input: In) => Out;
}

/** The type of a workflow whose steps do not lead to its result: no place that takes workflows accepts it. */
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

/** What a workflow is run with, if its steps lead to its result. */
type CheckedInput<In, Data, F extends Flow> = CheckedResult<Data, F> extends ResultFits ? In : CheckedResult<Data, F>;

/** The result of an execution: as its schema parses it, else the output of the last step. */
type ResultOf<Data, F extends Flow> = unknown extends F['parsedResult'] ? Data : Jsonify<F['parsedResult']>;

/** How a script runs a workflow without a server. */
export interface RunWorkflowOptions extends StartOptions, WaitOptions {
  /** Default: a runtime of this workflow, with a store in memory that ends with the process. */
  readonly runtime?: WorkflowRuntime;
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
 * A chain of steps. The data of each step is the output of the one before. A workflow is immutable: every `and…` method returns a new workflow with one
 * more step.
 *
 * `In` is the input, `Data` the output of the last step, `F` the types that all steps share, and `Outputs` the
 * outputs of the steps by id.
 */
export class Workflow<in In, Data, F extends Flow, Outputs extends object = {}> {
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

  /** {@link andThen} as the next step. */
  andThen<
    Out,
    Id extends string = string,
    Input extends AnySchema = undefined,
    Output extends AnySchema = undefined,
    Suspend extends AnySchema = undefined,
    Resume extends AnySchema = undefined,
  >(
    options: ThenOptions<Data, Out, FlowAfter<F, Outputs>, Id, Input, Output, Suspend, Resume>,
  ): Workflow<In, BodyOutput<Output, Out>, F, Outputs & StepOutput<Id, BodyOutput<Output, Out>>> {
    return this.#with(andThen(options));
  }

  /** {@link andWhen} as the next step. */
  andWhen<Out, Id extends string = string, Inner extends object = {}>(
    options: WhenOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data | Out, F, Outputs & Inner & StepOutput<Id, Data | Out>> {
    return this.#with(andWhen(options));
  }

  /** {@link andTry} as the next step. */
  andTry<Out, Caught = never, Id extends string = string, Inner extends object = {}, CaughtInner extends object = {}>(
    options: TryOptions<Data, Out, Caught, FlowAfter<F, Outputs>, Id, Inner, CaughtInner>,
  ): Workflow<In, Out | Caught, F, Outputs & Inner & CaughtInner & StepOutput<Id, Out | Caught>> {
    return this.#with(andTry(options));
  }

  /** {@link andRun} as the next step. */
  andRun<Out, Id extends string = string, Input extends AnySchema = undefined, Output extends AnySchema = undefined>(
    options: RunStepOptions<Data, Out, FlowAfter<F, Outputs>, Id, Input, Output> & NotAStep,
  ): Workflow<In, BodyOutput<Output, Out>, F, Outputs & StepOutput<Id, BodyOutput<Output, Out>>> {
    return this.#with(andRun(options));
  }

  /** {@link andAll} as the next step. */
  andAll<
    const Steps extends readonly Step<Data, unknown, FlowAfter<F, Outputs>>[],
    Id extends string = string,
    Keep extends boolean = false,
  >(
    options: AllOptions<Steps, Id, Keep> & NotAStep,
  ): Workflow<
    In,
    AllOutput<Data, Steps, Keep>,
    F,
    Outputs & OutputsInside<Steps> & StepOutput<Id, AllOutput<Data, Steps, Keep>>
  > {
    return this.#with(andAll<Data, Steps, FlowAfter<F, Outputs>, Id, Keep>(options));
  }

  /** {@link andRace} as the next step. */
  andRace<const Steps extends readonly Step<Data, unknown, FlowAfter<F, Outputs>>[], Id extends string = string>(
    options: RaceOptions<Steps, Id> & NotAStep,
  ): Workflow<
    In,
    OutputsOf<Steps>[number],
    F,
    Outputs & OutputsInside<Steps> & StepOutput<Id, OutputsOf<Steps>[number]>
  > {
    return this.#with(andRace<Data, Steps, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andTap} as the next step. */
  andTap<
    Id extends string = string,
    Input extends AnySchema = undefined,
    Suspend extends AnySchema = undefined,
    Resume extends AnySchema = undefined,
  >(
    options: TapOptions<Data, FlowAfter<F, Outputs>, Id, Input, Suspend, Resume>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.#with(andTap(options));
  }

  /** {@link andAgent} as the next step. */
  andAgent<S extends Schema | undefined = undefined, Id extends string = string>(
    options: AgentStepOptions<Data, S, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, AgentOutput<S>, F, Outputs & StepOutput<Id, AgentOutput<S>>> {
    return this.#with(andAgent(options));
  }

  /** {@link andWorkflow} as the next step. */
  andWorkflow<ChildIn, Out, Id extends string = string>(
    options: WorkflowInputOptions<Data, ChildIn, Out, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>>;
  /** {@link andWorkflow} as the next step. */
  andWorkflow<Out, Id extends string = string>(
    options: WorkflowStepOptions<Data, Out, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>>;
  andWorkflow<ChildIn, Out, Id extends string>(
    options: WorkflowInputOptions<Data, ChildIn, Out, FlowAfter<F, Outputs>, Id> | WorkflowStepOptions<Data, Out, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>> {
    // Both branches make the same call; the condition only selects the overload.
    return this.#with(options.input === undefined ? andWorkflow(options) : andWorkflow(options));
  }

  /** {@link andForEach} as the next step. */
  andForEach<Out, Item = never, Id extends string = string, Inner extends object = {}>(
    options: ForEachItemOptions<Data, Item, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>>;
  /** {@link andForEach} as the next step. */
  andForEach<Out, Id extends string = string, Inner extends object = {}>(
    options: ForEachOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>>;
  andForEach<Item, Out, Id extends string, Inner extends object>(
    options:
      | ForEachItemOptions<Data, Item, Out, FlowAfter<F, Outputs>, Id, Inner>
      | ForEachOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>> {
    // Both branches make the same call; the condition only selects the overload.
    return this.#with(options.items === undefined ? andForEach(options) : andForEach(options));
  }

  /** {@link andBranch} as the next step. */
  andBranch<
    const Branches extends readonly BranchCase<Data, unknown, FlowAfter<F, Outputs>>[],
    Id extends string = string,
  >(
    options: BranchOptions<Branches, Id>,
  ): Workflow<
    In,
    BranchOutputs<Branches>,
    F,
    Outputs & OutputsInBranches<Branches> & StepOutput<Id, BranchOutputs<Branches>>
  > {
    return this.#with(andBranch<Data, Branches, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andDoWhile} as the next step. */
  andDoWhile<Id extends string = string, Inner extends object = {}>(
    options: LoopOptions<Data, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data, F, Outputs & Inner & StepOutput<Id, Data>> {
    return this.#with(andDoWhile(options));
  }

  /** {@link andDoUntil} as the next step. */
  andDoUntil<Id extends string = string, Inner extends object = {}>(
    options: LoopOptions<Data, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data, F, Outputs & Inner & StepOutput<Id, Data>> {
    return this.#with(andDoUntil(options));
  }

  /** {@link andMap} as the next step. */
  andMap<
    const Sources extends Readonly<Record<string, MapSource<Data, FlowAfter<F, Outputs>>>>,
    Id extends string = string,
  >(
    options: MapOptions<Sources, Id>,
  ): Workflow<
    In,
    MapOutput<Sources, Data, FlowAfter<F, Outputs>>,
    F,
    Outputs & StepOutput<Id, MapOutput<Sources, Data, FlowAfter<F, Outputs>>>
  > {
    return this.#with(andMap<Data, Sources, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andSleep} as the next step. */
  andSleep<Id extends string = string>(
    options: SleepOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.#with(andSleep(options));
  }

  /** {@link andSleepUntil} as the next step. */
  andSleepUntil<Id extends string = string>(
    options: SleepUntilOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.#with(andSleepUntil(options));
  }

  /** {@link andStart} as the next step. */
  andStart<ChildIn, Id extends string = string>(
    options: StartInputOptions<Data, ChildIn, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>>;
  /** {@link andStart} as the next step. */
  andStart<Id extends string = string>(
    options: StartStepOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>>;
  andStart<ChildIn, Id extends string>(
    options:
      | StartStepOptions<Data, FlowAfter<F, Outputs>, Id>
      | StartInputOptions<Data, ChildIn, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>> {
    return this.#with(options.input === undefined ? andStart(options) : andStart(options));
  }

  /** {@link andJoin} as the next step. */
  andJoin<Id extends string = string>(
    options: JoinOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, readonly JoinedExecution[], F, Outputs & StepOutput<Id, readonly JoinedExecution[]>> {
    return this.#with(andJoin(options));
  }

  /** {@link andGuardrail} as the next step. */
  andGuardrail<Id extends string = string>(
    options: GuardrailOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.#with(andGuardrail(options));
  }

  /** {@link andWaitForEvent} as the next step. */
  andWaitForEvent<S extends Schema | undefined = undefined, Id extends string = string>(
    options: WaitForEventOptions<Data, S, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, EventOutput<S>, F, Outputs & StepOutput<Id, EventOutput<S>>> {
    return this.#with(andWaitForEvent(options));
  }

  /**
   * Starts the workflow at the times of a cron expression, in every server and started runtime that has it: one execution per tick, however many
   * processes there are.
   *
   * @throws ConfigurationError for an invalid expression or time zone, or a second schedule with the same name.
   */
  schedule(options: ScheduleOptions<In>): Workflow<In, Data, F, Outputs> {
    return new Workflow({ ...this, schedules: withSchedule(this, options) });
  }

  /**
   * Starts an execution and waits until it is idle: suspended or finished. A failed execution is a result with the status `error`.
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

  /** Answers a suspension and waits until the execution is idle again. An approval, and a step that asks again, need the `suspensionId`. @throws NotFoundError, NotSuspendedError, InvalidInputError, ConflictError */
  async resume(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: ResumeOptions & WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    const key = this.#key(executionId);
    await runtime.resume(key, options);
    return this.#typed(runtime.wait(key, options));
  }

  /** Waits until an execution is idle or, with `until: 'ended'`, until it has ended. @throws NotFoundError */
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

  /** Lets a failed execution continue from the steps that failed, and waits until it is idle. @throws NotFoundError, InvalidInputError */
  async retry(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.retry(this.#key(executionId));
    return this.#typed(runtime.wait(this.#key(executionId), options));
  }

  /** Suspends a running execution at the next boundary of a step. @throws NotFoundError, InvalidInputError, UnavailableError */
  async suspend(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.suspend(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /** Cancels an execution and waits until it has ended. @throws NotFoundError, InvalidInputError, UnavailableError */
  async cancel(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<ResultOf<Data, F>>> {
    await runtime.cancel(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /** Runs a new execution that starts at a step of another one. @throws NotFoundError, InvalidInputError */
  async replay(
    executionId: string,
    options: ReplayOptions & WaitOptions & RuntimeChoice,
  ): Promise<RunResult<ResultOf<Data, F>>> {
    // Callers without a compiler can leave out the options. The runtime then says what is missing.
    const { runtime = this.#ownRuntime() } = { ...options };
    const replayed = await runtime.replay(this.#key(executionId), options);
    return this.#typed(runtime.wait(this.#key(replayed), options));
  }

  #with<Out, After extends object>(step: AnyStep): Workflow<In, Out, F, After> {
    return new Workflow({ ...this, steps: [...this.steps, step] });
  }

  #key(executionId: string): ExecutionKey {
    return { owner: 'anyone', workflowId: this.id, executionId };
  }

  #ownRuntime(): WorkflowRuntime {
    if (this.#runtime === undefined) {
      const definition: Omit<WorkflowDefinition, '~result'> = this;
      this.#runtime = new WorkflowRuntime({
        // A script starts its own executions; schedules apply in servers and started runtimes.
        workflows: [{ ...definition, schedules: [] }],
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
