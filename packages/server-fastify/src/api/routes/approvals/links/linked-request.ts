import { type ApprovalDecision, type Execution, NotFoundError, type Suspension } from '@halyard/contracts';
import { decisionsKey } from '@halyard/core/server';
import type { Caller } from '../../../../access/identity.ts';
import type { AnswerLink, LinkedRequest } from '../../../../runtime/services/answer-links.ts';
import type { Services } from '../../../services.ts';
import { decisionsKeyOf, findCall } from '../conversation-approvals.ts';
import { describeCall } from '../describe-call.ts';
import { describeSuspension, mayAnswerSuspension } from '../execution-approvals.ts';
import type { Approval, ApprovalAnswer } from '../schemas.ts';

/** The request of a link, from the view of its recipient. */
export type LinkedState =
  | { readonly state: 'waiting'; readonly request: WaitingRequest }
  /** The recipient has approved, and others must, too. */
  | { readonly state: 'counted'; readonly decided: number; readonly quorum: number }
  | { readonly state: 'settled'; readonly decision: ApprovalDecision }
  /** It never existed, ended without an answer, or the recipient may not answer it. */
  | { readonly state: 'unknown' };

export interface WaitingRequest {
  readonly approval: Approval;
  /** By which the decisions about it are stored. */
  readonly key: string;
  /** How a response names it. */
  readonly address: Pick<ApprovalAnswer, 'id' | 'executionId' | 'conversationId'>;
}

/** The recipient of a link as the sender of a request. */
export function recipientCaller({ to }: Pick<AnswerLink, 'to'>, address: string): Caller {
  return { user: { ...to }, isOperator: false, address };
}

export async function readLinked(link: AnswerLink, services: Services, caller: Caller): Promise<LinkedState> {
  const { approvals } = services.agentServices;
  const request = await findWaiting(link.request, services, caller);
  // A conversation that continues may still show the request.
  if (request === undefined || 'approvalId' in link.request) {
    const key = await settledKey(link.request, services);
    // The last one: nothing is added after a denial or the quorum.
    const decision = key === undefined ? undefined : (await approvals.decisions(key)).at(-1);
    if (decision !== undefined) return { state: 'settled', decision };
  }
  if (request === undefined) return { state: 'unknown' };
  const decisions = await approvals.decisions(request.key);
  const hasDecided = decisions.some(({ userId }) => userId === link.to.id);
  if (!hasDecided) return { state: 'waiting', request };
  return { state: 'counted', decided: decisions.length, quorum: request.approval.quorum };
}

/** Undefined if the recipient may not answer it, or not any more. */
export async function findWaiting(
  request: LinkedRequest,
  services: Services,
  caller: Caller,
): Promise<WaitingRequest | undefined> {
  if ('executionId' in request) return findSuspended(request, services, caller);
  const { approvalId, conversationId } = request;
  try {
    const call = await findCall({ conversationId, id: approvalId }, services, caller);
    const approval = await describeCall(call);
    const key = decisionsKeyOf(call.signed.approvalId, call.record?.round);
    return { approval, key, address: { id: approval.id, conversationId } };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

async function findSuspended(
  request: Extract<LinkedRequest, { readonly executionId: string }>,
  services: Services,
  caller: Caller,
): Promise<WaitingRequest | undefined> {
  const root = await services.storage.executions.find('anyone', request.executionId);
  if (root === undefined) return undefined;
  const suspension = root.suspensions.find((each) => asks(each) && isLinked(request, root, each));
  if (suspension === undefined || !(await mayAnswerSuspension(root, suspension, services, caller))) return undefined;
  const approval = await describeSuspension(root, suspension, services);
  return { approval, key: decisionsKey(root, suspension), address: { id: suspension.id, executionId: root.id } };
}

/** Events answer themselves, and a suspension from outside asks nothing. */
function asks({ kind }: Suspension): boolean {
  return kind === 'step' || kind === 'approval';
}

function isLinked(request: LinkedRequest, root: Execution, { id, stepId }: Suspension): boolean {
  if ('suspensionId' in request) return id === request.suspensionId;
  return 'stepId' in request && stepId === request.stepId && root.creationId === request.creationId;
}

/** The key of a request that does not wait any more. */
async function settledKey(request: LinkedRequest, services: Pick<Services, 'storage'>): Promise<string | undefined> {
  if ('approvalId' in request) return request.approvalId;
  const { executionId } = request;
  const id = 'suspensionId' in request ? request.suspensionId : await lastSuspensionOf(request, services);
  return id === undefined ? undefined : decisionsKey({ id: executionId }, { id });
}

const eventsPerRead = 500;

/** The last suspension of a step: the events of the execution name it. */
async function lastSuspensionOf(
  { creationId, executionId, stepId }: Extract<LinkedRequest, { readonly stepId: string }>,
  { storage }: Pick<Services, 'storage'>,
): Promise<string | undefined> {
  let last: string | undefined;
  let after = 0;
  for (;;) {
    const range = { after, limit: eventsPerRead, creationId };
    const events = await storage.executions.events('anyone', executionId, range);
    for (const { event, seq } of events) {
      const suspension = event.type === 'workflow-suspended' ? event['suspension'] : undefined;
      if (isReport(suspension) && suspension.stepId === stepId) last = suspension.suspensionId;
      after = seq;
    }
    if (events.length < eventsPerRead) return last;
  }
}

function isReport(value: unknown): value is { readonly stepId: string; readonly suspensionId: string } {
  return typeof value === 'object' && value !== null && 'stepId' in value && 'suspensionId' in value;
}
