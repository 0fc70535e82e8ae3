import { HalyardError, InvalidInputError, type SpanContext } from '@halyard/contracts';
import type { RunResult as CompletedRun, StartOptions } from '@halyard/core';
import { isReservedExecutionId, type Registry } from '@halyard/core/server';
import type { TSchema } from '@sinclair/typebox';
import { type Caller, identify } from '../../../access/identity.ts';
import { shuttingDown } from '../../../runtime/lifecycle/shutting-down.ts';
import { type Call, defineRoute } from '../../define/define-route.ts';
import { defineStream } from '../../define/define-stream.ts';
import type { Services } from '../../services.ts';
import { executionFrames } from '../../streaming/execution-frames.ts';
import { frame } from '../../streaming/frame.ts';
import { IdParams } from '../common-schemas.ts';
import { WorkflowEvent } from '../executions/event-schemas.ts';
import { RunResult } from '../executions/run-result.ts';
import { RunRequest } from './schemas.ts';

const common = {
  method: 'POST',
  tier: 'user',
  tag: 'Workflows',
  params: IdParams,
  body: RunRequest,
  replyHeaders: ['x-execution-id'],
  detaches: true,
} as const;

export const runRoutes = [
  defineRoute({
    ...common,
    url: '/workflows/:id/execute',
    operationId: 'executeWorkflow',
    summary: 'Run a workflow and wait for its result',
    description:
      'Replies when the execution is completed, suspended or cancelled, or with status `running` when it takes too long. The execution continues if the client disconnects.',
    failures: [404, 409, 500],
    data: RunResult,
    handler: async (call, services) => {
      const { limits, registry, workflows } = services;
      const { body, params } = call;
      // Requests start registered workflows, not those that only run as a step of one.
      registry.getWorkflow(params.id);
      const waitOptions = {
        timeoutMs: limits.executeWaitMs,
        signal: call.signal,
        onBegun: (executionId: string) => call.setHeader('x-execution-id', executionId),
      };
      const options = toStartOptions(body.options, call, services);
      const run = await workflows.execute(params.id, body.input, options, waitOptions, 'body/input');
      return replyToRun(run, call);
    },
  }),
  defineStream({
    ...common,
    url: '/workflows/:id/stream',
    operationId: 'streamWorkflow',
    summary: 'Run a workflow and follow its events until it is suspended or ends',
    description: 'The execution continues if the client disconnects, and the client can follow it again.',
    failures: [404, 409],
    event: WorkflowEvent,
    encode: (text: string) => text,
    encodeFailure: (error) => frame({ type: 'error', error } satisfies WorkflowEvent),
    handler: async (call, services) => {
      const { registry, workflows } = services;
      const { body, params } = call;
      registry.getWorkflow(params.id);
      const options = toStartOptions(body.options, call, services);
      const { events, executionId } = await workflows.stream(params.id, body.input, options, 'body/input', call.signal);
      call.setHeader('x-execution-id', executionId);
      return executionFrames(executionId, events);
    },
  }),
];

/**
 * Converts the `options` of a request. Ignores undocumented fields, and replaces the user by the
 * verified one.
 *
 * @throws InvalidInputError for an `executionId` that the runtime derives itself.
 */
function toStartOptions(
  sent: RunRequest['options'],
  {
    caller,
    params,
    traceParent,
  }: {
    readonly caller: Caller;
    readonly params: { readonly id: string };
    readonly traceParent: SpanContext | undefined;
  },
  {
    registry: { workflows },
    storedCallerKey,
    workflows: { workflows: known },
  }: Pick<Services, 'registry' | 'storedCallerKey' | 'workflows'>,
): StartOptions {
  const options = sent ?? {};
  const workflow = workflows.find(({ id }) => id === params.id);
  if (options.executionId !== undefined && isReservedExecutionId(options.executionId, known, params.id))
    throw new InvalidInputError(
      'body/options/executionId has the form of an id of a schedule, a bulk operation, or a workflow that users may not start',
    );
  const { context, userId } = identify(caller, options);
  return {
    executionId: options.executionId,
    userId,
    conversationId: options.conversationId,
    context,
    workflowState: options.workflowState ?? undefined,
    metadata: options.metadata ?? undefined,
    priority: readPriority(options.priority, caller, workflow),
    startAfterMs: options.startAfterMs,
    user: caller.user,
    subject: storedCallerKey(caller),
    traceParent,
  };
}

/** A verified user does not get before others: the priority of the workflow is the highest. */
function readPriority(
  sent: number | undefined,
  { user }: Caller,
  workflow: Registry['workflows'][number] | undefined,
): number | undefined {
  if (sent === undefined || user === undefined) return sent;
  return Math.min(sent, workflow?.priority ?? 0);
}

/**
 * The reply of a route that waited for an execution.
 *
 * @throws HalyardError that names the failed step, or `SHUTTING_DOWN` if a shutdown ended the wait.
 */
export function replyToRun(
  run: CompletedRun,
  { signal }: Pick<Call<TSchema, TSchema, TSchema>, 'signal'>,
): CompletedRun & Pick<RunResult, 'status'> {
  const { error, status } = run;
  if (status === 'running' && signal.aborted) throw shuttingDown();
  if (status !== 'error') return { ...run, status };
  throw new HalyardError('failed', error?.code ?? 'WORKFLOW_FAILED', error?.message ?? 'The workflow failed');
}
