import { randomUUID } from 'node:crypto';
import type {
  ClaimedExecution,
  CreateOptions,
  CreateOutcome,
  DriverLoad,
  ExecutionDriver,
  ExecutionLeases,
  Job,
  Lease,
  NewExecution,
  SignalOptions,
} from '@halyard/contracts';
import { Shares } from '../../../services/shares.ts';
import { DefinitionIds } from '../../definition/definition-ids.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { IdleWaiters } from '../../follow/idle-waiters.ts';
import type { ExecutionRunOptions } from '../../interpreter/run/execution-run-options.ts';
import { ExecutionRun } from '../../interpreter/run/execution-run.ts';
import type { ExecutionRunOutcome } from '../../interpreter/run/release.ts';
import { type WorkflowTraces, workflowTraces } from '../../spans/workflow-traces.ts';
import { Backlog } from './backlog.ts';
import { Claimer } from './claimer.ts';
import { CommitPacer } from './commit-pacer.ts';
import { createExecution } from './create-execution.ts';
import { DeliveredRuns } from './delivered-runs.ts';
import { EventDeliveries } from './event-deliveries.ts';
import type { ExecutorOptions } from './executor-options.ts';
import { isLeased } from './is-leased.ts';
import { LeaseDeadline } from './lease-deadline.ts';
import { type Claim, claimNow, LocalExecution } from './local-execution.ts';
import { mayRunElsewhere } from './may-run-elsewhere.ts';
import { noLeases } from './no-leases.ts';
import { OtherVersionReport } from './other-version-report.ts';
import { quarantineExecution } from './quarantine-execution.ts';
import { readClaimContext } from './read-claim-context.ts';
import { renewHeld } from './renew-held.ts';
import { reportReleased } from './report-released.ts';
import { runCounted } from './run-counted.ts';
import { untilUnavailable } from './until-unavailable.ts';
import { waitFor } from './wait-for.ts';

/**
 * Runs executions in this process: claims them, renews their lease, and takes over executions whose
 * lease has run out.
 */
export class Executor implements ExecutionDriver {
  readonly waiters: IdleWaiters = new IdleWaiters();
  /** Undefined when tracing is off. */
  readonly traces: WorkflowTraces | undefined;
  readonly #options: Required<Omit<ExecutorOptions, 'checkpointAfter'>> & { readonly leases: ExecutionLeases };
  /** Accepts what an engine delivers. */
  readonly host: DeliveredRuns;
  readonly #lease: Lease;
  readonly #runOptions: ExecutionRunOptions;
  readonly workflowIds: readonly string[];
  readonly definitions: DefinitionIds;
  readonly #local = new Map<string, LocalExecution>();
  /** One for each local execution. */
  readonly #slots: Shares;
  readonly #claimer: Claimer;
  readonly #otherVersions: OtherVersionReport;
  readonly #pacer = new CommitPacer();
  readonly #backlog: Backlog;
  #isStarted = false;
  #isDraining = false;
  readonly #drained = new AbortController();
  readonly #eventDeliveries: EventDeliveries;
  readonly #deadline: LeaseDeadline;
  /** Called when an execution starts to sleep, with the milliseconds until it is due. */
  onSleep: (dueInMs: number) => void = () => {};

  constructor(options: ExecutorOptions) {
    this.#options = {
      commitRetryMs: 50,
      concurrency: 256,
      delay: waitFor,
      random: Math.random,
      runner: randomUUID(),
      ...options,
      leases: 'claimNext' in options.store ? options.store : (options.store.stored ?? noLeases),
    };
    this.host = new DeliveredRuns({
      ...options,
      freeSlots: () => this.#freeSlots,
      isClosing: () => this.#isDraining,
      occupySlot: (...job) => this.#occupySlot(...job),
    });
    this.#lease = { runner: this.#options.runner, leaseMs: options.leaseMs };
    this.#slots = new Shares({ slots: this.#options.concurrency });
    this.workflowIds = [...options.workflows.keys()];
    this.definitions = new DefinitionIds(options.workflows.values());
    this.traces = workflowTraces(options.services);
    this.#claimer = new Claimer({
      ...this.#options,
      lease: this.#lease,
      definitions: Object.fromEntries(this.workflowIds.flatMap((id) => Object.entries(this.definitions.accepted(id)))),
      freeSlots: () => this.#freeSlots,
      begin: () => this.#beginClaim(),
      quarantine: (exhausted) => quarantineExecution(options, exhausted),
      onDueIn: (dueInMs) => this.onSleep(dueInMs),
    });
    this.#backlog = new Backlog(this.#options);
    this.#otherVersions = new OtherVersionReport(this.#options);
    this.#eventDeliveries = new EventDeliveries(options);
    const { commitRetryMs, delay, leaseMs, services } = this.#options;
    this.#deadline = new LeaseDeadline(leaseMs, () =>
      this.#loseAll('the lease of this process has ended', ({ isDelivered }) => !isDelivered),
    );
    this.#runOptions = {
      ...this.#options,
      traces: this.traces,
      checkLease: () => this.#deadline.check(),
      commitRetry: { logger: services.logger, leaseMs, commitRetryMs, delay },
      yieldToEventLoop: () => this.#pacer.committed(),
      checkpointAfter: options.checkpointAfter,
      onSleep: (dueInMs) => this.onSleep(dueInMs),
    };
  }

  /** How many executions run here. */
  get activeCount(): number {
    return this.#runs().length;
  }

  get load(): DriverLoad {
    return { running: this.activeCount, due: this.#backlog.due, oldestDueMs: this.#backlog.oldestDueMs };
  }

  get isClosing(): boolean {
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
    this.#isStarted = true;
    if ('disconnect' in this.#options.store) this.#options.store.start(this.host);
  }

  create(execution: NewExecution, options: CreateOptions, onCreated?: () => void): Promise<CreateOutcome> {
    const parts = {
      ...this.#options,
      lease: this.#lease,
      hasSlot: ({ executionId, subject }: Job) =>
        'claimNext' in this.#options.store && !this.isLocal(executionId) && this.#hasSlot(subject),
      occupySlot: ({ executionId, subject, workflowId }: Job, claim: Promise<Claim | undefined>) =>
        void this.#occupySlot(workflowId, executionId, new LocalExecution(subject, claim)),
      wake: (job: Job, inMs: number) => this.wake(job, inMs),
    };
    return createExecution(parts, execution, options, onCreated);
  }

  /**
   * An execution is due: it starts here if a slot of the share of its subject is free, or in
   * another process that has one.
   */
  wake(job: Job, inMs = 0): void {
    if (inMs > 0) this.onSleep(inMs);
    else if (!('claimNext' in this.#options.store)) this.#claimDue();
    else if (this.isLocal(job.executionId) || this.#hasSlot(job.subject)) void this.run(job);
    else this.#leaveToOthers();
  }

  /**
   * Claims executions for which other processes have no slot. @returns a function that stops it.
   */
  watchDue(): () => void {
    return this.#options.leases.watchDue(() => void this.#claimer.claim());
  }

  /**
   * Claims an execution, if it can be claimed, and runs it until it is released, whether or not a
   * slot is free. Never rejects.
   */
  async run({ executionId, subject, workflowId }: Job): Promise<void> {
    if (!this.#options.workflows.has(workflowId) || this.#isDraining) return;
    const running = this.#local.get(executionId);
    if (running === undefined) await this.#occupySlot(workflowId, executionId, new LocalExecution(subject, undefined));
    else running.mustRunAgain = true;
  }

  /**
   * Resume data or a request was written to the row: the run in this process reads it, else the
   * execution is due.
   */
  async signal(job: Job, { isUrgent = false }: SignalOptions = {}): Promise<void> {
    if (await this.#local.get(job.executionId)?.run?.readSignals()) return;
    if (!(await isLeased(job, this.#options))) return;
    if (isUrgent || this.isLocal(job.executionId)) void this.run(job);
    else this.#claimDue();
  }

  async canRun(definition: string): Promise<boolean> {
    return this.definitions.ids.includes(definition) || mayRunElsewhere(definition, this.#options);
  }

  /**
   * Renews the lease of this process, also when it runs nothing. Never rejects. @returns whether
   * the storage has responded.
   */
  async renew(): Promise<boolean> {
    return renewHeld(this.#local, this.#deadline, this.#options);
  }

  /**
   * Looks for work, every third of a lease and when the next execution is due: continues local
   * executions that are due, claims for the free slots those that slept, those of stopped processes
   * and those for which another process has no slot, and measures the backlog. Never rejects.
   *
   * @returns the milliseconds until the next execution is due, if one waits for a time.
   */
  async sweep(): Promise<number | undefined> {
    this.traces?.endExpired();
    if (this.#isDraining) return undefined;
    for (const run of this.#runs()) run.catchUp();
    await this.#otherVersions.report(this.workflowIds, this.definitions.ids);
    await this.#claimer.claim();
    await this.#backlog.read(this.definitions.ids, !this.#claimer.hasMore);
    return this.#claimer.nextDueInMs;
  }

  /**
   * Delivers events that stopped processes have left. Never rejects. @returns whether executions
   * have received some: the next sweep finds them.
   */
  async deliverEvents(): Promise<boolean> {
    return !this.#isDraining && (await this.#eventDeliveries.deliver());
  }

  /**
   * Lets running steps finish and releases all executions. Steps that still run after `graceMs` are
   * left to other processes; all of it earlier, if the storage does not respond for some seconds,
   * as nothing can be saved then.
   *
   * @param abortMs how long before that the signals of running steps abort: at most `graceMs`.
   */
  async close(graceMs: number, abortMs = 5_000): Promise<void> {
    this.#isDraining = true;
    this.host.slotFreed();
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

  /** Does not wait for claims without a reply either. */
  async #giveUpWhenUnavailable(): Promise<void> {
    const { delay, services } = this.#options;
    if (!(await untilUnavailable({ renew: () => this.renew(), delay, signal: this.#drained.signal }))) return;
    services.logger.warn(
      { executions: this.#local.size },
      'the storage does not answer, so the shutdown does not wait for running steps: they run again in another process, or later',
    );
    this.#loseAll('the storage does not answer while the process is shutting down');
    this.#drained.abort();
  }

  /** The store has made those due that wait for a place. */
  #placeFreed(): void {
    if (this.#isDraining) this.#options.leases.announceDue();
    else void this.#claimer.claim();
  }

  #leaveToOthers(): void {
    void this.#claimer.claim();
    this.#options.leases.announceDue();
  }

  /**
   * Something is due on whose behalf is not known here: the store decides whether its share allows
   * it.
   */
  #claimDue(): void {
    if (this.#freeSlots > this.#claimer.reservedSlots) void this.#claimer.claim();
    else this.#leaveToOthers();
  }

  get #freeSlots(): number {
    return this.#isStarted && !this.#isDraining ? this.#options.concurrency - this.#slots.taken : 0;
  }

  #hasSlot(subject: string | undefined): boolean {
    const free = this.#freeSlots - this.#claimer.reservedSlots;
    return free > 0 && (subject === undefined || this.#slots.heldBy(subject) <= free);
  }

  /** To be called before the store is asked. @returns runs the claimed executions. */
  #beginClaim(): (claimed: ClaimedExecution) => void {
    const claimFrom = claimNow(this.#options.services.clock);
    return (claimed) => {
      const { id, workflowId } = claimed.execution;
      const running = this.#local.get(id);
      if (running === undefined)
        void this.#occupySlot(workflowId, id, new LocalExecution(claimed.subject, claimFrom(claimed)));
      else {
        // Its run here is lost, although this process has not noticed, or a claim of it is on its
        // way.
        running.claim = claimFrom(claimed);
        running.fence();
      }
    };
  }

  /**
   * Runs an execution, and again as long as it is requested. Without a claim, it is claimed first.
   *
   * @returns whether the last run released it.
   */
  async #occupySlot(workflowId: string, executionId: string, local: LocalExecution): Promise<boolean> {
    const workflow = this.#options.workflows.get(workflowId);
    if (workflow === undefined) return false;
    this.#local.set(executionId, local);
    this.#slots.take(local.subject);
    let isReleased: boolean;
    do {
      local.mustRunAgain = false;
      const outcome = await this.#claimAndRun(workflow, executionId, local);
      isReleased = outcome?.kind === 'released';
      if (outcome === undefined) this.waiters.notify(executionId, 'elsewhere');
      else if (outcome.kind === 'released')
        reportReleased(outcome, { ...this.#options, waiters: this.waiters, signal: (job) => this.signal(job) });
      else this.#lost(executionId, outcome.cause);
    } while (local.claim !== undefined || (local.mustRunAgain && !this.#isDraining));
    this.#local.delete(executionId);
    this.#slots.release(local.subject);
    this.#claimer.slotFreed();
    this.host.slotFreed();
    if (this.#local.size === 0) this.#deadline.clear();
    if (this.#local.size === 0 && this.#isDraining) this.#drained.abort();
    return isReleased;
  }

  /** @returns undefined when the execution cannot be claimed. */
  async #claimAndRun(
    workflow: WorkflowDefinition,
    executionId: string,
    local: LocalExecution,
  ): Promise<ExecutionRunOutcome | undefined> {
    const { services, store } = this.#options;
    let isSignalled = false;
    // Watched before it is read, so that no signal is missed.
    const unwatch = store.watch(executionId, (change) => {
      if (change !== 'signal') return;
      isSignalled = true;
      void local.run?.readSignals();
    });
    try {
      const claim = await (local.takeClaim() ?? this.#claim(workflow, executionId));
      if (claim !== undefined) {
        const { claimed, leaseRequestedAt, requestedAt } = claim;
        local.epoch = claimed.execution.epoch;
        if (!local.isDelivered) this.#deadline.extend(leaseRequestedAt);
        const own = this.definitions.workflowOf(claimed.execution.definition) ?? workflow;
        const context = await readClaimContext(claimed, own, requestedAt, this.#options);
        // It may have been lost meanwhile.
        if (local.epoch === undefined) return { kind: 'lost', cause: undefined };
        const run = new ExecutionRun(own, claimed, this.#runOptions, context);
        local.run = run;
        if (isSignalled) void run.readSignals();
        if (this.#isDraining) run.drain();
        const outcome = await runCounted(run, services);
        if (outcome.kind === 'released' && claimed.execution.concurrency !== null) this.#placeFreed();
        return outcome;
      }
    } catch (error) {
      services.logger.error({ err: error, executionId }, 'an execution could not be claimed or read');
    } finally {
      unwatch();
      local.clear();
    }
    return undefined;
  }

  async #claim(workflow: WorkflowDefinition, executionId: string): Promise<Claim | undefined> {
    const claimFrom = claimNow(this.#options.services.clock);
    const definitions = this.definitions.accepted(workflow.id);
    const claimed = await this.#options.store.claim(executionId, this.#lease, { definitions });
    if (claimed === undefined) this.traces?.endPending(executionId);
    return claimed && claimFrom(claimed);
  }

  #lost(executionId: string, cause: unknown): void {
    const { logger } = this.#options.services;
    logger.warn(
      { executionId, ...(cause !== undefined && { err: cause }) },
      'an execution was lost; it continues in another process, or later',
    );
    this.waiters.notify(executionId, 'elsewhere');
  }

  #loseAll(cause: string, which: (local: LocalExecution) => boolean = () => true): void {
    for (const local of this.#local.values()) if (which(local)) local.lose(cause);
  }

  #runs(): readonly ExecutionRun[] {
    return [...this.#local.values()].flatMap(({ run }) => run ?? []);
  }

  async #untilDrained(graceMs: number): Promise<void> {
    if (!this.#drained.signal.aborted) await this.#options.delay(graceMs, this.#drained.signal);
  }
}
