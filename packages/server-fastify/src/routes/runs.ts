import { ownerOf } from '../access/owner.ts';
import { defineRoute } from '../define/define-route.ts';
import { IdParams } from '../schemas/id.ts';
import { RunRequest } from '../schemas/run-request.ts';
import { RunResult } from '../schemas/run-result.ts';
import { answerRun } from './answer-run.ts';
import { toStartOptions } from './start-options.ts';

const common = {
  method: 'POST',
  tier: 'user',
  tag: 'Workflows',
  params: IdParams,
  body: RunRequest,
  answerHeaders: ['x-execution-id'],
  detaches: true,
} as const;

/** What starts executions. */
export const runRoutes = [
  defineRoute({
    ...common,
    url: '/workflows/:id/execute',
    operationId: 'executeWorkflow',
    summary: 'Run a workflow and wait for what comes of it',
    description:
      'Answers when the execution is completed, suspended or cancelled, or, still `running`, when it takes too long. A client that leaves does not end it.',
    failures: [404, 409, 500],
    data: RunResult,
    handler: async (call, { limits, workflows }) => {
      const { body, caller, params, signal } = call;
      const executionId = await workflows.begin(
        params.id,
        body.input,
        toStartOptions(body.options, caller),
        'body/input',
      );
      call.setHeader('x-execution-id', executionId);
      const run = await workflows.wait(
        { owner: ownerOf(caller), executionId },
        { timeoutMs: limits.executeWaitMs, signal },
      );
      return answerRun(run, signal);
    },
  }),
];
