import {
  type Clock,
  ConflictError,
  type ExecutionIndex,
  InvalidInputError,
  type Logger,
  NotFoundError,
} from '@halyard/contracts';
import { idOfTick, isIdOfTick, lastTick, type WorkflowSchedule } from '../../definition/workflow-schedule.ts';
import type { StartOptions } from '../runtime-options.ts';

/** Node's timers last 24 days at most, and the system clock may be changed while one runs. */
const longestTimerMs = 60_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** How many executions are read at once, and how large they may be together. */
const pageSize = { limit: 200, offset: 0, maxBytes: 4 * 1024 * 1024, maxTotal: 0 };

/** Starts executions: the workflow runtime. */
interface Starter {
  begin(workflowId: string, input: unknown, options: StartOptions): Promise<string>;
}

/**
 * Starts executions when schedules tick. Every process does this: the execution's id is derived
 * from the tick, and the store accepts it once.
 *
 * When several ticks pass while nothing can run, only the last one is started. A start that fails
 * is retried until the next tick. A schedule with `missed: 'once'` also starts the last tick before
 * the process, if the store has an execution of an earlier one: otherwise the schedule may be new.
 */
export class ScheduleTimers {
  readonly #schedules: readonly WorkflowSchedule[];
  readonly #starter: Starter;
  readonly #store: Pick<ExecutionIndex, 'list'>;
  readonly #services: { readonly clock: Clock; readonly logger: Logger };
  readonly #retries = new Map<WorkflowSchedule, NodeJS.Timeout>();
  /** Ticks up to this time have been handled. */
  #handledUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;

  constructor(
    schedules: readonly WorkflowSchedule[],
    starter: Starter,
    store: Pick<ExecutionIndex, 'list'>,
    services: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#schedules = schedules;
    this.#starter = starter;
    this.#store = store;
    this.#services = services;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#handledUntil = this.#services.clock.now();
    this.#startMissed();
    this.#arm();
  }

  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    for (const timer of this.#retries.values()) clearTimeout(timer);
    this.#retries.clear();
  }

  #startMissed(): void {
    for (const schedule of this.#schedules) {
      const tick = schedule.rule.missed === 'once' ? lastTick(schedule.ticks, this.#handledUntil) : undefined;
      if (tick === undefined) continue;
      void this.#try(schedule, tick, firstRetryMs, async () => {
        if (await this.#hasEarlier(schedule, tick)) await this.#begin(schedule, tick);
      });
    }
  }

  /** Whether the last tick of the schedule that has started an execution was before this one. */
  async #hasEarlier({ rule }: WorkflowSchedule, tick: Date): Promise<boolean> {
    const { name, workflowId } = rule;
    const filter = { parentExecutionId: null, workflowId, metadata: { schedule: name }, ...pageSize };
    for (let page = await this.#store.list('anyone', filter); ;) {
      // Users can send this metadata, too, but cannot choose such an id.
      const started = page.executions.find(({ id }) => isIdOfTick(id, rule));
      const last = page.executions.at(-1);
      if (started !== undefined) return started.id < idOfTick(rule, tick);
      if (!page.hasMore || last === undefined || !this.#isStarted) return false;
      page = await this.#store.list('anyone', { ...filter, after: last.id });
    }
  }

  #arm(): void {
    const now = this.#services.clock.now();
    const next = this.#schedules.map(({ ticks }) => ticks.nextRun(new Date(now))?.getTime() ?? Infinity);
    const waitMs = Math.min(...next) - now;
    if (waitMs === Infinity) return;
    this.#timer = setTimeout(() => this.#startDue(), Math.min(Math.max(waitMs, 0), longestTimerMs)).unref();
  }

  #startDue(): void {
    const now = this.#services.clock.now();
    for (const schedule of this.#schedules) {
      const tick = lastTick(schedule.ticks, now);
      if (tick !== undefined && tick.getTime() > this.#handledUntil)
        void this.#try(schedule, tick, firstRetryMs, () => this.#begin(schedule, tick));
    }
    this.#handledUntil = Math.max(this.#handledUntil, now);
    if (this.#isStarted) this.#arm();
  }

  async #try(schedule: WorkflowSchedule, tick: Date, retryMs: number, begin: () => Promise<void>): Promise<void> {
    clearTimeout(this.#retries.get(schedule));
    this.#retries.delete(schedule);
    try {
      await begin();
    } catch (error) {
      const { workflowId, name } = schedule.rule;
      const fields = { err: error, workflowId, schedule: name, tick: tick.toISOString() };
      if (!this.#isStarted || error instanceof InvalidInputError || error instanceof NotFoundError) {
        this.#services.logger.error(fields, 'a scheduled execution could not be started');
        return;
      }
      this.#services.logger.warn(fields, 'a scheduled execution could not be started and is retried');
      const retry = (): void => void this.#try(schedule, tick, Math.min(retryMs * 2, longestRetryMs), begin);
      // A later tick has its own retry.
      if (!this.#retries.has(schedule)) this.#retries.set(schedule, setTimeout(retry, retryMs).unref());
    }
  }

  async #begin({ input = {}, rule }: WorkflowSchedule, tick: Date): Promise<void> {
    const { name, workflowId } = rule;
    const metadata = { schedule: name, scheduledFor: tick.toISOString() };
    try {
      await this.#starter.begin(workflowId, input, { executionId: idOfTick(rule, tick), metadata });
    } catch (error) {
      // Another process was first.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
