import type { Execution } from '@halyard/contracts';
import { isoTime } from '@halyard/core';
import { subjectOf } from '../access/identity.ts';
import { ownerOf } from '../access/owner.ts';
import { defineRoute } from '../define/define-route.ts';
import { ExecutionParams } from '../schemas/execution-params.ts';
import { ReplayRequest } from '../schemas/replay-request.ts';
import { ResumeRequest } from '../schemas/resume-request.ts';
import { RunResult } from '../schemas/run-result.ts';
import { StopRequest } from '../schemas/stop-request.ts';
import { CancelledExecution, SuspendedExecution } from '../schemas/stopped-execution.ts';
import { answerRun } from './answer-run.ts';
import { keyOf } from './execution-key.ts';

const common = { method: 'POST', tier: 'user', tag: 'Workflows', params: ExecutionParams } as const;
const path = '/workflows/:id/executions/:executionId';

/** Where what was sent is, for errors. */
const replayFields = { resumeData: 'body/resumeData', stepId: 'body/stepId' };
const resumeFields = { resumeData: 'body/resumeData', stepId: 'body/options/stepId' };

/** What is done to executions. */
export const executionControlRoutes = [
  defineRoute({
    ...common,
    url: `${path}/suspend`,
    operationId: 'suspendExecution',
    summary: 'Stop an execution at the next step, until it is resumed',
    description: 'Answers when it has really stopped. The step that runs is told by its signal, and may finish.',
    body: StopRequest,
    failures: [404],
    data: SuspendedExecution,
    handler: async (call, { limits, workflows }) => {
      const reason = call.body?.reason ?? 'Suspended on request';
      const execution = await workflows.suspend(keyOf(call), reason, { timeoutMs: limits.suspendWaitMs });
      return {
        executionId: execution.id,
        status: 'suspended' as const,
        suspension: requestedSuspension(execution, reason),
      };
    },
  }),
  defineRoute({
    ...common,
    url: `${path}/resume`,
    operationId: 'resumeExecution',
    summary: 'Answer a suspension, and wait for what comes of it',
    description: 'Of several answers to one suspension the first counts; the others get 404.',
    body: ResumeRequest,
    answerHeaders: ['x-execution-id'],
    detaches: true,
    failures: [404, 500],
    data: RunResult,
    handler: async (call, { limits, workflows }) => {
      const { body, caller, traceParent } = call;
      const key = keyOf(call);
      const resume = {
        resumeData: body?.resumeData,
        stepId: body?.options?.stepId,
        resumedBy: subjectOf(caller),
        traceParent,
      };
      await workflows.resume(key, resume, resumeFields);
      call.setHeader('x-execution-id', key.executionId);
      return answerRun(await workflows.wait(key, { timeoutMs: limits.executeWaitMs, signal: call.signal }), call);
    },
  }),
  defineRoute({
    ...common,
    url: `${path}/cancel`,
    operationId: 'cancelExecution',
    summary: 'End an execution, whatever it does',
    body: StopRequest,
    failures: [404],
    data: CancelledExecution,
    handler: async (call, { limits, workflows }) => {
      const reason = call.body?.reason ?? 'Cancelled on request';
      const { endedAt, id, updatedAt } = await workflows.cancel(keyOf(call), reason, {
        timeoutMs: limits.suspendWaitMs,
      });
      return { executionId: id, status: 'cancelled' as const, cancelledAt: isoTime(endedAt ?? updatedAt), reason };
    },
  }),
  defineRoute({
    ...common,
    url: `${path}/replay`,
    operationId: 'replayExecution',
    summary: 'Run a new execution from a step of this one, and wait for what comes of it',
    description:
      'What was recorded before that step is taken over. The result and `x-execution-id` are of the new execution.',
    body: ReplayRequest,
    answerHeaders: ['x-execution-id'],
    detaches: true,
    failures: [404, 500],
    data: RunResult,
    handler: async (call, { limits, workflows }) => {
      const { body, caller } = call;
      const { inputData, resumeData, stepId } = body;
      const executionId = await workflows.replay(keyOf(call), { stepId, resumeData, inputData }, replayFields);
      call.setHeader('x-execution-id', executionId);
      const key = { owner: ownerOf(caller), executionId };
      return answerRun(await workflows.wait(key, { timeoutMs: limits.executeWaitMs, signal: call.signal }), call);
    },
  }),
];

/** Of a run that had come to a suspension of its own by then, that one. */
function requestedSuspension({ suspensions, updatedAt }: Execution, reason: string): SuspendedExecution['suspension'] {
  const suspension = suspensions.find(({ kind }) => kind === 'request') ?? suspensions[0];
  return { suspendedAt: isoTime(suspension?.suspendedAt ?? updatedAt), reason: suspension?.reason ?? reason };
}
