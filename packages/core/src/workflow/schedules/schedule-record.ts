import { createHash } from 'node:crypto';
import type { Execution, JsonObject, JsonValue } from '@halyard/contracts';
import type { ScheduleRule } from './schedule-rule.ts';

/** The id of the workflow whose executions are the stored schedules. Only the runtime starts it. */
export const scheduleWorkflowId = 'halyard:schedule';

/**
 * One revision of a schedule: the input of an execution. Each change is a new execution with the
 * next number in its id, which the storage accepts once. So the newest one counts, even with
 * concurrent changes.
 */
export interface ScheduleRecord {
  readonly key: string;
  readonly revision: number;
  readonly state: 'active' | 'paused' | 'deleted';
  readonly id: string;
  readonly userId?: string;
  readonly workflowId: string;
  readonly rule: ScheduleRule;
  readonly input: JsonValue;
  readonly options: ScheduledOptions;
  /** When it was set, in milliseconds since the epoch. */
  readonly setAt: number;
  /** Ticks up to this time are done with. */
  readonly doneUntil: number;
}

/** The fields of each execution of a schedule besides its input. JSON. */
export interface ScheduledOptions {
  readonly context?: JsonObject | undefined;
  readonly conversationId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly priority?: number | undefined;
}

/** Part of the ids of the schedule's revisions and executions, which no user can choose. */
export function toScheduleKey({
  id,
  userId = null,
}: {
  readonly id: string;
  readonly userId?: string | null | undefined;
}): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, id]))
    .digest('hex')
    .slice(0, 32);
}

export function revisionId({ key, revision }: Pick<ScheduleRecord, 'key' | 'revision'>): string {
  return `${scheduleWorkflowId}:${key}.${revision}`;
}

/** The input of an execution of the workflow, which only the runtime starts. */
export function toScheduleRecord({ input }: Pick<Execution, 'input'> | { readonly input: unknown }): ScheduleRecord {
  return input as ScheduleRecord;
}
