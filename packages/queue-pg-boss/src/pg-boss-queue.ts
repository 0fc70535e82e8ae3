import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, Logger, ScheduleRule, ScheduleTick, WorkQueue } from '@halyard/contracts';
import { type Database, fromText } from '@halyard/memory-postgres/database';
import type { PgBoss } from 'pg-boss';
import { type DeadLetter, readDeadLetters } from './dead-letter.ts';
import { JobTable } from './job-table.ts';
import { type BossOptions, type BossTables, createTables, openBoss, stopBoss } from './open-boss.ts';
import { Outbox } from './outbox.ts';
import { Slots, type SlotsOptions } from './slots.ts';
import { type Schedules, storeSchedules } from './stored-schedules.ts';
import { WakeUps } from './wake-ups.ts';

const maxJobsPerFetch = 100;
/** How long closing waits for the database. */
const closeTimeoutMs = 5_000;

export interface PgBossQueueSettings extends BossOptions, SlotsOptions {
  readonly maxWaiting: number;
  readonly pollMs: number;
}

type Run = (job: Job) => Promise<void>;

/**
 * Distributes executions over several processes. When a process has a free slot and no other job is waiting for it, a job that it enqueues starts there at once, without
 * the database. Other jobs are stored, and any process with a free slot fetches them.
 */
export class PgBossQueue implements WorkQueue {
  readonly isShared = true;
  readonly #settings: PgBossQueueSettings;
  readonly #database: Database<BossTables>;
  readonly #logger: Logger;
  readonly #slots: Slots;
  readonly #outbox = new Outbox();
  /** Workflows that may have jobs in the database, the next one to fetch from first. */
  readonly #backlog = new Set<string>();
  readonly #closing = new AbortController();
  #run: Run | undefined;
  #workflowIds: readonly string[] = [];
  #schedules: Schedules | undefined;
  #opening: Promise<void> | undefined;
  #boss: PgBoss | undefined;
  #jobs: JobTable | undefined;
  #wakeUps: WakeUps | undefined;
  #fetching: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #rateTimer: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: PgBossQueueSettings) {
    this.#settings = settings;
    this.#database = settings.database;
    this.#logger = settings.logger;
    this.#slots = new Slots(settings);
  }

  hasRoom(): boolean {
    return this.waitingCount() < this.#settings.maxWaiting;
  }

  waitingCount(): number {
    return this.#outbox.size + (this.#jobs?.waiting ?? 0);
  }

  enqueue(job: Job): void {
    if (this.#closing.signal.aborted) return;
    const { workflowId } = job;
    if (this.#run !== undefined && this.#slots.freeFor(workflowId) > 0 && !this.#mustWait(workflowId)) {
      this.#slots.take(workflowId, 1);
      this.#start(this.#run, job);
    } else if (this.#outbox.size < this.#settings.maxWaiting) {
      this.#outbox.add(job);
      this.#writeSoon();
    }
  }

  start(run: Run, workflowIds: readonly string[]): void {
    this.#run = run;
    this.#workflowIds = workflowIds;
    this.#opening ??= this.#open();
  }

  keepSchedules(rules: readonly ScheduleRule[], onTick: (tick: ScheduleTick) => Promise<void>): void {
    this.#schedules = { rules, onTick };
  }

  async opened(): Promise<void> {
    await this.#database.firstAttempt();
    const isOpen = await this.#database.check().then(
      () => true,
      () => false,
    );
    if (isOpen) await createTables(this.#settings);
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeWithTimeout();
    return this.#closed;
  }

  /**
   * The jobs that ended their process again and again, and the schedule ticks that could not start an execution. The newest first.
   *
   * @throws UnavailableError when the database cannot be reached.
   */
  async deadLetters({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
    return readDeadLetters(this.#database, limit);
  }

  async #open(): Promise<void> {
    const { logger, pollMs, schema } = this.#settings;
    const open = await openBoss(this.#settings, {
      signal: this.#closing.signal,
      hasSchedules: () => (this.#schedules?.rules ?? []).length > 0,
    });
    if (open === undefined) return;
    this.#boss = open.boss;
    this.#jobs = new JobTable(open.boss, this.#database);
    this.#wakeUps = new WakeUps({ database: this.#database, opened: open.opened, logger, schema });
    this.#wakeUps.listen((workflowId) => this.#fetchSoon(workflowId === undefined ? this.#workflowIds : [workflowId]));
    this.#pollTimer = setInterval(() => void this.#poll(), pollMs).unref();
    this.#writeSoon();
    this.#fetchSoon(this.#workflowIds);
    if (this.#schedules !== undefined) await this.#storeSchedules(open.boss, this.#schedules);
  }

  async #storeSchedules(boss: PgBoss, schedules: Schedules): Promise<void> {
    try {
      await storeSchedules(boss, { ...schedules, workflowIds: this.#workflowIds }, this.#logger);
    } catch (error) {
      this.#logger.warn({ err: error }, 'Schedules could not be stored; they only tick while a process runs');
    }
  }

  /** Whether jobs that were enqueued before may be waiting for the slot. */
  #mustWait(workflowId: string): boolean {
    if (this.#outbox.size > 0 || this.#backlog.has(workflowId)) return true;
    for (const other of this.#backlog) if (this.#slots.freeWithinOwnLimits(other) > 0) return true;
    return false;
  }

  /** @param jobId of a job that was stored. */
  #start(run: Run, job: Job, jobId?: string): void {
    if (jobId !== undefined) this.#jobs?.start(job.workflowId, jobId);
    run(job).then(
      () => this.#onEnded(job, jobId),
      (error: unknown) => this.#onFailed(job, jobId, error),
    );
  }

  #onEnded({ workflowId }: Job, jobId: string | undefined): void {
    this.#slots.release(workflowId);
    if (jobId !== undefined) this.#jobs?.complete(workflowId, jobId);
    this.#writeSoon();
    this.#fetchBacklog();
  }

  #onFailed(job: Job, jobId: string | undefined, error: unknown): void {
    this.#logger.error({ err: error, executionId: job.executionId }, 'A runner failed unexpectedly');
    if (jobId !== undefined) this.#jobs?.fail(job.workflowId, jobId, error);
    this.#onEnded(job, undefined);
  }

  async #poll(): Promise<void> {
    this.#fetchSoon(this.#workflowIds);
    await this.#jobs?.count(this.#workflowIds, this.#settings.maxWaiting).catch(() => {});
  }

  #fetchSoon(workflowIds: readonly string[]): void {
    for (const workflowId of workflowIds) if (this.#workflowIds.includes(workflowId)) this.#backlog.add(workflowId);
    this.#fetchBacklog();
  }

  #fetchBacklog(): void {
    if (this.#fetching !== undefined || this.#jobs === undefined || this.#run === undefined) return;
    if (this.#nextWorkflow() === undefined) return;
    this.#fetching = this.#fetchAll(this.#jobs).finally(() => {
      this.#fetching = undefined;
      // Slots may have become free in between.
      this.#fetchBacklog();
    });
  }

  async #fetchAll(jobs: JobTable): Promise<void> {
    for (let id = this.#nextWorkflow(); id !== undefined; id = this.#nextWorkflow()) await this.#fetch(jobs, id);
  }

  /** The next workflow of the backlog with a free slot. When only rate limits prevent one, a timer fetches again. */
  #nextWorkflow(): string | undefined {
    if (this.#run === undefined) return undefined;
    let waitMs = Infinity;
    for (const workflowId of this.#backlog) {
      if (this.#slots.freeFor(workflowId) > 0) return workflowId;
      waitMs = Math.min(waitMs, this.#slots.rateWaitMs(workflowId) ?? Infinity);
    }
    clearTimeout(this.#rateTimer);
    if (waitMs !== Infinity)
      this.#rateTimer = setTimeout(() => this.#fetchBacklog(), Math.max(1, Math.ceil(waitMs))).unref();
    return undefined;
  }

  async #fetch(jobs: JobTable, workflowId: string): Promise<void> {
    const free = this.#slots.freeFor(workflowId);
    const count = Math.min(maxJobsPerFetch, Math.ceil(free / this.#backlog.size));
    this.#slots.take(workflowId, count);
    this.#backlog.delete(workflowId);
    let fetched: Awaited<ReturnType<JobTable['fetch']>> = [];
    try {
      fetched = await jobs.fetch(workflowId, count);
    } catch (error) {
      this.#logger.warn({ err: error, workflowId }, 'Jobs could not be fetched from the work queue');
    }
    this.#slots.giveBack(workflowId, count - fetched.length);
    if (fetched.length === count) this.#backlog.add(workflowId);
    for (const { data, id } of fetched) {
      const job = { workflowId, executionId: fromText(data.executionId ?? '') };
      if (this.#run !== undefined) this.#start(this.#run, job, id);
      else jobs.fail(workflowId, id, 'the process was shutting down');
    }
  }

  #writeSoon(): void {
    if (this.#jobs === undefined || this.#writing !== undefined) return;
    if (this.#outbox.size === 0 && this.#jobs.unwrittenResults === 0) return;
    this.#writing = this.#writeNextTurn(this.#jobs).finally(() => {
      this.#writing = undefined;
      // More may have arrived in between.
      this.#writeSoon();
    });
  }

  /** What is enqueued in the same turn of the event loop is written together. */
  async #writeNextTurn(jobs: JobTable): Promise<void> {
    await nextTurn();
    await this.#write(jobs);
  }

  /** Writes results and new jobs. If that fails, they are lost: pg-boss retries jobs without a result, and a sweep finds executions without a job. */
  async #write(jobs: JobTable): Promise<void> {
    try {
      await jobs.flush();
    } catch (error) {
      this.#logger.warn({ err: error }, 'The results of jobs could not be written to the work queue');
    }
    for (let batch = this.#outbox.take(); batch !== undefined; batch = this.#outbox.take()) {
      const { workflowId } = batch;
      try {
        await jobs.add(workflowId, batch.jobs);
        this.#fetchSoon([workflowId]);
        await this.#wakeUps?.notify(workflowId);
      } catch (error) {
        const message = 'Jobs could not be written to the work queue; a sweep finds their executions';
        this.#logger.warn({ err: error, workflowId, count: batch.jobs.length }, message);
      }
    }
  }

  /** A database that does not answer must not delay the shutdown. Closing then continues in the background. */
  async #closeWithTimeout(): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeTimeoutMs);
    await Promise.race([this.#close(), timeout]);
    clearTimeout(timer);
  }

  async #close(): Promise<void> {
    this.#run = undefined;
    this.#closing.abort();
    clearInterval(this.#pollTimer);
    clearTimeout(this.#rateTimer);
    this.#database.stopOpening();
    await this.#opening;
    await this.#fetching;
    await this.#writing;
    if (this.#jobs !== undefined) {
      // From now on, the execution store assigns what still runs here.
      this.#jobs.completeAll();
      await this.#write(this.#jobs);
    }
    this.#outbox.clear();
    await this.#wakeUps?.close();
    if (this.#boss !== undefined)
      await stopBoss(this.#boss).catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'The work queue could not be stopped'),
      );
    await this.#database.close();
  }
}
