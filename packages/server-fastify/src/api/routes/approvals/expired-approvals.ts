import { type ApprovalDecision, isHalyardError } from '@halyard/contracts';
import { expiredReason, type ExpiredRound, openRound } from '@halyard/core/server';
import { expiryEntry, nobody } from '../../../runtime/audit/audited-approvals.ts';
import type { Services } from '../../services.ts';
import { startReply } from '../agents/start-reply.ts';
import { decisionsKeyOf, findUnanswered, type WaitingCall } from './conversation-approvals.ts';

/** Asks the people of a round, if the request still waits. @returns whether it does. */
export async function askNextRound(expired: ExpiredRound, round: number, services: Services): Promise<boolean> {
  const { conversationId, request, user, userId } = expired;
  const { agentId, approvalId, rounds } = request;
  const call = await findUnanswered({ conversationId, id: approvalId }, services);
  if (call === undefined) return false;
  const decision = await decisionOf(request, round - 1, services);
  if (decision !== undefined) {
    await settle(expired, call, decision, services);
    return false;
  }
  const { agentServices, audit } = services;
  const open = (): Promise<void> =>
    agentServices.approvals.open(request, { agentId, conversationId, userId }, { ...openRound(rounds, round), user });
  const target = { agentId, conversationId, approvalId };
  await audit.record(expiryEntry({ ...target, outcome: 'ask-again' }), nobody, open, 'server');
  return true;
}

/** Continues the conversation with the outcome of the time limit, if the request still waits. */
export async function settleExpired(expired: ExpiredRound, services: Services): Promise<void> {
  const { conversationId, request } = expired;
  const { approvalId, outcome, rounds } = request;
  const call = await findUnanswered({ conversationId, id: approvalId }, services);
  if (call === undefined) return;
  const decision = await decisionOf(request, rounds.length - 1, services);
  if (decision !== undefined) return settle(expired, call, decision, services);
  const target = { agentId: call.agent.id, conversationId, approvalId };
  const ended = { approved: outcome === 'continue', reason: expiredReason, expired: true as const };
  return services.audit.record(
    expiryEntry({ ...target, outcome }),
    nobody,
    () => settle(expired, call, ended, services),
    'server',
  );
}

/**
 * How the people of a round have decided, where several must: the process that was to continue the
 * conversation after the last decision may have ended.
 */
async function decisionOf(
  { approvalId, rounds }: ExpiredRound['request'],
  round: number,
  { agentServices: { approvals } }: Services,
): Promise<ApprovalDecision | undefined> {
  const quorum = rounds[round]?.rules.quorum;
  if (quorum === undefined) return undefined;
  const decisions = await approvals.decisions(decisionsKeyOf(approvalId, round));
  const last = decisions.at(-1);
  return last?.approved === false || decisions.length >= quorum ? last : undefined;
}

type Decision = Pick<ApprovalDecision, 'approved' | 'expired' | 'reason'> & Partial<Pick<ApprovalDecision, 'userId'>>;

/** Continues the conversation as if a client had sent the response. */
async function settle(
  { conversationId, request: { approvalId }, signal, user }: ExpiredRound,
  { agent, signed, userId }: WaitingCall,
  { approved, expired, reason, userId: answeredBy }: Decision,
  services: Services,
): Promise<void> {
  const given = { approved, ...(reason !== undefined && { reason }) };
  const input = [
    { role: 'tool' as const, content: [{ type: 'tool-approval-response' as const, ...signed, ...given }] },
  ];
  const caller = { address: '', user, isOperator: false };
  const settledApprovals = [{ approvalId, answeredBy: answeredBy ?? undefined, expired }];
  const reply = { agent, caller, conversationId, input, settledApprovals, signal, traceParent: undefined, userId };
  try {
    await startReply(reply, services);
  } catch (error) {
    // A response was accepted, or the conversation went on.
    if (isHalyardError(error) && error.code === 'APPROVAL_NOT_ACCEPTED') return;
    throw error;
  }
  services.approvalChanges.changed();
}
