import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as timer } from 'node:timers/promises';
import {
  type ClaimedExecution,
  type ClaimOptions,
  type DueExecution,
  type Execution,
  type ExecutionStore,
  type Job,
  monotonicTime,
} from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import { DefinitionIds } from '../../definition/definition-ids.ts';
import { hasConcurrency, type WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { ExecutionBus } from '../follow/execution-bus.ts';
import { IdleWaiters } from '../follow/idle-waiters.ts';
import { runResult } from '../run-result.ts';
import type { ExecutionRunOptions, StartExecution } from '../run/execution-run-options.ts';
import { ExecutionRun } from '../run/execution-run.ts';
import type { ExecutionRunOutcome, ReleasedRun } from '../run/release.ts';
import { readStartedSteps } from '../run/started-steps.ts';
import { storeTimeSince } from '../run/store-time.ts';
import { type WorkflowTraces, workflowTraces } from '../spans/workflow-traces.ts';
import { startedBy } from '../step/start-execution.ts';
import { Admissions } from './admissions.ts';
import type { WorkflowLoad } from './due-reader.ts';
import { EventDeliveries } from './event-deliveries.ts';
import type { ExecutionQueue } from './execution-queue.ts';
import { LeaseDeadline, leaseTime } from './lease-deadline.ts';
import { LocalExecution } from './local-execution.ts';
import { publishEnd } from './publish-end.ts';
import { renewHeld } from './renew-held.ts';
import { runCounted } from './run-counted.ts';
import { subjectOf } from './subject-of.ts';
import { unsuspected } from './suspects.ts';
import { Sweeper } from './sweeper.ts';
import { untilUnavailable } from './until-unavailable.ts';

/** After this many commits, timers and sockets get their turn. */
const commitsPerTurn = 64;

export interface ExecutorOptions {
  readonly store: ExecutionStore;
  readonly queue: Pick<ExecutionQueue, 'enqueue' | 'start' | 'close' | 'waitingCount'>;
  readonly bus: ExecutionBus;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  /** How long after the last renewal other processes leave an execution to this one. */
  readonly leaseMs: number;
  /** Wait before a failed commit is retried; doubled each time, up to one lease in all. Default: 50. */
  readonly commitRetryMs?: number;
  readonly random?: () => number;
  /** Waits some milliseconds, or until the signal aborts. Default: a timer. */
  readonly delay?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly start: StartExecution;
  /** Default: 100, or as many as are still needed if these are more. */
  readonly checkpointAfter?: ExecutionRunOptions['checkpointAfter'];
  /** The name of this process in leases. Default: a random one. */
  readonly runner?: string;
}

type JobToAdd = Omit<Job, 'priority'> & { readonly priority?: number | undefined };

/** Runs executions in this process: claims them, renews their leases, and takes over executions whose lease has run out. */
export class Executor {
  readonly waiters: IdleWaiters = new IdleWaiters();
  /** Undefined when tracing is off. */
  readonly traces: WorkflowTraces | undefined;
  readonly #options: Required<Omit<ExecutorOptions, 'checkpointAfter'>>;
  readonly #runOptions: ExecutionRunOptions;
  readonly workflowIds: readonly string[];
  readonly definitions: DefinitionIds;
  readonly #local = new Map<string, LocalExecution>();
  readonly #sweeper: Sweeper;
  #commitsInTurn = 0;
  #nextTurn: Promise<void> | undefined;
  #isDraining = false;
  readonly #drained = new AbortController();
  readonly #admissions: Admissions;
  readonly #eventDeliveries: EventDeliveries;
  readonly #hasConcurrency: boolean;
  readonly #deadline: LeaseDeadline;
  /** Called when an execution starts to sleep, with the milliseconds until it is due. */
  onSleep: (dueInMs: number) => void = () => {};

  constructor(options: ExecutorOptions) {
    this.#options = { commitRetryMs: 50, delay: waitFor, random: Math.random, runner: randomUUID(), ...options };
    this.workflowIds = [...options.workflows.keys()];
    this.definitions = new DefinitionIds(options.workflows.values());
    this.traces = workflowTraces(options.services);
    const enqueue = (job: DueExecution): void => this.#enqueueDue(job);
    this.#sweeper = new Sweeper({
      ...options,
      definitions: this.definitions,
      enqueue,
      runSuspect: (job) => this.#runSuspect(job),
      localCount: () => this.#local.size,
      isLocal: (executionId) => this.isLocal(executionId),
    });
    this.#admissions = new Admissions({ ...options, enqueue });
    this.#eventDeliveries = new EventDeliveries(options);
    this.#hasConcurrency = [...options.workflows.values()].some(hasConcurrency);
    const { commitRetryMs, delay, leaseMs, services } = this.#options;
    this.#deadline = new LeaseDeadline(leaseMs, () => this.#loseAll('the lease of this process has ended'));
    this.#runOptions = {
      ...this.#options,
      traces: this.traces,
      checkLease: () => this.#deadline.check(),
      commitRetry: { logger: services.logger, leaseMs, commitRetryMs, delay },
      yieldToEventLoop: () => this.#yieldToEventLoop(),
      checkpointAfter: options.checkpointAfter,
      onSleep: (dueInMs) => this.onSleep(dueInMs),
    };
  }

  /** How many executions run here. */
  get activeCount(): number {
    return this.#runs().length;
  }

  get load(): WorkflowLoad {
    const { queue, services } = this.#options;
    return {
      running: this.activeCount,
      waiting: queue.waitingCount(),
      ...this.#sweeper.backlog(services.clock.now()),
    };
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @param creationId default: whichever execution has the id. */
  isRunning(executionId: string, creationId?: string): boolean {
    return this.#local.get(executionId)?.isRunning(creationId) ?? false;
  }

  /** Whether the execution runs here or is being claimed. */
  isLocal(executionId: string): boolean {
    return this.#local.has(executionId);
  }

  start(): void {
    this.#options.queue.start((job) => this.#runQueued(job));
  }

  /** Adds a job to the queue. Default priority: that of the workflow. */
  enqueue({ executionId, priority, subject, workflowId }: JobToAdd): void {
    this.#sweeper.takeJob(executionId);
    const effective = priority ?? this.#options.workflows.get(workflowId)?.priority ?? 0;
    this.#options.queue.enqueue({
      executionId,
      workflowId,
      ...(effective !== 0 && { priority: effective }),
      ...(subject !== undefined && { subject }),
    });
    // It may have started at once.
    if (!this.isLocal(executionId)) this.#sweeper.addJob(executionId, effective);
  }

  /** Claims an execution, if it can be claimed, and runs it until it is released. Never rejects. */
  async run({ executionId, workflowId }: Job, options: ClaimOptions = unsuspected): Promise<void> {
    const workflow = this.#options.workflows.get(workflowId);
    if (workflow === undefined || this.#isDraining) return;
    const running = this.#local.get(executionId);
    if (running !== undefined) {
      running.isRequestedAgain = true;
      return;
    }
    const local = new LocalExecution();
    this.#local.set(executionId, local);
    do {
      local.isRequestedAgain = false;
      await this.#claim(workflow, executionId, local, options);
    } while (local.isRequestedAgain && !this.#isDraining);
    this.#local.delete(executionId);
    this.#sweeper.hasRun(executionId);
    if (this.#local.size > 0) return;
    this.#deadline.clear();
    if (this.#isDraining) this.#drained.abort();
  }

  /** An answer or a request was written to the row: the run in this process reads it, else the execution is enqueued. */
  async signal(job: Job): Promise<void> {
    if (!(await this.#readSignals(job))) this.enqueue(job);
  }

  /** A request to stop was written to the row. Like {@link signal}, but waits neither for a free place in the queue nor for its turn among suspects, because it runs no step. */
  async signalNow(job: Job): Promise<void> {
    if (!(await this.#readSignals(job))) void this.run(job, {});
  }

  /** Renews the lease of this process, also when it runs nothing: it shares what is due with the others. Never rejects. @returns whether the storage has answered. */
  async renew(): Promise<boolean> {
    return renewHeld(this.#local, this.#deadline, this.#options);
  }

  /** Enqueues executions that are due: those that slept, those whose runner died, and those whose job was lost. `ofShare`: leaves those to other processes that are in their share. */
  async sweep({ ofShare = false }: { readonly ofShare?: boolean } = {}): Promise<void> {
    this.traces?.endExpired();
    if (this.#isDraining) return;
    for (const run of this.#runs()) run.catchUp();
    await this.#sweeper.sweep(ofShare ? this.#options.runner : undefined);
    if (this.#hasConcurrency) await this.#admissions.sweep();
  }

  /** Delivers events that stopped processes have left. Never rejects. @returns whether executions have received some: the next sweep finds them. */
  async deliverEvents(): Promise<boolean> {
    return !this.#isDraining && (await this.#eventDeliveries.deliver());
  }

  /**
   * Lets running steps finish and releases all executions. What still runs after `graceMs` is left to other processes; all of it earlier, if the storage does not answer for
   * some seconds, as nothing can be saved then.
   *
   * @param abortMs how long before that the signals of running steps abort: at most `graceMs`.
   */
  async drain(graceMs: number, abortMs = 5_000): Promise<void> {
    this.#isDraining = true;
    this.#options.queue.close();
    for (const run of this.#runs()) run.drain();
    if (this.#local.size === 0) this.#drained.abort();
    void this.#giveUpWhenUnavailable();
    const lastMs = Math.min(abortMs, graceMs);
    await this.#untilDrained(graceMs - lastMs);
    for (const run of this.#runs()) run.interrupt();
    await this.#untilDrained(lastMs);
    this.#drained.abort();
    this.#loseAll('the process is shutting down');
    this.traces?.close();
  }

  /** Does not wait for claims that get no answer either. */
  async #giveUpWhenUnavailable(): Promise<void> {
    const { delay, services } = this.#options;
    const { signal } = this.#drained;
    if (!(await untilUnavailable({ renew: () => this.renew(), delay, signal }))) return;
    services.logger.warn(
      { executions: this.#local.size },
      'the storage does not answer, so the shutdown does not wait for running steps: they run again in another process, or later',
    );
    this.#loseAll('the storage does not answer while the process is shutting down');
    this.#drained.abort();
  }

  async #claim(
    workflow: WorkflowDefinition,
    executionId: string,
    local: LocalExecution,
    options: ClaimOptions,
  ): Promise<void> {
    const outcome = await this.#claimAndRun(workflow, executionId, local, options);
    if (outcome === undefined) this.waiters.notify(executionId, 'elsewhere');
    else if (outcome.kind === 'released') this.#released(outcome);
    else this.#lost(executionId, outcome.cause);
  }

  /** @returns undefined when the execution cannot be claimed. */
  async #claimAndRun(
    workflow: WorkflowDefinition,
    executionId: string,
    local: LocalExecution,
    options: ClaimOptions,
  ): Promise<ExecutionRunOutcome | undefined> {
    const { leaseMs, runner, services, store } = this.#options;
    let isSignalled = false;
    // Watched before it is read, so that no signal is missed.
    const unwatch = store.watch(executionId, (change) => {
      if (change !== 'signal') return;
      isSignalled = true;
      void local.run?.readSignals();
    });
    const requestedAt = leaseTime();
    const claimRequestedAt = monotonicTime(services.clock);
    try {
      const claimed = await store.claim(
        executionId,
        { runner, leaseMs },
        { ...options, definitions: this.definitions.accepted(workflow.id) },
      );
      if (claimed !== undefined) {
        local.epoch = claimed.execution.epoch;
        this.#deadline.extend(requestedAt);
        const run = await this.#newRun(local, workflow, claimed, claimRequestedAt);
        if (run === undefined) return { kind: 'lost', cause: undefined };
        local.run = run;
        if (isSignalled) void run.readSignals();
        if (this.#isDraining) run.drain();
        return await this.#runAndAdmit(run, claimed.execution);
      }
      this.traces?.endPending(executionId);
    } catch (error) {
      services.logger.error({ err: error, executionId }, 'an execution could not be claimed');
    } finally {
      unwatch();
      local.clear();
    }
    return undefined;
  }

  async #runAndAdmit(run: ExecutionRun, { concurrency }: Execution): Promise<ExecutionRunOutcome> {
    const outcome = await runCounted(run, this.#options.services);
    const isFreed = concurrency !== null && outcome.kind === 'released' && !this.#isDraining;
    if (isFreed) void this.#admissions.freed(concurrency.key);
    return outcome;
  }

  /** Runs a job of the queue, unless a sweep has found that another process runs its execution. */
  async #runQueued(job: Job): Promise<void> {
    if (!this.#sweeper.takeJob(job.executionId)) return this.run(job);
    this.traces?.endPending(job.executionId);
    this.waiters.notify(job.executionId, 'elsewhere');
  }

  /** Resolves when the execution is no suspect any more, because it has made a commit, or when its run has ended. */
  async #runSuspect(job: Job): Promise<void> {
    const ended = this.run(job, {});
    await Promise.race([ended, this.#local.get(job.executionId)?.committed ?? ended]);
  }

  #enqueueDue({ executionId, priority, userId, workflowId }: DueExecution): void {
    this.enqueue({ executionId, workflowId, priority, subject: subjectOf(userId) });
  }

  /** @returns undefined when the execution is lost while its history is read. */
  async #newRun(local: LocalExecution, workflow: WorkflowDefinition, claimed: ClaimedExecution, requestedAt: number) {
    const { services, store } = this.#options;
    const own = this.definitions.workflowOf(claimed.execution.definition) ?? workflow;
    const storeTime = storeTimeSince(claimed, services.clock, requestedAt);
    const startedSteps = await readStartedSteps(store, claimed, own.index);
    return local.epoch === undefined
      ? undefined
      : new ExecutionRun(own, claimed, this.#runOptions, { startedSteps, storeTime, onCommitted: local.onCommitted });
  }

  #released({ endedAt, ending, root, status, suspensions }: ReleasedRun): void {
    const { createdAt, creationId, id, path, workflow } = root;
    const output = ending?.status === 'completed' ? ending.output : undefined;
    const error = ending?.status === 'error' ? ending.error : undefined;
    const source = { id, path, status, createdAt, endedAt, output, error, suspensions };
    if (ending !== undefined && startedBy in root.metadata)
      void publishEnd(id, { ...this.#options, signal: (job) => this.signal(job) });
    // An execution that sleeps may wake in another process.
    this.waiters.notify(id, status === 'running' ? 'elsewhere' : runResult(source, workflow), creationId);
  }

  #lost(executionId: string, cause: unknown): void {
    const { logger } = this.#options.services;
    logger.warn(
      { executionId, ...(cause !== undefined && { err: cause }) },
      'an execution was lost; it continues in another process, or later',
    );
    this.waiters.notify(executionId, 'elsewhere');
  }

  #loseAll(cause: string): void {
    for (const local of this.#local.values()) local.lose(cause);
  }

  #runs(): readonly ExecutionRun[] {
    return [...this.#local.values()].flatMap(({ run }) => run ?? []);
  }

  /** @returns whether the execution runs here and has read its signals. */
  async #readSignals({ executionId }: Job): Promise<boolean> {
    return (await this.#local.get(executionId)?.run?.readSignals()) ?? false;
  }

  /** A store in memory answers without leaving the microtask queue: without this, executions would block timers and sockets. */
  #yieldToEventLoop(): Promise<void> {
    this.#commitsInTurn += 1;
    if (this.#commitsInTurn < commitsPerTurn) return Promise.resolve();
    this.#nextTurn ??= nextTurn().then(() => {
      this.#commitsInTurn = 0;
      this.#nextTurn = undefined;
    });
    return this.#nextTurn;
  }

  async #untilDrained(graceMs: number): Promise<void> {
    const { signal } = this.#drained;
    if (!signal.aborted) await this.#options.delay(graceMs, signal);
  }
}

async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
