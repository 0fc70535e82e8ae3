import { ConflictError, InvalidInputError, isHalyardError, NotFoundError, type SpanContext } from '@halyard/contracts';
import type { AgentInput } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { actorForCaller, type Caller, requesterForCaller, responderForCaller } from '../../../access/identity.ts';
import { auditedAnswer } from '../../../runtime/audit/audited-approvals.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { startReply } from '../agents/start-reply.ts';
import {
  checkChange,
  type ConversationApprovals,
  conversationApprovals,
  decisionsKeyOf,
  findCall,
} from './conversation-approvals.ts';
import { executionApprovals, findSuspension, suspendedCall } from './execution-approvals.ts';
import { acceptWithGrant, grantedCall, toGrant } from './grants.ts';
import { Approval, ApprovalAnswer } from './schemas.ts';

const common = { tier: 'console', tag: 'Approvals', isScoped: true } as const;

export const approvalRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/approvals',
    operationId: 'listApprovals',
    readsList: true,
    summary: 'List the requests that wait for a person, in executions and in conversations, newest first',
    description:
      'Contains the requests of the newest 200 suspended executions and of the 200 conversations that changed last: of each message the first 50 calls, and of messages that have more than `limits.pageBytes` together, not the largest. Of the conversations of others, contains those of the newest 10000 requests whose rules name the user, at most 200. An agent in a conversation must have a memory: else only its client knows the request.',
    data: Type.Object({
      approvals: Type.Array(Approval),
      hasMore: Type.Boolean({
        description: 'Whether further executions are suspended, or further conversations of others wait.',
      }),
    }),
    handler: async ({ caller }, services) => {
      const { approvals, hasMore } = await listApprovals(services, caller);
      return { approvals, hasMore };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/approvals/answer',
    operationId: 'answerApproval',
    audit: auditedAnswer,
    summary: 'Respond to a request that waits for a person',
    description:
      'Replies when the response is accepted; the execution or the agent continues. Each request accepts one response: later ones, and those after its expiry, are refused.',
    body: ApprovalAnswer,
    failures: [404],
    data: Type.Object({ accepted: Type.Literal(true) }),
    handler: async ({ body, caller, signal, traceParent }, services) => {
      await answerApproval(body, { caller, signal, traceParent }, services);
      return { accepted: true as const };
    },
  }),
];

/**
 * The operations of users: for requests in their own runs, and for those whose rules name them. The
 * chat and `…/resume` accept the same responses from the user of the run.
 */
const ownOperations: Readonly<Record<string, readonly [operationId: string, summary: string]>> = {
  listApprovals: ['listOwnApprovals', 'List the requests that you may answer'],
  answerApproval: ['answerOwnApproval', 'Respond to a request that you may answer'],
};

export const ownApprovalRoutes = approvalRoutes.flatMap((route) => {
  const own = ownOperations[route.operationId];
  if (own === undefined) return [];
  const [operationId, summary] = own;
  return [{ ...route, url: `/api${route.url}`, tier: 'user' as const, operationId, summary }];
});

/** The requests that the caller may answer, newest first, and those of its conversations that others answer. */
export async function listApprovals(services: Services, caller: Caller, isExpired?: true): Promise<ListedApprovals> {
  const [inExecutions, inConversations] = await Promise.all([
    executionApprovals(services, caller),
    conversationApprovals(services, caller, isExpired),
  ]);
  const approvals = [...inExecutions.approvals, ...inConversations.approvals].toSorted((one, other) =>
    other.requestedAt.localeCompare(one.requestedAt),
  );
  const hasMore = inExecutions.hasMore || inConversations.hasMore;
  const { decisionsKeys } = inExecutions;
  return { approvals, hasMore, decisionsKeys, withOthers: inConversations.withOthers };
}

interface ListedApprovals {
  readonly approvals: Approval[];
  readonly hasMore: boolean;
  /** By which the decisions about those of executions are stored. */
  readonly decisionsKeys: ReadonlyMap<Approval, string>;
  readonly withOthers: ConversationApprovals['withOthers'];
}

/**
 * Accepts the response of somebody who may answer, and records who it was.
 *
 * @throws NotFoundError if nothing waits for it that the caller may answer; InvalidInputError
 */
export async function answerApproval(
  answer: ApprovalAnswer,
  request: ApprovalResponseRequest,
  services: Services,
): Promise<void> {
  const { always, approved, conversationId, executionId, input } = answer;
  if (input !== undefined && approved !== true)
    throw new InvalidInputError('body/input is accepted only with `approved: true`');
  if (always !== undefined && (approved !== true || input !== undefined))
    throw new InvalidInputError('body/always is accepted only with `approved: true`, and without `input`');
  if (executionId !== undefined) await respondToExecution({ ...answer, executionId }, request, services);
  else if (conversationId !== undefined) await respondInConversation({ ...answer, conversationId }, request, services);
  else throw new InvalidInputError("body must have required property 'executionId' or 'conversationId'");
  services.approvalChanges.changed();
}

const goneCodes: readonly string[] = ['EXECUTION_NOT_SUSPENDED', 'SUSPENSION_NOT_PENDING'];

export interface ApprovalResponseRequest {
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  readonly signal: AbortSignal;
}

async function respondToExecution(
  { always, approved, executionId, id, input, reason, resumeData }: ApprovalAnswer & { readonly executionId: string },
  { caller, traceParent }: ApprovalResponseRequest,
  services: Services,
): Promise<void> {
  const { root, suspension } = await findSuspension({ executionId, id }, services, caller);
  const isTool = suspension.kind === 'approval';
  if (suspension.kind === 'request' && resumeData !== undefined && resumeData !== null)
    throw new InvalidInputError(
      'body/resumeData answers no question: the execution was suspended from outside. Send none, and answer what its step asks then',
    );
  if (!isTool && input !== undefined) throw new InvalidInputError('body/input is accepted only for a tool call');
  const given = { ...(reason !== undefined && { reason }), ...(input !== undefined && { input }) };
  const data = isTool ? { approved: readDecision(approved), ...given } : resumeData;
  if (always !== undefined && !isTool) throw new InvalidInputError('body/always is accepted only for a tool call');
  const grant = always && toGrant(always, suspendedCall(root, suspension), caller, services);
  const resume = () =>
    services.workflows.resume(
      // The caller may answer, also in an execution of somebody else.
      { owner: 'anyone', workflowId: root.workflowId, executionId },
      {
        resumeData: data,
        suspensionId: suspension.id,
        resumedBy: actorForCaller(caller),
        requestedBy: requesterForCaller(caller),
        user: responderForCaller(caller).user,
        traceParent,
      },
      {
        resumeData: isTool ? 'body' : 'body/resumeData',
        stepId: 'body/id',
        suspensionId: 'body/id',
        newIdempotencyKeys: 'body/id',
      },
    );
  try {
    await acceptWithGrant(grant, services, resume);
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
  {
    always,
    approved,
    conversationId,
    id,
    input: changed,
    reason,
  }: ApprovalAnswer & { readonly conversationId: string },
  request: ApprovalResponseRequest,
  services: Services,
): Promise<void> {
  const { caller } = request;
  const call = await findCall({ conversationId, id }, services, caller);
  const { agent, record, signed, userId } = call;
  // The agent continues on behalf of the user whose run asked.
  const requester = record === undefined ? caller : { ...caller, user: record.user, isOperator: false };
  if (changed !== undefined)
    await checkChange(call, changed, { caller, requester: requester.user, signal: request.signal }, services);
  const grant = always && toGrant(always, await grantedCall(call, requester.user, services), caller, services);
  let decision = { approved: readDecision(approved), ...(reason !== undefined && { reason }) };
  let answeredBy = actorForCaller(caller);
  let isCounted = true;
  if (record?.rules.quorum !== undefined) {
    const { approvals } = services.agentServices;
    const by = { userId: actorForCaller(caller) ?? null, ...decision };
    const options = { rules: record.rules, userId: record.userId, expiresAt: record.expiresAt };
    const decided = await approvals.decide(decisionsKeyOf(record.id, record.round), by, options);
    ({ isCounted } = decided);
    const { settledBy } = decided;
    if (settledBy === undefined) {
      if (!isCounted) throw new NotFoundError('approval', id);
      return;
    }
    // Also where another person has decided: that continuation may have failed.
    answeredBy = settledBy.userId ?? undefined;
    decision = { approved: settledBy.approved, ...(settledBy.reason !== undefined && { reason: settledBy.reason }) };
  }
  const given = { ...decision, ...(changed !== undefined && { input: changed }) };
  const response = { type: 'tool-approval-response' as const, ...signed, ...given };
  const input: AgentInput = [{ role: 'tool', content: [response] }];
  try {
    const settledApprovals = [{ approvalId: signed.approvalId, answeredBy }];
    await acceptWithGrant(grant, services, () =>
      startReply({ ...request, caller: requester, agent, input, conversationId, userId, settledApprovals }, services),
    );
  } catch (error) {
    const isGone = error instanceof ConflictError || (isHalyardError(error) && error.code === 'APPROVAL_NOT_ACCEPTED');
    // Of the people whose decisions make a quorum, another one may have continued it.
    const isSettled = isGone && record?.rules.quorum !== undefined;
    // The conversation went on in the meantime.
    if (!isSettled) throw error instanceof ConflictError ? new NotFoundError('approval', id) : error;
  }
  if (!isCounted) throw new NotFoundError('approval', id);
}

function readDecision(approved: boolean | undefined): boolean {
  if (approved === undefined) throw new InvalidInputError("body must have required property 'approved'");
  return approved;
}
