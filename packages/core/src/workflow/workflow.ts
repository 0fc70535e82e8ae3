import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { Jsonify } from '../json/jsonify.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { AccessLevel } from '../tool/access-level.ts';
import type { FlowControl } from './definition/flow-control.ts';
import type { Flow } from './definition/step-context.ts';
import { indexSteps, type StepIndex } from './definition/step-index.ts';
import type { AnyStep, NotAStep, Step, StepRetries } from './definition/step.ts';
import type { UserOperations } from './definition/user-operations.ts';
import type { WorkflowDefinition } from './definition/workflow-definition.ts';
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
import { andAll, type AllOptions, type OutputsOf } from './steps/and-all.ts';
import { andBranch, type BranchCase, type BranchOptions, type BranchOutputs } from './steps/and-branch.ts';
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
 * `In` is the input, `Data` the output of the last step, and `F` the types that all steps share.
 */
export class Workflow<in In, Data, F extends Flow> implements AnyWorkflow<In, Data> {
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
  declare readonly '~workflow'?: (input: In) => Data;
  /** Carries types only; never set. */
  declare readonly '~flow'?: F;
  #runtime: WorkflowRuntime | undefined;

  /** @throws ConfigurationError when two steps share an id. */
  constructor(definition: Omit<WorkflowDefinition, 'index'>) {
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
  andThen<Out>(options: ThenOptions<Data, Out, F>): Workflow<In, Jsonify<Out>, F> {
    return this.#with(andThen(options));
  }

  /** {@link andWhen} as the next step. */
  andWhen<Out>(options: WhenOptions<Data, Out, F>): Workflow<In, Data | Out, F> {
    return this.#with(andWhen(options));
  }

  /** {@link andTry} as the next step. */
  andTry<Out, Caught = never>(options: TryOptions<Data, Out, Caught, F>): Workflow<In, Out | Caught, F> {
    return this.#with(andTry(options));
  }

  /** {@link andRun} as the next step. */
  andRun<Out>(options: RunStepOptions<Data, Out, F> & NotAStep): Workflow<In, Jsonify<Out>, F> {
    return this.#with(andRun(options));
  }

  /** {@link andAll} as the next step. */
  andAll<const Steps extends readonly Step<Data, unknown, F>[]>(
    options: AllOptions<Steps> & NotAStep,
  ): Workflow<In, OutputsOf<Steps>, F> {
    return this.#with(andAll<Data, Steps, F>(options));
  }

  /** {@link andRace} as the next step. */
  andRace<const Steps extends readonly Step<Data, unknown, F>[]>(
    options: RaceOptions<Steps> & NotAStep,
  ): Workflow<In, OutputsOf<Steps>[number], F> {
    return this.#with(andRace<Data, Steps, F>(options));
  }

  /** {@link andTap} as the next step. */
  andTap(options: TapOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andTap(options));
  }

  /** {@link andAgent} as the next step. */
  andAgent<S extends Schema | undefined = undefined>(
    options: AgentStepOptions<Data, S, F>,
  ): Workflow<In, AgentOutput<S>, F> {
    return this.#with(andAgent(options));
  }

  /** {@link andWorkflow} as the next step. */
  andWorkflow<ChildIn, Out>(options: WorkflowInputOptions<Data, ChildIn, Out, F>): Workflow<In, Out, F>;
  /** {@link andWorkflow} as the next step. */
  andWorkflow<Out>(options: WorkflowStepOptions<Data, Out>): Workflow<In, Out, F>;
  andWorkflow<ChildIn, Out>(
    options: WorkflowInputOptions<Data, ChildIn, Out, F> | WorkflowStepOptions<Data, Out>,
  ): Workflow<In, Out, F> {
    // Both branches make the same call; the condition only selects the overload.
    return this.#with(options.input === undefined ? andWorkflow(options) : andWorkflow(options));
  }

  /** {@link andForEach} as the next step. */
  andForEach<Out, Item = never>(options: ForEachItemOptions<Data, Item, Out, F>): Workflow<In, Out[], F>;
  /** {@link andForEach} as the next step. */
  andForEach<Out>(options: ForEachOptions<Data, Out, F>): Workflow<In, Out[], F>;
  andForEach<Item, Out>(
    options: ForEachItemOptions<Data, Item, Out, F> | ForEachOptions<Data, Out, F>,
  ): Workflow<In, Out[], F> {
    // Both branches make the same call; the condition only selects the overload.
    return this.#with(options.items === undefined ? andForEach(options) : andForEach(options));
  }

  /** {@link andBranch} as the next step. */
  andBranch<const Branches extends readonly BranchCase<Data, unknown, F>[]>(
    options: BranchOptions<Branches>,
  ): Workflow<In, BranchOutputs<Branches>, F> {
    return this.#with(andBranch<Data, Branches, F>(options));
  }

  /** {@link andDoWhile} as the next step. */
  andDoWhile(options: LoopOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andDoWhile(options));
  }

  /** {@link andDoUntil} as the next step. */
  andDoUntil(options: LoopOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andDoUntil(options));
  }

  /** {@link andMap} as the next step. */
  andMap<const Sources extends Readonly<Record<string, MapSource<Data, F>>>>(
    options: MapOptions<Sources>,
  ): Workflow<In, MapOutput<Sources>, F> {
    return this.#with(andMap<Data, Sources, F>(options));
  }

  /** {@link andSleep} as the next step. */
  andSleep(options: SleepOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andSleep(options));
  }

  /** {@link andSleepUntil} as the next step. */
  andSleepUntil(options: SleepUntilOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andSleepUntil(options));
  }

  /** {@link andStart} as the next step. */
  andStart<ChildIn>(options: StartInputOptions<Data, ChildIn, F>): Workflow<In, StartedExecution, F>;
  /** {@link andStart} as the next step. */
  andStart(options: StartStepOptions<Data, F>): Workflow<In, StartedExecution, F>;
  andStart<ChildIn>(
    options: StartStepOptions<Data, F> | StartInputOptions<Data, ChildIn, F>,
  ): Workflow<In, StartedExecution, F> {
    return this.#with(options.input === undefined ? andStart(options) : andStart(options));
  }

  /** {@link andJoin} as the next step. */
  andJoin(options: JoinOptions<Data, F>): Workflow<In, readonly JoinedExecution[], F> {
    return this.#with(andJoin(options));
  }

  /** {@link andGuardrail} as the next step. */
  andGuardrail(options: GuardrailOptions<Data, F>): Workflow<In, Data, F> {
    return this.#with(andGuardrail(options));
  }

  /** {@link andWaitForEvent} as the next step. */
  andWaitForEvent<S extends Schema | undefined = undefined>(
    options: WaitForEventOptions<Data, S, F>,
  ): Workflow<In, EventOutput<S>, F> {
    return this.#with(andWaitForEvent(options));
  }

  /**
   * Starts the workflow at the times of a cron expression, in every server and started runtime that has it: one execution per tick, however many
   * processes there are.
   *
   * @throws ConfigurationError for an invalid expression or time zone, or a second schedule with the same name.
   */
  schedule(options: ScheduleOptions<In>): Workflow<In, Data, F> {
    return new Workflow({ ...this, schedules: withSchedule(this, options) });
  }

  /**
   * Starts an execution and waits until it is idle: suspended or finished. A failed execution is a result with the status `error`.
   *
   * @throws InvalidInputError, ConflictError
   */
  async run(input: In, options: RunWorkflowOptions = {}): Promise<RunResult<Data>> {
    const { runtime = this.#ownRuntime() } = options;
    return this.#typed(runtime.execute(this.id, input, options, options));
  }

  /** Starts an execution and follows its events. @throws InvalidInputError, ConflictError */
  async stream(input: In, options: RunWorkflowOptions = {}): Promise<WorkflowStream<Data>> {
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
  ): Promise<RunResult<Data>> {
    const key = this.#key(executionId);
    await runtime.resume(key, options);
    return this.#typed(runtime.wait(key, options));
  }

  /** Waits until an execution is idle or, with `until: 'ended'`, until it has ended. @throws NotFoundError */
  async wait(
    executionId: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<Data>> {
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
  ): Promise<RunResult<Data>> {
    await runtime.retry(this.#key(executionId));
    return this.#typed(runtime.wait(this.#key(executionId), options));
  }

  /** Suspends a running execution at the next boundary of a step. @throws NotFoundError, InvalidInputError, UnavailableError */
  async suspend(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<Data>> {
    await runtime.suspend(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /** Cancels an execution and waits until it has ended. @throws NotFoundError, InvalidInputError, UnavailableError */
  async cancel(
    executionId: string,
    reason?: string,
    { runtime = this.#ownRuntime(), ...options }: WaitOptions & RuntimeChoice = {},
  ): Promise<RunResult<Data>> {
    await runtime.cancel(this.#key(executionId), reason, options);
    return this.#typed(runtime.wait(this.#key(executionId)));
  }

  /** Runs a new execution that starts at a step of another one. @throws NotFoundError, InvalidInputError */
  async replay(executionId: string, options: ReplayOptions & WaitOptions & RuntimeChoice): Promise<RunResult<Data>> {
    // Callers without a compiler can leave out the options. The runtime then says what is missing.
    const { runtime = this.#ownRuntime() } = { ...options };
    const replayed = await runtime.replay(this.#key(executionId), options);
    return this.#typed(runtime.wait(this.#key(replayed), options));
  }

  #with<Out>(step: AnyStep): Workflow<In, Out, F> {
    return new Workflow({ ...this, steps: [...this.steps, step] });
  }

  #key(executionId: string): ExecutionKey {
    return { owner: 'anyone', workflowId: this.id, executionId };
  }

  #ownRuntime(): WorkflowRuntime {
    if (this.#runtime === undefined) {
      this.#runtime = new WorkflowRuntime({
        // A script starts its own executions; schedules apply in servers and started runtimes.
        workflows: [{ ...this, schedules: [] }],
        storage: createInMemoryStorage(),
      });
      this.#runtime.start();
    }
    return this.#runtime;
  }

  /** The chain of steps guarantees the type of the result. */
  #typed(result: Promise<RunResult>): Promise<RunResult<Data>> {
    return result as Promise<RunResult<Data>>;
  }
}

interface RuntimeChoice {
  readonly runtime?: WorkflowRuntime;
}
