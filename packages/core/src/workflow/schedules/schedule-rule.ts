import { ConfigurationError, InvalidInputError } from '@halyard/contracts';
import { cronTicks, lastTick } from '../definition/workflow-schedule.ts';

/** When a stored schedule starts executions. Times are in milliseconds since the epoch. */
export type ScheduleRule =
  | { readonly cron: string; readonly timeZone: string }
  /**
   * The first tick is one interval after `since`: the time at which it was set, rounded up to a
   * second.
   */
  | { readonly everyMs: number; readonly since: number };

/** The ticks of a rule, in milliseconds since the epoch. */
export interface ScheduleTicks {
  /** The first tick after a point in time; undefined if there is none. */
  next(after: number): number | undefined;
  /** The last tick at or before a point in time; undefined if there is none. */
  last(at: number): number | undefined;
}

/** 100 years. */
const longestIntervalMs = 3_155_760_000_000;
/** The time to read a cron expression grows with its length. */
const maxTextLength = 256;

/** @throws InvalidInputError for an invalid expression, time zone or interval. */
export function acceptRule(
  { cron, everyMs, timeZone }: { readonly cron?: unknown; readonly everyMs?: unknown; readonly timeZone?: unknown },
  now: number,
): ScheduleRule {
  if ((cron === undefined) === (everyMs === undefined))
    throw new InvalidInputError('a schedule needs either `cron` or `everyMs`');
  if (cron === undefined) {
    if (timeZone !== undefined) throw new InvalidInputError('timeZone belongs to `cron`: an interval has none');
    // Ids of executions name the second.
    if (!isInterval(everyMs))
      throw new InvalidInputError(
        `everyMs must be whole seconds in milliseconds, 1000 to ${longestIntervalMs}: ${String(everyMs)}`,
      );
    return { everyMs, since: Math.ceil(now / 1_000) * 1_000 };
  }
  const rule = { cron: acceptText(cron, 'cron'), timeZone: acceptText(timeZone ?? 'UTC', 'timeZone') };
  toTicks(rule);
  return rule;
}

/** @throws InvalidInputError for an invalid expression or time zone. */
export function toTicks(rule: ScheduleRule): ScheduleTicks {
  if ('everyMs' in rule) {
    const { everyMs, since } = rule;
    const passed = (at: number): number => Math.max(0, Math.floor((at - since) / everyMs));
    return {
      next: (after) => since + (passed(after) + 1) * everyMs,
      last: (at) => (passed(at) === 0 ? undefined : since + passed(at) * everyMs),
    };
  }
  const ticks = ticksOfCron(rule);
  return {
    next: (after) => ticks.nextRun(new Date(after))?.getTime(),
    last: (at) => lastTick(ticks, at)?.getTime(),
  };
}

function ticksOfCron({
  cron,
  timeZone,
}: {
  readonly cron: string;
  readonly timeZone: string;
}): ReturnType<typeof cronTicks> {
  try {
    return cronTicks(cron, timeZone, 'of the schedule');
  } catch (error) {
    if (error instanceof ConfigurationError) throw new InvalidInputError(error.message, { cause: error });
    throw error;
  }
}

function acceptText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new InvalidInputError(`${name} must be a text`);
  if (value.length > maxTextLength)
    throw new InvalidInputError(`${name} must have at most ${maxTextLength} characters`);
  return value;
}

function isInterval(value: unknown): value is number {
  return typeof value === 'number' && value >= 1_000 && value <= longestIntervalMs && value % 1_000 === 0;
}
