import {
  type Clock,
  ConflictError,
  InvalidInputError,
  type Logger,
  NotFoundError,
  type ScheduleRule,
  type ScheduleTick,
} from '@halyard/contracts';
import { idOfTick, type WorkflowSchedule } from '../../definition/workflow-schedule.ts';
import type { StartOptions } from '../runtime-options.ts';

/** A timer of Node holds 24 days at most, and the clock may be set meanwhile. */
const longestTimerMs = 60_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** Where executions are started. */
interface Starter {
  begin(workflowId: string, input: unknown, options: StartOptions): Promise<string>;
}

/**
 * Starts executions when schedules tick. Each process does so: the id of the execution is made of the tick, and the store takes it once.
 *
 * Of ticks that pass while nothing could run, the last is started. One that cannot be started is tried again until the next.
 */
export class ScheduleTimers {
  readonly #schedules: readonly WorkflowSchedule[];
  readonly #starter: Starter;
  readonly #services: { readonly clock: Clock; readonly logger: Logger };
  readonly #retries = new Map<WorkflowSchedule, NodeJS.Timeout>();
  /** Ticks until then are done. */
  #seenUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;

  constructor(
    schedules: readonly WorkflowSchedule[],
    starter: Starter,
    services: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#schedules = schedules;
    this.#starter = starter;
    this.#services = services;
  }

  get rules(): readonly ScheduleRule[] {
    return this.#schedules.map(({ rule }) => rule);
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#seenUntil = this.#services.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    for (const timer of this.#retries.values()) clearTimeout(timer);
    this.#retries.clear();
  }

  /** A queue noticed a tick. @throws what keeps it from being started, and will not tomorrow. */
  async told({ name, noticedAt, workflowId }: ScheduleTick): Promise<void> {
    const schedule = this.#schedules.find(({ rule }) => rule.name === name && rule.workflowId === workflowId);
    // Another version of the app has it.
    if (schedule === undefined) return;
    const tick = lastTick(schedule, noticedAt);
    if (tick !== undefined) await this.#begin(schedule, tick);
  }

  #arm(): void {
    const now = this.#services.clock.now();
    const next = this.#schedules.map(({ ticks }) => ticks.nextRun(new Date(now))?.getTime() ?? Infinity);
    const waitMs = Math.min(...next) - now;
    if (waitMs === Infinity) return;
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(waitMs, 0), longestTimerMs)).unref();
  }

  #look(): void {
    const now = this.#services.clock.now();
    for (const schedule of this.#schedules) {
      const tick = lastTick(schedule, now);
      if (tick !== undefined && tick.getTime() > this.#seenUntil) void this.#try(schedule, tick, firstRetryMs);
    }
    this.#seenUntil = Math.max(this.#seenUntil, now);
    if (this.#isStarted) this.#arm();
  }

  async #try(schedule: WorkflowSchedule, tick: Date, retryMs: number): Promise<void> {
    clearTimeout(this.#retries.get(schedule));
    this.#retries.delete(schedule);
    try {
      await this.#begin(schedule, tick);
    } catch (error) {
      const { workflowId, name } = schedule.rule;
      const fields = { err: error, workflowId, schedule: name, tick: tick.toISOString() };
      if (!this.#isStarted || error instanceof InvalidInputError || error instanceof NotFoundError) {
        this.#services.logger.error(fields, 'a scheduled execution could not be started');
        return;
      }
      this.#services.logger.warn(fields, 'a scheduled execution could not be started yet; it is tried again');
      const again = (): void => void this.#try(schedule, tick, Math.min(retryMs * 2, longestRetryMs));
      // A later tick has its own.
      if (!this.#retries.has(schedule)) this.#retries.set(schedule, setTimeout(again, retryMs).unref());
    }
  }

  async #begin({ input = {}, rule }: WorkflowSchedule, tick: Date): Promise<void> {
    const { name, workflowId } = rule;
    const metadata = { schedule: name, scheduledFor: tick.toISOString() };
    try {
      await this.#starter.begin(workflowId, input, { executionId: idOfTick(rule, tick), metadata });
    } catch (error) {
      // Somebody was first.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

/** The last tick at or before a moment. */
function lastTick({ ticks }: WorkflowSchedule, at: number): Date | undefined {
  // What it is told is rounded down to a second; itself it does not count.
  return ticks.previousRuns(1, new Date(Math.floor(at / 1_000) * 1_000 + 1_000))[0];
}
