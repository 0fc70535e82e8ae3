import type { Storage } from '@halyard/contracts';
import { type Agent, andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** The most refunds that are reminded of at once. */
const atMost = 20;

/**
 * Every four hours: notes which refunds wait for a person. A real desk sends a mail or a message
 * here.
 */
export function createFollowUp({ executions }: Pick<Storage, 'executions'>) {
  return createWorkflow({
    id: 'follow-up',
    access: 'operators',
    name: 'Follow-up',
    purpose: 'Reminds the team of refunds that wait for a decision',
    input: Type.Object({}),
  })
    .andThen({
      id: 'waiting',
      name: 'Find what waits',
      execute: async () => {
        const page = await executions.list('anyone', {
          parentExecutionId: null,
          workflowId: 'refund',
          status: 'suspended',
          limit: atMost,
          offset: 0,
        });
        return page.executions.map(({ id, suspensions }) => ({ id, reason: suspensions[0]?.reason ?? '' }));
      },
    })
    .andForEach({
      id: 'each',
      name: 'For each refund',
      concurrency: 4,
      step: andThen({
        id: 'remind',
        name: 'Remind',
        execute: ({ data, logger }) => {
          logger.info({ refund: data.id }, `still waits: ${data.reason}`);
          return data.id;
        },
      }),
    })
    .andMap({ id: 'count', name: 'Count', map: { reminded: ({ data }) => data.length } })
    .schedule({ cron: '0 */4 * * *', name: 'every-4-hours' });
}

/** Every morning: counts the refunds, and lets an agent put it into a sentence. */
export function createDailyReport({ executions }: Pick<Storage, 'executions'>, writer: Agent) {
  const count = async (status: 'suspended' | 'completed' | 'error'): Promise<number> => {
    const filter = { parentExecutionId: null, workflowId: 'refund', status, limit: 1, offset: 0 } as const;
    return (await executions.list('anyone', filter)).total;
  };
  return createWorkflow({
    id: 'daily-report',
    access: 'operators',
    name: 'Daily report',
    purpose: 'Tells the team every morning how many refunds wait, were paid and failed',
    input: Type.Object({}),
  })
    .andAll({
      id: 'count',
      name: 'Count refunds',
      steps: [
        andThen({ id: 'waiting', name: 'Waiting', execute: () => count('suspended') }),
        andThen({ id: 'done', name: 'Done', execute: () => count('completed') }),
        andThen({ id: 'failed', name: 'Failed', execute: () => count('error') }),
      ],
    })
    .andAgent({
      id: 'write',
      name: 'Write the report',
      agent: writer,
      prompt: ({ data: [waiting, done, failed] }) =>
        `Put this into one sentence for the team: ${waiting} refunds wait for a decision, ${done} are done and ${failed} have failed.`,
    })
    .schedule({ cron: '0 7 * * *', name: 'every-morning', timeZone: 'Europe/Berlin' });
}
