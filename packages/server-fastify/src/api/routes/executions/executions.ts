import type { Execution } from '@halyard/contracts';
import { isHalyardError } from '@halyard/contracts';
import type { ExecutionKey, ResumeOptions } from '@halyard/core';
import { isoTime, listExecutions } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { AccessRefusedError } from '../../../access/access-refused-error.ts';
import {
  actorForCaller,
  type Caller,
  ownerForCaller,
  requesterForCaller,
  responderForCaller,
} from '../../../access/identity.ts';
import { audited } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream } from '../../define/define-stream.ts';
import { executionFrames } from '../../streaming/execution-frames.ts';
import { frame } from '../../streaming/frame.ts';
import { refuseInternal } from '../workflows/refuse-internal.ts';
import { replyToRun } from '../workflows/runs.ts';
import { coveredPage } from './covered-executions.ts';
import { toExecutionRecord, toExecutionState } from './describe-execution.ts';
import { WorkflowEvent } from './event-schemas.ts';
import { toExecutionFilter } from './execution-filter.ts';
import { findFailureReasons } from './failure-reasons.ts';
import { isHidden } from './hidden-executions.ts';
import { RunResult } from './run-result.ts';
import {
  CancelledExecution,
  ExecutionParams,
  ExecutionQuery,
  ExecutionRecord,
  ExecutionState,
  LastEventId,
  ReplayRequest,
  ResumeRequest,
  StopRequest,
  StreamPosition,
  SuspendedExecution,
} from './schemas.ts';

const control = {
  method: 'POST',
  tier: 'user',
  tag: 'Workflows',
  isScoped: true,
  servesRoles: true,
  params: ExecutionParams,
} as const;
const path = '/workflows/:id/executions/:executionId';

/** The places of fields in requests, for errors. */
const replayFields = { inputData: 'body/inputData', resumeData: 'body/resumeData', stepId: 'body/stepId' };
const resumeFields = {
  resumeData: 'body/resumeData',
  stepId: 'body/options/stepId',
  suspensionId: 'body/options/suspensionId',
  newIdempotencyKeys: 'body/options/newIdempotencyKeys',
};

/** How many events of each execution the list contains, from its start. */
const recordEventsLimit = 500;

const state = defineRoute({
  method: 'GET',
  url: `${path}/state`,
  tier: 'console',
  isScoped: true,
  operationId: 'getExecutionState',
  tag: 'Workflows',
  summary: 'Get the state of an execution',
  params: ExecutionParams,
  failures: [404],
  data: ExecutionState,
  handler: async (call, services) => {
    const { workflows } = services;
    const execution = await workflows.get(toKey(call));
    const reasons = await findFailureReasons(services, ownerForCaller(call.caller), [execution]);
    return { ...toExecutionState(execution, workflows.definitionOf(execution)), ...reasons.get(execution.id) };
  },
});

export const executionRoutes = [
  defineRoute({
    method: 'GET',
    url: '/workflows/executions',
    tier: 'console',
    isScoped: true,
    operationId: 'listExecutions',
    readsList: true,
    tag: 'Workflows',
    summary: 'List executions, newest first',
    query: ExecutionQuery,
    description:
      'A page contains as many executions as fit into its limit of bytes: continue with `after` while `hasMore` is true.',
    data: Type.Array(ExecutionRecord),
    extra: Type.Object({ hasMore: Type.Boolean({ description: 'Whether others follow in the list.' }) }),
    handler: async ({ caller, query }, services) => {
      const { limits, storage, targets, workflows } = services;
      const owner = ownerForCaller(caller);
      const filter = { ...toExecutionFilter(query, caller, { targets }), owner, maxBytes: limits.pageBytes };
      const { executions, hasMore } = await coveredPage(filter, caller, services, (page, isFirst) =>
        listExecutions(storage.executions, page, {
          at: 'query/',
          isHidden: (execution) => isFirst && isHidden(execution, caller, services),
        }),
      );
      const ids = executions.map(({ id }) => id);
      const withEvents = query.events !== false;
      const histories = withEvents
        ? await storage.executions.histories(owner, ids, recordEventsLimit, limits.pageBytes)
        : new Map<string, never>();
      const reasons = await findFailureReasons(services, owner, executions);
      const data = executions.map((execution) => ({
        ...toExecutionRecord(
          execution,
          withEvents ? (histories.get(execution.id) ?? []) : undefined,
          workflows.definitionOf(execution),
        ),
        ...reasons.get(execution.id),
      }));
      return { data, extra: { hasMore } };
    },
  }),
  state,
  {
    ...state,
    url: path,
    tier: 'user' as const,
    servesRoles: true as const,
    operationId: 'getExecution',
    summary: 'Get the state of your own execution',
  },
  defineStream({
    method: 'GET',
    url: `${path}/stream`,
    tier: 'user',
    isScoped: true,
    servesRoles: true,
    operationId: 'followExecution',
    tag: 'Workflows',
    summary: 'Follow the events of an execution until it is suspended or ends',
    description:
      'Starts with the stored events after the one that `Last-Event-ID` or `from` names, else with the first event. Contains a `workflow-result` for each time that the execution was suspended, and for its end. After the last event of an execution that has ended, the reply is 204, and an `EventSource` stops.',
    params: ExecutionParams,
    query: StreamPosition,
    requestHeaders: LastEventId,
    detaches: true,
    failures: [404],
    takesTicket: true,
    nothing: 'The execution has ended, and has no event after this one',
    event: WorkflowEvent,
    encode: (text: string) => text,
    encodeFailure: (error) => frame({ type: 'error', error } satisfies WorkflowEvent),
    handler: async (call, { workflows }) => {
      const after = call.headers['last-event-id'] ?? call.query.from ?? 0;
      const key = toKey(call);
      if (after > 0 && hasEnded(await workflows.get(key), after)) return undefined;
      return executionFrames(call.params.executionId, await workflows.follow(key, after, call.signal));
    },
  }),
  defineRoute({
    ...control,
    url: `${path}/suspend`,
    operationId: 'suspendExecution',
    audit: audited('execution.suspend', ['reason']),
    summary: 'Suspend an execution before the next step, until it is resumed',
    description:
      'Replies when the execution is suspended. The signal of the running step is aborted, and the step may finish.',
    body: StopRequest,
    failures: [404],
    data: SuspendedExecution,
    handler: async (call, { limits, workflows }) => {
      const reason = call.body?.reason ?? 'Suspended on request';
      const execution = await workflows.suspend(toKey(call), reason, { timeoutMs: limits.suspendWaitMs });
      return {
        executionId: execution.id,
        status: 'suspended' as const,
        suspension: requestedSuspension(execution, reason),
      };
    },
  }),
  defineRoute({
    ...control,
    tier: 'user-or-operator',
    url: `${path}/resume`,
    operationId: 'resumeExecution',
    audit: audited('execution.resume', ['stepId', 'suspensionId', 'newIdempotencyKeys']),
    summary: 'Resume a suspended execution and wait for its result',
    description:
      'The first response to a suspension counts. `options.suspensionId` names the suspension: if others are pending, the reply is 409. An approval requires it, because the consent is to the call that was shown, and so does a step that has asked before. A user cannot answer a wait for events of the app, and gives no data to an execution that was suspended from outside, nor does the console key where its user may have done that: nothing was asked. An earlier step in `options.stepId` rewinds the execution, which needs the console key, or a workflow that allows it to its users.',
    body: ResumeRequest,
    replyHeaders: ['x-execution-id'],
    detaches: true,
    failures: [403, 404, 409, 500],
    data: RunResult,
    handler: async (call, { limits, registry, workflows }) => {
      const { body, caller, signal, traceParent } = call;
      const key = toKey(call);
      const { newIdempotencyKeys, stepId, suspensionId } = body?.options ?? {};
      // The earliest suspension of a workflow for users is for its user: an operator names the
      // suspension.
      const isNamed = stepId !== undefined || suspensionId !== undefined;
      const { access = 'users' } = registry.workflows.find(({ id }) => id === key.workflowId) ?? {};
      if (caller.hasConsoleAccess === true && !isNamed && access === 'users') throw AccessRefusedError.missing(false);
      const resume = {
        resumeData: body?.resumeData,
        stepId,
        suspensionId,
        newIdempotencyKeys,
        resumedBy: actorForCaller(caller),
        traceParent,
        onlyToQuestions: caller.hasConsoleAccess,
        requestedBy: requesterForCaller(caller),
        user: responderForCaller(caller).user,
      };
      await workflows.resume(key, resume, resumeFields).catch(askForCredentials(caller));
      call.setHeader('x-execution-id', key.executionId);
      return replyToRun(await workflows.wait(key, { timeoutMs: limits.executeWaitMs, signal }), call);
    },
  }),
  defineRoute({
    ...control,
    tier: 'operator',
    url: `${path}/retry`,
    operationId: 'retryExecution',
    audit: audited('execution.retry'),
    summary: 'Retry a failed execution from the steps that failed and wait for its result',
    description:
      'Steps that succeeded do not run again. A failed sub-workflow starts again. Users need a workflow that allows it.',
    replyHeaders: ['x-execution-id'],
    detaches: true,
    failures: [403, 404, 500],
    data: RunResult,
    handler: async (call, { limits, workflows }) => {
      const key = toKey(call);
      await workflows.retry(key, { traceParent: call.traceParent, ...requestedBy(call.caller) });
      call.setHeader('x-execution-id', key.executionId);
      return replyToRun(await workflows.wait(key, { timeoutMs: limits.executeWaitMs, signal: call.signal }), call);
    },
  }),
  defineRoute({
    ...control,
    url: `${path}/cancel`,
    operationId: 'cancelExecution',
    audit: audited('execution.cancel', ['reason']),
    summary: 'Cancel an execution',
    body: StopRequest,
    failures: [404],
    data: CancelledExecution,
    handler: async (call, { limits, workflows }) => {
      const reason = call.body?.reason ?? 'Cancelled on request';
      const { endedAt, id, updatedAt } = await workflows.cancel(toKey(call), reason, {
        timeoutMs: limits.suspendWaitMs,
      });
      return { executionId: id, status: 'cancelled' as const, cancelledAt: isoTime(endedAt ?? updatedAt), reason };
    },
  }),
  defineRoute({
    ...control,
    tier: 'operator',
    url: `${path}/terminate`,
    operationId: 'terminateExecution',
    audit: audited('execution.terminate', ['reason']),
    summary: 'End an execution at once, without compensation',
    description:
      'For an execution that cannot be cancelled, because no process has its workflow or its steps any more. Its sub-workflows end too. A process that still runs it records nothing more.',
    body: StopRequest,
    failures: [404],
    data: CancelledExecution,
    handler: async (call, { workflows }) => {
      const reason = call.body?.reason ?? 'Terminated on request';
      const { endedAt, id, updatedAt } = await workflows.terminate(toKey(call), reason);
      return { executionId: id, status: 'cancelled' as const, cancelledAt: isoTime(endedAt ?? updatedAt), reason };
    },
  }),
  defineRoute({
    ...control,
    tier: 'operator',
    url: `${path}/replay`,
    operationId: 'replayExecution',
    audit: audited('execution.replay', ['stepId']),
    summary: 'Run a new execution from a step of this one and wait for its result',
    description:
      'Copies the records of the earlier steps. The result and `x-execution-id` are those of the new execution. Users need a workflow that allows it.',
    body: ReplayRequest,
    replyHeaders: ['x-execution-id'],
    detaches: true,
    failures: [403, 404, 500],
    data: RunResult,
    handler: async (call, { chats, limits, workflows }) => {
      const { body, caller, params } = call;
      refuseInternal(params.id, { chats });
      const { inputData, resumeData, stepId } = body;
      const replay = { stepId, resumeData, resumedBy: actorForCaller(caller), inputData, ...requestedBy(caller) };
      const executionId = await workflows.replay(toKey(call), replay, replayFields);
      call.setHeader('x-execution-id', executionId);
      const key = { owner: ownerForCaller(caller), executionId };
      return replyToRun(await workflows.wait(key, { timeoutMs: limits.executeWaitMs, signal: call.signal }), call);
    },
  }),
];

/**
 * Whether an execution is over, and this event was its last. A waiting execution may continue, so
 * clients are to reconnect.
 */
function hasEnded({ seq, status }: Execution, lastEvent: number): boolean {
  return status !== 'running' && status !== 'suspended' && seq <= lastEvent;
}

/**
 * The requested suspension, or a suspension that the execution reached itself before the request
 * took effect.
 */
function requestedSuspension({ suspensions, updatedAt }: Execution, reason: string): SuspendedExecution['suspension'] {
  const suspension = suspensions.find(({ kind }) => kind === 'request') ?? suspensions[0];
  return { suspendedAt: isoTime(suspension?.suspendedAt ?? updatedAt), reason: suspension?.reason ?? reason };
}

/** A call without credentials, which legacy mode allows, is told that it needs some. */
function askForCredentials({ isOperator = false, user }: Caller): (error: unknown) => never {
  return (error) => {
    const isMissing =
      !isOperator && user === undefined && isHalyardError(error) && error.code === 'OPERATION_NOT_ALLOWED';
    throw isMissing ? AccessRefusedError.missing(false) : error;
  };
}

/** The caller that asks for steps to run again. They run with the claims of this request. */
function requestedBy(caller: Caller): Pick<ResumeOptions, 'requestedBy' | 'user'> {
  return { requestedBy: requesterForCaller(caller), user: caller.user };
}

/**
 * Identifies the execution of a request, which must belong to the workflow and be accessible to the
 * caller.
 */
function toKey({ caller, params }: { readonly params: ExecutionParams; readonly caller: Caller }): ExecutionKey {
  return { owner: ownerForCaller(caller), workflowId: params.id, executionId: params.executionId };
}
