import { randomUUID } from 'node:crypto';
import {
  type DriverLoad,
  type Execution,
  type EngineExecutions,
  type ExecutionStore,
  type Job,
  type NewExecutionEvent,
  NotFoundError,
  type Owner,
  UnavailableError,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { isApprovalExpiry } from '../../agent/approvals/expiring-request.ts';
import { defaultServices } from '../../agent/default-services.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { BulkOperations, type BulkOperationsOptions } from '../bulk/bulk-operations.ts';
import { bulkWorkflowId } from '../bulk/bulk-workflow-id.ts';
import { isFrameworkWorkflow, type WorkflowDefinition, withSubWorkflows } from '../definition/workflow-definition.ts';
import { ExecutionBus } from '../follow/execution-bus.ts';
import { ExecutionFollower, type FollowOptions } from '../follow/follow-execution.ts';
import { IdleWait } from '../follow/wait-until-idle.ts';
import { type ResumeFieldNames, resumeExecution, resumeFields } from '../interpreter/waits/resume-execution.ts';
import { replayExecution } from '../rewind/replay-execution.ts';
import { type ReplayFieldNames, replayFields } from '../rewind/replay.ts';
import { retryExecution } from '../rewind/retry.ts';
import { Schedules } from '../schedules/schedules.ts';
import { acceptEvent, type EventToPublish, type PublishResult } from './accept-event.ts';
import { beginExecution } from './begin-execution.ts';
import { checkRuntimeOptions } from './check-runtime-options.ts';
import { type Creation, generatedCreation, newCreation } from './creation.ts';
import { ExecutorTimers } from './driver/executor-timers.ts';
import { Executor } from './driver/executor.ts';
import { checkQueueOptions } from './driver/queue-options.ts';
import { ScheduleTimers } from './driver/schedule-timers.ts';
import { type ListedExecutions, listExecutions, type ListOptions } from './list-executions.ts';
import { ownerForUser } from './owner-for-user.ts';
import type { RunResult } from './run-result.ts';
import type {
  BeginOptions,
  ExecutionKey,
  ReplayOptions,
  ResumeOptions,
  RetryOptions,
  StartOptions,
  WaitOptions,
  WorkflowRuntimeOptions,
} from './runtime-options.ts';
import { cancelExecution, type StopDependencies, suspendExecution, terminateExecution } from './suspend-and-cancel.ts';
import { findRoot } from './terminate-tree.ts';

/** How often followers check whether they must read changes that they ignored. */
const pollMs = 1_000;

/**
 * Starts, resumes, follows and cancels executions on one store, and runs those that are due. Any
 * number of runtimes may share a store.
 */
export class WorkflowRuntime {
  /** The name by which this process claims executions, as in the store's list of runners. */
  readonly runner: string = randomUUID();
  /**
   * The workflows that it runs, also those that only run as a step of another, and internal ones.
   */
  readonly workflows: readonly WorkflowDefinition[];
  /** Cancels, resumes, retries or replays all executions that match a filter. */
  readonly bulk: BulkOperations;
  /** Schedules that code stores while the app runs, for a user or for no one. */
  readonly schedules: Schedules;
  readonly #workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly #store: ExecutionStore | EngineExecutions;
  readonly #services: AgentServices;
  readonly #maxWaiting: number;
  readonly #bus = new ExecutionBus();
  readonly #polls = new SharedInterval(pollMs);
  readonly #executor: Executor;
  readonly #timers: ExecutorTimers;
  /** The schedules of the workflows themselves. */
  readonly #timetable: ScheduleTimers;

  /**
   * @throws ConfigurationError for an unknown or missing option, and when two workflows share an
   * id.
   */
  constructor(settings: WorkflowRuntimeOptions) {
    checkRuntimeOptions(settings);
    const { leaseMs = 10_000, queue = {}, services: given = {}, storage, workflows } = settings;
    checkQueueOptions(queue);
    const services = { ...defaultServices(), ...given };
    this.#store = storage.executions;
    this.#services = services;
    this.#maxWaiting = queue.maxWaiting ?? 10_000;
    this.bulk = new BulkOperations(this.#bulkOptions());
    this.schedules = new Schedules({
      store: this.#store,
      services,
      begin: (id, input, options) =>
        this.#begin(id, newCreation(options.executionId, services.ids), input, options, 'input'),
      cancel: (...request) => this.cancel(...request),
      workflowOf: (id) => this.#workflows.get(id),
    });
    this.#workflows = withSubWorkflows([...workflows, this.bulk.workflow, this.schedules.workflow]);
    this.workflows = [...this.#workflows.values()];
    this.#executor = new Executor({
      store: this.#store,
      ...(queue.concurrency !== undefined && { concurrency: queue.concurrency }),
      bus: this.#bus,
      services,
      workflows: this.#workflows,
      leaseMs,
      runner: this.runner,
      start: async (workflowId, executionId, input, options) => {
        await this.#begin(workflowId, generatedCreation(executionId), input, options, 'input');
      },
    });
    this.#timers = new ExecutorTimers(this.#executor, { intervalMs: leaseMs / 3, now: () => services.clock.now() });
    const schedules = workflows.flatMap((workflow) => workflow.schedules);
    this.#timetable = new ScheduleTimers(schedules, this, this.#store, services);
  }

  /** Starts running executions, including those that another process left. */
  start(): void {
    this.startByHand();
    this.#timers.start();
    this.#timetable.start();
  }

  /**
   * Like {@link start}, but without timers: due executions run when {@link sweep} is called, and
   * leases are not renewed.
   */
  startByHand(): void {
    this.#executor.start();
  }

  /**
   * Claims and starts the executions that are due now, as many as slots are free. Delivers the
   * events that stopped processes have left, and claims what waited for these, too.
   *
   * @returns the milliseconds until the next execution is due, if one waits for a time.
   */
  async sweep(): Promise<number | undefined> {
    const dueInMs = await this.#executor.sweep();
    return (await this.#executor.deliverEvents()) ? this.#executor.sweep() : dueInMs;
  }

  /**
   * Accepts no more work, lets running steps finish for up to `graceMs`, and leaves the rest to
   * other processes.
   *
   * @param abortMs how long before that the signals of running steps abort, in milliseconds.
   * Default: 5 000. From `graceMs` on, they abort at once.
   */
  async stop(graceMs: number, abortMs?: number): Promise<void> {
    this.#timetable.stop();
    await this.#executor.close(graceMs, abortMs);
    this.#timers.stop();
  }

  /**
   * Ends the runs of this process whose executions were deleted, such as with the data of their
   * user. Other processes, or this one without a call, end theirs with the next commit or renewal
   * of the lease.
   */
  async endDeleted(): Promise<void> {
    await this.#executor.renew();
  }

  /** Whether it is being stopped and starts nothing new. */
  get isDraining(): boolean {
    return this.#executor.isClosing;
  }

  /** The current work, for metrics. Reads nothing from the store. */
  get load(): DriverLoad {
    return this.#executor.load;
  }

  /**
   * Starts an execution and does not wait for it.
   *
   * @param at the name of the input in error messages: `body/input`.
   * @returns its id.
   * @throws NotFoundError, InvalidInputError, ConflictError (`EXECUTION_EXISTS`), HalyardError
   * (`TOO_MANY_EXECUTIONS`), UnavailableError
   */
  async begin(workflowId: string, input: unknown, options: StartOptions = {}, at = 'input'): Promise<string> {
    this.#refuseStart(workflowId);
    const creation = newCreation(options.executionId, this.#services.ids);
    await this.#begin(workflowId, creation, input, options, at);
    return creation.id;
  }

  /**
   * Starts an execution and waits until it is idle: suspended or finished. A failed execution is a
   * result with the status `error`.
   *
   * @param onBegun called with the id once the execution is stored.
   * @throws what {@link begin} throws.
   */
  async execute(
    workflowId: string,
    input: unknown,
    options: StartOptions = {},
    { onBegun, ...waitOptions }: WaitOptions & { readonly onBegun?: (executionId: string) => void } = {},
    at = 'input',
  ): Promise<RunResult> {
    this.#refuseStart(workflowId);
    const creation = newCreation(options.executionId, this.#services.ids);
    // The wait starts first, so that it misses nothing and need not read the store.
    const wait = this.#waitFor(ownerForUser(options.userId), creation.id, creation.creationId);
    try {
      await this.#begin(workflowId, creation, input, options, at);
      onBegun?.(creation.id);
      // An execution that waits for its start, or for a slot, may run in another process, which
      // does not report it here.
      return await wait.result(waitOptions, this.#executor.isLocal(creation.id));
    } finally {
      wait.stop();
    }
  }

  /**
   * Waits until an execution is idle and returns its result; `running` when the wait ended before
   * that. @throws NotFoundError
   */
  async wait({ executionId, owner }: Omit<ExecutionKey, 'workflowId'>, options: WaitOptions = {}): Promise<RunResult> {
    const wait = this.#waitFor(owner, executionId);
    try {
      return await wait.result(options);
    } finally {
      wait.stop();
    }
  }

  /**
   * Starts an execution and follows it from its first event, live events included.
   *
   * @param signal stops following; the execution continues.
   * @throws what {@link begin} throws.
   */
  async stream(
    workflowId: string,
    input: unknown,
    options: StartOptions = {},
    at = 'input',
    signal?: AbortSignal,
  ): Promise<{ readonly executionId: string; readonly events: ExecutionFollower }> {
    this.#refuseStart(workflowId);
    const creation = newCreation(options.executionId, this.#services.ids);
    const events = this.#follower(creation, { owner: ownerForUser(options.userId), after: 0, signal });
    try {
      events.begin(await this.#begin(workflowId, creation, input, options, at));
    } catch (error) {
      events.stop();
      throw error;
    }
    return { executionId: creation.id, events };
  }

  /**
   * Follows the events of an execution.
   *
   * @param after number of the last event that the caller has; 0 for none.
   * @param signal stops following; the execution continues.
   * @throws NotFoundError
   */
  async follow(key: ExecutionKey, after: number, signal?: AbortSignal): Promise<ExecutionFollower> {
    return this.#follower(await this.get(key), { owner: key.owner, after, signal });
  }

  /** @throws NotFoundError, also for an execution of another workflow. */
  async get({ executionId, owner, workflowId }: ExecutionKey): Promise<Execution> {
    const execution = await this.#store.find(owner, executionId);
    if (execution === undefined || execution.workflowId !== workflowId)
      throw new NotFoundError('execution', executionId);
    return execution;
  }

  /**
   * A page of executions, newest first: those of `GET /workflows/executions`. `after` is the id of
   * the last one of the previous page, as long as `hasMore` is true.
   *
   * @throws InvalidInputError for an unknown or invalid option, and when `after` names no execution
   * of the owner.
   */
  async list(options: ListOptions): Promise<ListedExecutions> {
    return listExecutions(this.#store, options);
  }

  /**
   * The definition that an execution runs with: an earlier version, or the newest one. Undefined if
   * this process has none.
   */
  definitionOf({ definition, workflowId }: Execution): WorkflowDefinition | undefined {
    const own = this.#executor.definitions.workflowOf(definition);
    return own?.id === workflowId ? own : this.#workflows.get(workflowId);
  }

  /**
   * Resumes a suspension, or rewinds to an earlier step, and does not wait for the execution.
   *
   * @throws NotFoundError, NotSuspendedError, InvalidInputError, ConflictError
   * (`SUSPENSION_NOT_PENDING`), HalyardError (`OPERATION_NOT_ALLOWED`), UnavailableError
   */
  async resume(key: ExecutionKey, options: ResumeOptions = {}, at: ResumeFieldNames = resumeFields): Promise<void> {
    this.#refuseWhileDraining();
    const execution = await this.get(key);
    const refusal = await resumeExecution(this.#parts(), key, execution, options, at);
    // A run in progress continues in its own span.
    if (!this.#executor.isRunning(execution.rootExecutionId))
      this.#executor.traces?.resumedBy(execution.rootExecutionId, options.traceParent);
    await this.#executor.signal(await this.#rootJob(execution));
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Publishes an event: executions that wait for its name and key receive it, those that wait for
   * it later too.
   *
   * @param options `owner`: a user's event reaches only waits of that user's executions that are
   * `from: 'owner'`; default: executions of everyone. `at`: begins the names of fields in errors.
   * @throws InvalidInputError
   */
  async publish(
    event: EventToPublish,
    { at = '', owner = 'anyone' }: { readonly owner?: Owner; readonly at?: string } = {},
  ): Promise<PublishResult> {
    const { deliveries, eventId } = await this.#store.publish(owner, acceptEvent(event, at, this.#services));
    for (const job of deliveries) await this.#executor.signal(job);
    return { eventId, delivered: deliveries.length };
  }

  /**
   * Lets a failed execution continue from the steps that failed, and does not wait for it.
   *
   * @throws NotFoundError, InvalidInputError (`EXECUTION_NOT_FAILED`), HalyardError
   * (`OPERATION_NOT_ALLOWED`), UnavailableError
   */
  async retry(key: ExecutionKey, options: RetryOptions = {}): Promise<void> {
    this.#refuseWhileDraining();
    const { rootExecutionId: executionId } = await this.get(key);
    const root = await this.#store.find(key.owner, executionId);
    if (root === undefined) throw new NotFoundError('execution', executionId);
    await retryExecution(this.#store, key.owner, { root, workflow: this.#workflowOfRun(root) }, options);
    this.#executor.traces?.resumedBy(executionId, options.traceParent);
    await this.#executor.signal(await this.#rootJob(root));
  }

  /**
   * Suspends an execution at the next boundary of its steps, and waits until it is suspended.
   *
   * @throws NotFoundError, InvalidInputError (`EXECUTION_NOT_RUNNING`), UnavailableError when the
   * wait ended before that.
   */
  async suspend(key: ExecutionKey, reason?: string, { timeoutMs = 10_000 }: WaitOptions = {}): Promise<Execution> {
    return suspendExecution(this.#stopDependencies(), key, reason, timeoutMs);
  }

  /**
   * Cancels an execution, and waits until it has ended. If no live process can run it by the end of
   * the wait, it ends then, without compensation.
   *
   * @throws NotFoundError, InvalidInputError (`EXECUTION_NOT_RUNNING`), UnavailableError when the
   * wait ended before that.
   */
  async cancel(key: ExecutionKey, reason?: string, options: WaitOptions = {}): Promise<Execution> {
    return cancelExecution(this.#stopDependencies(), key, reason, { timeoutMs: 10_000, ...options });
  }

  /**
   * Ends an execution at once, with its sub-workflows, whether a process can run it or not. Its
   * status is `cancelled`. No step runs, and no compensation; a process that still runs it records
   * nothing more. Of a sub-workflow, the execution that started it ends.
   *
   * @throws NotFoundError, InvalidInputError (`EXECUTION_NOT_RUNNING`)
   */
  async terminate(key: ExecutionKey, reason?: string): Promise<Execution> {
    return terminateExecution(this.#stopDependencies(), key, reason);
  }

  /**
   * Starts a new execution at a step of another one, with the records before that step, and its
   * input, context, state and metadata.
   *
   * @returns the new id.
   * @throws NotFoundError, InvalidInputError, HalyardError (`OPERATION_NOT_ALLOWED`),
   * UnavailableError
   */
  async replay(key: ExecutionKey, options: ReplayOptions, at: ReplayFieldNames = replayFields): Promise<string> {
    this.#refuseStart(key.workflowId);
    const execution = await this.get(key);
    return replayExecution(this.#parts(), key.owner, execution, options, { at, ids: this.#services.ids });
  }

  /** The dependencies of operations on one execution. */
  #parts() {
    return {
      store: this.#store,
      services: this.#services,
      driver: this.#executor,
      definitions: this.#executor.definitions,
      traces: this.#executor.traces,
      workflowOf: (id: string) => this.#findWorkflow(id),
      workflowOfRun: (run: Execution) => this.#workflowOfRun(run),
      definitionOf: (run: Execution) => this.definitionOf(run),
    };
  }

  #begin(
    workflowId: string,
    creation: Creation,
    input: unknown,
    options: BeginOptions,
    at: string,
  ): Promise<NewExecutionEvent> {
    const parts = { ...this.#parts(), workflows: this.workflows, maxWaiting: this.#maxWaiting };
    return beginExecution(parts, this.#workflow(workflowId), { creation, input, options, at });
  }

  #follower(
    { creationId, id, rootExecutionId = id }: Creation & Partial<Pick<Execution, 'rootExecutionId'>>,
    options: Pick<FollowOptions, 'owner' | 'after' | 'signal'>,
  ): ExecutionFollower {
    const [store, bus, executor] = [this.#store, this.#bus, this.#executor];
    const isLocal = (): boolean => executor.isRunning(rootExecutionId, id === rootExecutionId ? creationId : undefined);
    return new ExecutionFollower({ id, creationId }, { ...options, store, bus, isLocal, polls: this.#polls });
  }

  /** @param creationId of the execution if it is known: it is about to be created. */
  #waitFor(owner: Owner, executionId: string, creationId?: string): IdleWait {
    const [store, driver, workflows] = [this.#store, this.#executor, this.#workflows];
    return new IdleWait({ store, driver, waiters: driver.waiters, workflows, owner, executionId, creationId });
  }

  #bulkOptions(): BulkOperationsOptions {
    const { clock, ids } = this.#services;
    return {
      store: this.#store,
      ids,
      services: this.#services,
      frameworkWorkflowIds: () => this.workflows.map(({ id }) => id).filter(isFrameworkWorkflow),
      now: () => clock.now(),
      begin: async (executionId, input) => {
        this.#refuseWhileDraining();
        await this.#begin(bulkWorkflowId, newCreation(executionId, ids), input, { executionId }, 'input');
      },
      cancel: (...request) => this.cancel(...request),
      wait: (...request) => this.wait(...request),
      replay: async (owner, execution, options, id) => {
        await replayExecution(this.#parts(), owner, execution, options, { at: replayFields, ids: { next: () => id } });
      },
      signal: (job) => this.#executor.signal(job),
      workflowOf: (execution) => this.definitionOf(execution),
    };
  }

  #stopDependencies(): StopDependencies {
    return {
      store: this.#store,
      runtime: this,
      signal: async (execution) => this.#executor.signal(await this.#rootJob(execution), { isUrgent: true }),
      terminate: { store: this.#store, services: this.#services, driver: this.#executor },
    };
  }

  async #rootJob(execution: Execution): Promise<Job> {
    const { workflowId } = await findRoot(this.#store, execution);
    return { executionId: execution.rootExecutionId, workflowId };
  }

  async #findWorkflow(executionId: string): Promise<WorkflowDefinition | undefined> {
    const execution = await this.#store.find('anyone', executionId);
    return execution === undefined ? undefined : this.#workflows.get(execution.workflowId);
  }

  #workflowOfRun(execution: Execution): WorkflowDefinition {
    return this.definitionOf(execution) ?? this.#workflow(execution.workflowId);
  }

  #workflow(id: string): WorkflowDefinition {
    const workflow = this.#workflows.get(id);
    if (workflow === undefined) throw new NotFoundError('workflow', id);
    return workflow;
  }

  /**
   * @throws NotFoundError for an internal workflow, whose input gives access to executions of
   * everyone; UnavailableError
   */
  #refuseStart(workflowId: string): void {
    // Running replies that need it go on until the server has shut down.
    if (isApprovalExpiry(workflowId)) return;
    if (isFrameworkWorkflow(workflowId)) throw new NotFoundError('workflow', workflowId);
    this.#refuseWhileDraining();
  }

  #refuseWhileDraining(): void {
    if (this.#executor.isClosing) throw new UnavailableError('SHUTTING_DOWN', 'The server is shutting down');
  }
}
