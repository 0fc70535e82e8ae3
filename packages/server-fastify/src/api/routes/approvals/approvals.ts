import { ConflictError, InvalidInputError, isHalyardError, NotFoundError, type SpanContext } from '@halyard/contracts';
import type { AgentInput } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { type Caller, ownerForCaller, subjectForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { startReply } from '../agents/start-reply.ts';
import { conversationApprovals, findCall } from './conversation-approvals.ts';
import { executionApprovals, findSuspension } from './execution-approvals.ts';
import { Approval, ApprovalAnswer } from './schemas.ts';

const common = { tier: 'console', tag: 'Approvals' } as const;

export const approvalRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/approvals',
    operationId: 'listApprovals',
    readsList: true,
    summary: 'List the requests that wait for a person, in executions and in conversations, newest first',
    description:
      'Contains the requests of the newest 200 suspended executions and of the 200 conversations that changed last: of each message the first 50 calls, and of messages that have more than `limits.pageBytes` together, not the largest. An agent in a conversation must have a memory: else only its client knows the request.',
    data: Type.Object({
      approvals: Type.Array(Approval),
      hasMore: Type.Boolean({ description: 'Whether further executions are suspended.' }),
    }),
    handler: async ({ caller }, services) => {
      const owner = ownerForCaller(caller);
      const [inExecutions, inConversations] = await Promise.all([
        executionApprovals(owner, services, caller),
        conversationApprovals(owner, services, caller),
      ]);
      const approvals = [...inExecutions.approvals, ...inConversations].toSorted((one, other) =>
        other.requestedAt.localeCompare(one.requestedAt),
      );
      return { approvals, hasMore: inExecutions.hasMore };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/approvals/answer',
    operationId: 'answerApproval',
    summary: 'Respond to a request that waits for a person',
    description:
      'Replies when the response is accepted; the execution or the agent continues. Each request accepts one response: later ones, and those after its expiry, are refused.',
    body: ApprovalAnswer,
    failures: [404],
    data: Type.Object({ accepted: Type.Literal(true) }),
    handler: async ({ body, caller, signal, traceParent }, services) => {
      const { conversationId, executionId } = body;
      const request = { caller, signal, traceParent };
      if (executionId !== undefined) await respondToExecution({ ...body, executionId }, request, services);
      else if (conversationId !== undefined)
        await respondInConversation({ ...body, conversationId }, request, services);
      else throw new InvalidInputError("body must have required property 'executionId' or 'conversationId'");
      return { accepted: true as const };
    },
  }),
];

/**
 * The operations of users, who see and response only requests in their own runs. The chat and
 * `…/resume` accept the same responses.
 */
const ownOperations: Readonly<Record<string, readonly [operationId: string, summary: string]>> = {
  listApprovals: ['listOwnApprovals', 'List the requests that wait in your own executions and conversations'],
  answerApproval: ['answerOwnApproval', 'Respond to a request of your own execution or conversation'],
};

export const ownApprovalRoutes = approvalRoutes.flatMap((route) => {
  const own = ownOperations[route.operationId];
  if (own === undefined) return [];
  const [operationId, summary] = own;
  return [{ ...route, url: `/api${route.url}`, tier: 'user' as const, operationId, summary }];
});

const goneCodes: readonly string[] = ['EXECUTION_NOT_SUSPENDED', 'SUSPENSION_NOT_PENDING'];

interface ApprovalResponseRequest {
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  readonly signal: AbortSignal;
}

async function respondToExecution(
  { approved, executionId, id, reason, resumeData }: ApprovalAnswer & { readonly executionId: string },
  { caller, traceParent }: ApprovalResponseRequest,
  services: Services,
): Promise<void> {
  const owner = ownerForCaller(caller);
  const { root, suspension } = await findSuspension(owner, { executionId, id }, services, caller);
  const isTool = suspension.kind === 'approval';
  if (suspension.kind === 'request' && resumeData !== undefined && resumeData !== null)
    throw new InvalidInputError(
      'body/resumeData answers no question: the execution was suspended from outside. Send none, and answer what its step asks then',
    );
  const data = isTool ? { approved: readDecision(approved), ...(reason !== undefined && { reason }) } : resumeData;
  try {
    await services.workflows.resume(
      { owner, workflowId: root.workflowId, executionId },
      {
        resumeData: data,
        suspensionId: suspension.id,
        resumedBy: subjectForCaller(caller),
        traceParent,
      },
      { resumeData: 'body/resumeData', stepId: 'body/id', suspensionId: 'body/id', newIdempotencyKeys: 'body/id' },
    );
  } catch (error) {
    // Another request responded first.
    if (isHalyardError(error) && goneCodes.includes(error.code)) throw new NotFoundError('approval', id);
    throw error;
  }
}

/**
 * Continues the conversation as a client that sends the response to `/chat` would. It goes on
 * without the client of this request.
 */
async function respondInConversation(
  { approved, conversationId, id, reason }: ApprovalAnswer & { readonly conversationId: string },
  request: ApprovalResponseRequest,
  services: Services,
): Promise<void> {
  const { agent, signed, userId } = await findCall(
    ownerForCaller(request.caller),
    { conversationId, id },
    services,
    request.caller,
  );
  const response = {
    type: 'tool-approval-response' as const,
    ...signed,
    approved: readDecision(approved),
    ...(reason !== undefined && { reason }),
  };
  const input: AgentInput = [{ role: 'tool', content: [response] }];
  try {
    await startReply({ ...request, agent, input, conversationId, userId }, services);
  } catch (error) {
    // The conversation went on in the meantime.
    if (error instanceof ConflictError) throw new NotFoundError('approval', id);
    throw error;
  }
}

function readDecision(approved: boolean | undefined): boolean {
  if (approved === undefined) throw new InvalidInputError("body must have required property 'approved'");
  return approved;
}
