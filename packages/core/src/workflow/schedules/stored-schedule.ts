import type { JsonValue } from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import { toTicks } from './schedule-rule.ts';

/** Names a stored schedule: the id is unique for its user, and for those without a user. */
export interface ScheduleKey {
  /** `^[A-Za-z0-9_.:-]{1,128}$` */
  readonly id: string;
  /** Default: it belongs to no one. */
  readonly userId?: string | undefined;
}

/** The workflow and the times of a stored schedule: either by `cron` or by `everyMs`. */
export interface ScheduleSettings extends ScheduleKey {
  /** A workflow of this runtime. */
  readonly workflowId: string;
  /**
   * Five fields (minute, hour, day, month, weekday), six with seconds first, or a name such as
   * `@daily`. At most 256 characters.
   */
  readonly cron?: string | undefined;
  /** IANA name, such as `Europe/Berlin`, for `cron`; default: UTC. */
  readonly timeZone?: string | undefined;
  /**
   * The interval in milliseconds: whole seconds. The first execution starts one interval after the
   * schedule was set.
   */
  readonly everyMs?: number | undefined;
  /** The input of each execution, which must fit the schema of the workflow; default: `{}`. */
  readonly input?: unknown;
  /** Of each execution. */
  readonly conversationId?: string | undefined;
  /** Available to every step of each execution. JSON. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** Stored with each execution, with `scheduleId` and `scheduledFor`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Of each execution: -1000 to 1000; default: the workflow's. */
  readonly priority?: number | undefined;
}

/** A stored schedule. */
export interface StoredSchedule extends Omit<ScheduleSettings, 'input'> {
  readonly input: JsonValue;
  readonly isPaused: boolean;
  /** When it was set, paused or resumed last: ISO 8601. */
  readonly setAt: string;
  /** When the next execution starts: ISO 8601; null while it is paused. */
  readonly nextAt: string | null;
}

/** @param now in milliseconds since the epoch. */
export function describeSchedule(
  { id, input, options, rule, setAt, state, userId, workflowId }: ScheduleRecord,
  now: number,
): StoredSchedule {
  const next = state === 'active' ? toTicks(rule).next(now) : undefined;
  const { everyMs, ...when } = { everyMs: undefined, ...rule };
  return {
    id,
    ...(userId !== undefined && { userId }),
    workflowId,
    ...(everyMs === undefined ? when : { everyMs }),
    input,
    ...options,
    isPaused: state === 'paused',
    setAt: isoTime(setAt),
    nextAt: next === undefined ? null : isoTime(next),
  };
}
