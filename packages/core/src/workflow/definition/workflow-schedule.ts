import { ConfigurationError } from '@halyard/contracts';
import { Cron } from 'croner';

const scheduleName = /^[A-Za-z0-9_.-]{1,64}$/;

/** When a workflow is started automatically. */
export interface ScheduleOptions<In = unknown> {
  /**
   * Five fields (minute, hour, day, month, weekday), six with seconds first, or a name such as
   * `@daily`.
   */
  readonly cron: string;
  /** IANA name, such as `Europe/Berlin`; default: UTC. */
  readonly timeZone?: string | undefined;
  /** The input of each execution; default: `{}`. */
  readonly input?: In | undefined;
  /**
   * `^[A-Za-z0-9_.-]{1,64}$`; unique in the workflow, and part of the ids of its executions.
   * Default: `schedule`.
   */
  readonly name?: string | undefined;
  /**
   * Ticks that come while no process runs. `once`: the last of them starts an execution as soon as
   * a process runs again, if the storage still has an execution of an earlier tick. `skip`, the
   * default: they start nothing.
   */
  readonly missed?: 'once' | 'skip' | undefined;
}

/** When executions of a workflow are started automatically. `name` is unique in its workflow. */
interface ScheduleRule {
  readonly workflowId: string;
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly missed: 'once' | 'skip';
}

/** A schedule of a workflow. */
export interface WorkflowSchedule {
  readonly rule: ScheduleRule;
  readonly input: unknown;
  readonly ticks: Cron;
}

/**
 * @throws ConfigurationError for an invalid expression or time zone, or a name that is already
 * used.
 */
export function withSchedule<In>(
  { id, schedules }: { readonly id: string; readonly schedules: readonly WorkflowSchedule[] },
  options: ScheduleOptions<In>,
): readonly WorkflowSchedule[] {
  const { cron, input, missed = 'skip', name = 'schedule', timeZone = 'UTC' } = options;
  if (!scheduleName.test(name))
    throw new ConfigurationError(`Name of a schedule of workflow "${id}" must match ${scheduleName.source}: "${name}"`);
  if (schedules.some(({ rule }) => rule.name === name))
    throw new ConfigurationError(`Workflow "${id}" has two schedules named "${name}"; give one of them another name`);
  const rule: ScheduleRule = { workflowId: id, name, cron, timeZone, missed };
  return [...schedules, { rule, input, ticks: cronTicks(cron, timeZone, `of schedule "${name}" of workflow "${id}"`) }];
}

/** The id of the execution that a tick starts. It is the same in every process. */
export function idOfTick({ name, workflowId }: Pick<ScheduleRule, 'name' | 'workflowId'>, tick: Date): string {
  return `${workflowId}:${name}:${tick.toISOString().replace('.000Z', 'Z')}`;
}

/**
 * Whether an id has the form of those of the ticks of a workflow. @param schedule `name`: only
 * those of this schedule.
 */
export function isIdOfTick(
  id: string,
  { name: only, workflowId }: Pick<ScheduleRule, 'workflowId'> & Partial<Pick<ScheduleRule, 'name'>>,
): boolean {
  const [name = '', ...time] = id.startsWith(`${workflowId}:`) ? id.slice(workflowId.length + 1).split(':') : [];
  const isName = only === undefined ? scheduleName.test(name) : name === only;
  return isName && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time.join(':'));
}

/** The last tick at or before a point in time, in milliseconds since the epoch. */
export function lastTick(ticks: Cron, at: number): Date | undefined {
  // `previousRuns` rounds its argument down to a second and excludes it.
  return ticks.previousRuns(1, new Date(Math.floor(at / 1_000) * 1_000 + 1_000))[0];
}

/**
 * @param what names the schedule in errors. @throws ConfigurationError for an invalid expression or
 * time zone.
 */
export function cronTicks(cron: string, timeZone: string, what: string): Cron {
  if (!isTimeZone(timeZone)) throw new ConfigurationError(`Time zone ${what} is unknown: "${timeZone}"`);
  try {
    const ticks = new Cron(cron, { paused: true, timezone: timeZone });
    // The library also accepts a date, which ticks only once.
    if (ticks.getOnce() === null && ticks.nextRun() !== null) return ticks;
  } catch (error) {
    throw new ConfigurationError(`Cron expression ${what} cannot be read: "${cron}"`, { cause: error });
  }
  throw new ConfigurationError(`Cron expression ${what} never comes true: "${cron}"`);
}

function isTimeZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
