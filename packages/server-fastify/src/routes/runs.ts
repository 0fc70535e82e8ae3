import { defineRoute } from '../define/define-route.ts';
import { defineStream } from '../define/define-stream.ts';
import { IdParams } from '../schemas/id.ts';
import { RunRequest } from '../schemas/run-request.ts';
import { RunResult } from '../schemas/run-result.ts';
import { WorkflowEvent } from '../schemas/workflow-event.ts';
import { executionFrames } from '../streaming/execution-frames.ts';
import { frame } from '../streaming/frame.ts';
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

export const runRoutes = [
  defineRoute({
    ...common,
    url: '/workflows/:id/execute',
    operationId: 'executeWorkflow',
    summary: 'Run a workflow and wait for its result',
    description:
      'Answers when the execution is completed, suspended or cancelled, or with `running` when it takes too long. A client that leaves does not end it.',
    failures: [404, 409, 500],
    data: RunResult,
    handler: async (call, { limits, workflows }) => {
      const { body, params } = call;
      const waitOptions = {
        timeoutMs: limits.executeWaitMs,
        signal: call.signal,
        onBegun: (executionId: string) => call.setHeader('x-execution-id', executionId),
      };
      const options = toStartOptions(body.options, call);
      const run = await workflows.execute(params.id, body.input, options, waitOptions, 'body/input');
      return answerRun(run, call);
    },
  }),
  defineStream({
    ...common,
    url: '/workflows/:id/stream',
    operationId: 'streamWorkflow',
    summary: 'Run a workflow and follow its events until it is idle',
    description: 'A client that leaves does not end the execution; it can attach again.',
    failures: [404, 409],
    event: WorkflowEvent,
    encode: (text: string) => text,
    encodeFailure: (error) => frame({ type: 'error', error } satisfies WorkflowEvent),
    handler: async (call, { workflows }) => {
      const { body, params } = call;
      const options = toStartOptions(body.options, call);
      const { events, executionId } = await workflows.stream(params.id, body.input, options, 'body/input', call.signal);
      call.setHeader('x-execution-id', executionId);
      return executionFrames(executionId, events);
    },
  }),
];
