import type { Logger, ScheduleRule, ScheduleTick } from '@halyard/contracts';
import type { PgBoss } from 'pg-boss';
import { deadQueue, type JobData, tickQueue } from './open-boss.ts';

export interface Schedules {
  readonly rules: readonly ScheduleRule[];
  readonly onTick: (tick: ScheduleTick) => Promise<void>;
}

/** Stores the schedules of these workflows in place of their earlier ones, and starts to deliver their ticks. */
export async function storeSchedules(
  boss: PgBoss,
  { onTick, rules, workflowIds }: Schedules & { readonly workflowIds: readonly string[] },
  logger: Logger,
): Promise<void> {
  const stored = new Set<string>();
  for (const rule of rules)
    if (await storeSchedule(boss, rule, logger)) stored.add(toKey(tickQueue(rule.workflowId), rule.name));
  const queues = new Set(workflowIds.map(tickQueue));
  for (const { key, name } of await boss.getSchedules())
    if (queues.has(name) && !stored.has(toKey(name, key))) await boss.unschedule(name, key);
  for (const workflowId of new Set(rules.map((rule) => rule.workflowId))) await deliverTicks(boss, workflowId, onTick);
}

/** @returns whether pg-boss accepts the schedule. */
async function storeSchedule(
  boss: PgBoss,
  { cron, missed, name, timeZone, workflowId }: ScheduleRule,
  logger: Logger,
): Promise<boolean> {
  const queue = tickQueue(workflowId);
  await boss.createQueue(queue, { deadLetter: deadQueue, retryLimit: 5, retryDelay: 2, retryBackoff: true });
  const data: JobData = { workflowId, schedule: name };
  try {
    await boss.schedule(queue, cron, data, { tz: timeZone, key: name, missed });
    return true;
  } catch (error) {
    // The cron dialect of pg-boss differs in rare expressions. The runtime of each process also evaluates schedules.
    logger.warn(
      { err: error, workflowId, schedule: name },
      'A schedule could not be stored; it only ticks while a process runs',
    );
    return false;
  }
}

async function deliverTicks(boss: PgBoss, workflowId: string, onTick: Schedules['onTick']): Promise<void> {
  const options = { pollingIntervalSeconds: 5, batchSize: 1, includeMetadata: true } as const;
  await boss.work<JobData, void, typeof options>(tickQueue(workflowId), options, async (jobs) => {
    for (const { createdOn, data } of jobs)
      await onTick({ workflowId, name: data.schedule ?? '', noticedAt: createdOn.getTime() });
  });
}

function toKey(queue: string, name: string): string {
  return `${queue} ${name}`;
}
