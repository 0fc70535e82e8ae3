import type { Logger, ScheduleRule, ScheduleTick } from '@halyard/contracts';
import type { PgBoss } from 'pg-boss';
import type { JobData } from './dead-letter.ts';
import { deadQueue, tickQueue } from './queue-names.ts';

type OnTick = (tick: ScheduleTick) => Promise<void>;

/** Stores schedules in place of those that these workflows had, and hands out their ticks. */
export async function storeSchedules(
  boss: PgBoss,
  {
    onTick,
    rules,
    workflowIds,
  }: { readonly rules: readonly ScheduleRule[]; readonly onTick: OnTick; readonly workflowIds: readonly string[] },
  logger: Logger,
): Promise<void> {
  const queues = new Set(workflowIds.map(tickQueue));
  const kept = new Set<string>();
  for (const rule of rules)
    if (await storeSchedule(boss, rule, logger)) kept.add(keyOf(tickQueue(rule.workflowId), rule.name));
  for (const { key, name } of await boss.getSchedules())
    if (queues.has(name) && !kept.has(keyOf(name, key))) await boss.unschedule(name, key);
  for (const workflowId of new Set(rules.map((rule) => rule.workflowId))) await handOut(boss, workflowId, onTick);
}

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
    // Dialects of cron differ in what few write; and the process keeps the time as well.
    logger.warn(
      { err: error, workflowId, schedule: name },
      'a schedule could not be stored; it ticks while a process runs',
    );
    return false;
  }
}

async function handOut(boss: PgBoss, workflowId: string, onTick: OnTick): Promise<void> {
  const options = { pollingIntervalSeconds: 5, batchSize: 1, includeMetadata: true } as const;
  await boss.work<JobData, void, typeof options>(tickQueue(workflowId), options, async (jobs) => {
    for (const { createdOn, data } of jobs)
      await onTick({ workflowId, name: data.schedule ?? '', noticedAt: createdOn.getTime() });
  });
}

function keyOf(queue: string, name: string): string {
  return `${queue} ${name}`;
}
