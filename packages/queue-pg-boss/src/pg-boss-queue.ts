import { setImmediate as turn } from 'node:timers/promises';
import type { Job, Logger, ScheduleRule, ScheduleTick, WorkQueue } from '@halyard/contracts';
import { type Database, fromText } from '@halyard/memory-postgres/database';
import type { PgBoss } from 'pg-boss';
import { type DeadLetter, readDeadLetters } from './dead-letter.ts';
import { HintTable } from './hint-table.ts';
import { type BossOptions, openBoss, stopBoss } from './open-boss.ts';
import { Outbox } from './outbox.ts';
import { Places, type PlacesOptions } from './places.ts';
import { storeSchedules } from './stored-schedules.ts';
import { WakeUps } from './wake-ups.ts';

/** How many hints are fetched at once. */
const mostAtOnce = 100;
/** How long a database may take to hear of what has ended. */
const closeMs = 5_000;

export interface PgBossQueueSettings extends BossOptions, PlacesOptions {
  readonly maxWaiting: number;
  readonly pollMs: number;
}

type Run = (job: Job) => Promise<void>;

interface Schedules {
  readonly rules: readonly ScheduleRule[];
  readonly onTick: (tick: ScheduleTick) => Promise<void>;
}

/**
 * Hands out executions over several processes. Where a process has a free place and nobody waits for it, what it starts begins there at once, without the
 * database; the rest is stored, and any process with a free place takes it.
 */
export class PgBossQueue implements WorkQueue {
  readonly isShared = true;
  readonly #settings: PgBossQueueSettings;
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #places: Places;
  readonly #outbox = new Outbox();
  /** Workflows of which something may wait in the database; the one whose turn it is comes first. */
  readonly #backlog = new Set<string>();
  readonly #closing = new AbortController();
  #run: Run | undefined;
  #workflowIds: readonly string[] = [];
  #schedules: Schedules | undefined;
  #opening: Promise<void> | undefined;
  #boss: PgBoss | undefined;
  #hints: HintTable | undefined;
  #wakeUps: WakeUps | undefined;
  #pumping: Promise<void> | undefined;
  #sending: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #rateTimer: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: PgBossQueueSettings) {
    this.#settings = settings;
    this.#database = settings.database;
    this.#logger = settings.logger;
    this.#places = new Places(settings);
  }

  hasRoom(): boolean {
    return this.#outbox.size + (this.#hints?.waiting ?? 0) < this.#settings.maxWaiting;
  }

  enqueue(job: Job): void {
    if (this.#closing.signal.aborted) return;
    const { workflowId } = job;
    if (this.#run !== undefined && this.#places.freeFor(workflowId) > 0 && !this.#isAwaited(workflowId)) {
      this.#places.take(workflowId, 1);
      this.#begin(this.#run, job);
    } else if (this.#outbox.size < this.#settings.maxWaiting) {
      this.#outbox.add(job);
      this.#sendSoon();
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

  close(): Promise<void> {
    this.#closed ??= this.#closeInTime();
    return this.#closed;
  }

  /**
   * What was given up, the newest first: hints that ended their process again and again, and ticks of schedules that could not start anything.
   *
   * @throws UnavailableError when the database cannot be reached.
   */
  async deadLetters({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
    return readDeadLetters(this.#database, limit);
  }

  async #open(): Promise<void> {
    const { logger, pollMs, schema } = this.#settings;
    const { signal } = this.#closing;
    const open = await openBoss(this.#settings, {
      signal,
      hasSchedules: () => (this.#schedules?.rules ?? []).length > 0,
    });
    if (open === undefined) return;
    this.#boss = open.boss;
    this.#hints = new HintTable(open.boss, this.#database);
    this.#wakeUps = new WakeUps(open.opened, { logger, schema });
    this.#wakeUps.listen((workflowId) => this.#look(workflowId === '' ? this.#workflowIds : [workflowId]));
    this.#poll = setInterval(() => void this.#lookAround(), pollMs).unref();
    this.#sendSoon();
    this.#look(this.#workflowIds);
    if (this.#schedules !== undefined) await this.#storeSchedules(open.boss, this.#schedules);
  }

  async #storeSchedules(boss: PgBoss, schedules: Schedules): Promise<void> {
    try {
      await storeSchedules(boss, { ...schedules, workflowIds: this.#workflowIds }, this.#logger);
    } catch (error) {
      this.#logger.warn({ err: error }, 'schedules could not be stored; they tick while a process runs');
    }
  }

  /** Whether another job has to come first, of those that may wait in the database or on the way there. */
  #isAwaited(workflowId: string): boolean {
    if (this.#backlog.size === 0 && this.#outbox.size === 0) return false;
    if (this.#backlog.has(workflowId) || this.#outbox.has(workflowId)) return true;
    for (const other of this.#backlog) if (this.#places.ownFreeFor(other) > 0) return true;
    return this.#outbox.size > 0;
  }

  #begin(run: Run, job: Job, hint?: string): void {
    if (hint !== undefined) this.#hints?.began(job.workflowId, hint);
    run(job).then(
      () => this.#ended(job, hint),
      (error: unknown) => this.#failed(job, hint, error),
    );
  }

  #ended({ workflowId }: Job, hint: string | undefined): void {
    this.#places.leave(workflowId);
    if (hint !== undefined) this.#hints?.ended(workflowId, hint);
    this.#sendSoon();
    this.#pump();
  }

  #failed(job: Job, hint: string | undefined, error: unknown): void {
    this.#logger.error({ err: error, executionId: job.executionId }, 'a runner failed, which none should');
    if (hint !== undefined) this.#hints?.failed(job.workflowId, hint, error);
    this.#ended(job, undefined);
  }

  /** Finds what no notification told of. */
  async #lookAround(): Promise<void> {
    this.#look(this.#workflowIds);
    await this.#hints?.count(this.#workflowIds, this.#settings.maxWaiting).catch(() => {});
  }

  #look(workflowIds: readonly string[]): void {
    for (const workflowId of workflowIds) if (this.#workflowIds.includes(workflowId)) this.#backlog.add(workflowId);
    this.#pump();
  }

  #pump(): void {
    if (this.#pumping !== undefined || this.#hints === undefined || this.#run === undefined) return;
    if (this.#next() === undefined) return;
    this.#pumping = this.#takeBacklog(this.#hints).finally(() => {
      this.#pumping = undefined;
      // Places that came free in the meantime.
      this.#pump();
    });
  }

  async #takeBacklog(hints: HintTable): Promise<void> {
    for (let workflowId = this.#next(); workflowId !== undefined; workflowId = this.#next())
      await this.#fetch(hints, workflowId);
  }

  /** The workflow whose turn it is, of those that something waits of and may begin. */
  #next(): string | undefined {
    if (this.#run === undefined) return undefined;
    let waitMs = Infinity;
    for (const workflowId of this.#backlog) {
      if (this.#places.freeFor(workflowId) > 0) return workflowId;
      waitMs = Math.min(waitMs, this.#places.rateWaitMs(workflowId) ?? Infinity);
    }
    clearTimeout(this.#rateTimer);
    if (waitMs !== Infinity) this.#rateTimer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(waitMs))).unref();
    return undefined;
  }

  async #fetch(hints: HintTable, workflowId: string): Promise<void> {
    const free = this.#places.freeFor(workflowId);
    const count = Math.min(mostAtOnce, Math.ceil(free / this.#backlog.size));
    this.#places.take(workflowId, count);
    this.#backlog.delete(workflowId);
    let fetched: Awaited<ReturnType<HintTable['fetch']>> = [];
    try {
      fetched = await hints.fetch(workflowId, count);
    } catch (error) {
      this.#logger.warn({ err: error, workflowId }, 'the work queue could not be asked for work');
    }
    this.#places.giveBack(workflowId, count - fetched.length);
    if (fetched.length === count) this.#backlog.add(workflowId);
    for (const { data, id } of fetched) {
      const job = { workflowId, executionId: fromText(data.executionId ?? '') };
      if (this.#run !== undefined) this.#begin(this.#run, job, id);
      else hints.failed(workflowId, id, 'its process was being closed');
    }
  }

  #sendSoon(): void {
    if (this.#hints === undefined || this.#sending !== undefined) return;
    if (this.#outbox.size === 0 && this.#hints.unsent === 0) return;
    this.#sending = this.#sendAfterTurn(this.#hints).finally(() => {
      this.#sending = undefined;
      // What came in the meantime.
      this.#sendSoon();
    });
  }

  async #sendAfterTurn(hints: HintTable): Promise<void> {
    await turn();
    await this.#send(hints);
  }

  /** Writes what has gathered. What cannot be written is lost: sweeps find the executions, and hints that were not ended are handed out again. */
  async #send(hints: HintTable): Promise<void> {
    try {
      await hints.flush();
    } catch (error) {
      this.#logger.warn({ err: error }, 'the work queue could not be told what has ended');
    }
    for (let batch = this.#outbox.take(); batch !== undefined; batch = this.#outbox.take()) {
      const { jobs, workflowId } = batch;
      try {
        await hints.add(workflowId, jobs);
        this.#look([workflowId]);
        await this.#wakeUps?.tell(workflowId);
      } catch (error) {
        const message = 'hints could not be put into the work queue; a sweep finds their executions';
        this.#logger.warn({ err: error, workflowId, count: jobs.length }, message);
      }
    }
  }

  /** A database that does not answer must not hold up what waits for this; it is closed behind its back. */
  async #closeInTime(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeMs);
    await Promise.race([this.#close(), late]);
    clearTimeout(timer);
  }

  async #close(): Promise<void> {
    this.#run = undefined;
    this.#closing.abort();
    clearInterval(this.#poll);
    clearTimeout(this.#rateTimer);
    this.#database.stopOpening();
    await this.#opening;
    await this.#pumping;
    await this.#sending;
    if (this.#hints !== undefined) {
      // What runs here is the store's to hand on.
      this.#hints.endAll();
      await this.#send(this.#hints);
    }
    this.#outbox.clear();
    await this.#wakeUps?.close();
    if (this.#boss !== undefined)
      await stopBoss(this.#boss).catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'the work queue could not be stopped'),
      );
    await this.#database.close();
  }
}
