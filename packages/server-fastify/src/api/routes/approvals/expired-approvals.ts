import { isHalyardError } from '@halyard/contracts';
import { expiredReason, type ExpiredRound, openRound, type SettledApproval } from '@halyard/core/server';
import { expiryEntry, nobody } from '../../../runtime/audit/audited-approvals.ts';
import type { Services } from '../../services.ts';
import { startReply } from '../agents/start-reply.ts';
import { decisionsKeyOf, findUnanswered } from './conversation-approvals.ts';

/** Asks the people of a round, if the request still waits. @returns whether it does. */
export async function askNextRound(
  { conversationId, request, user, userId }: ExpiredRound,
  round: number,
  services: Services,
): Promise<boolean> {
  const { agentId, approvalId, rounds } = request;
  if ((await findUnanswered({ conversationId, id: approvalId }, services)) === undefined) return false;
  const { agentServices, audit } = services;
  const open = (): Promise<void> =>
    agentServices.approvals.open(request, { agentId, conversationId, userId }, { ...openRound(rounds, round), user });
  const target = { agentId, conversationId, approvalId };
  await audit.record(expiryEntry({ ...target, outcome: 'ask-again' }), nobody, open, 'server');
  return true;
}

/** Continues the conversation with the outcome of the time limit, if the request still waits. */
export async function settleExpired(
  { conversationId, request, signal, user }: ExpiredRound,
  services: Services,
): Promise<void> {
  const { approvalId, outcome, rounds } = request;
  const call = await findUnanswered({ conversationId, id: approvalId }, services);
  if (call === undefined) return;
  const { agent, signed, userId } = call;
  const caller = { address: '', user, isOperator: false };
  const settle = async (
    decision: { readonly approved: boolean; readonly reason?: string },
    by: Omit<SettledApproval, 'approvalId'>,
  ): Promise<void> => {
    const response = { type: 'tool-approval-response' as const, ...signed, ...decision };
    const input = [{ role: 'tool' as const, content: [response] }];
    const reply = { agent, caller, conversationId, input, signal, traceParent: undefined, userId };
    try {
      await startReply({ ...reply, settledApprovals: [{ approvalId, ...by }] }, services);
    } catch (error) {
      // A response was accepted, or the conversation went on.
      if (isHalyardError(error) && error.code === 'APPROVAL_NOT_ACCEPTED') return;
      throw error;
    }
    services.approvalChanges.changed();
  };
  // The process that was to continue it after the last decision may have ended.
  const quorum = rounds.at(-1)?.rules.quorum ?? Infinity;
  const decisions = await services.agentServices.approvals.decisions(decisionsKeyOf(approvalId, rounds.length - 1));
  const last = decisions.at(-1);
  if (quorum !== Infinity && last !== undefined && (!last.approved || decisions.length >= quorum)) {
    const { approved, reason, userId: answeredBy } = last;
    return settle({ approved, ...(reason !== undefined && { reason }) }, { answeredBy: answeredBy ?? undefined });
  }
  const target = { agentId: agent.id, conversationId, approvalId };
  const expired = { approved: outcome === 'continue', reason: expiredReason };
  return services.audit.record(
    expiryEntry({ ...target, outcome }),
    nobody,
    () => settle(expired, { expired: true }),
    'server',
  );
}
