import {
  internalWorkflowPrefix,
  type OpenApproval,
  type StoredApprovalRules,
  type StoredExpiry,
} from '@halyard/contracts';
import { type ApprovalRequest, ofRequester } from './approvals.ts';

const prefix = `${internalWorkflowPrefix}approval-expiry:`;

/**
 * The workflow of the executions that end requests of an agent in conversations at their time limits.
 * Each agent has its own: only processes with the agent can continue the conversation.
 */
export function approvalExpiryId(agentId: string): string {
  return prefix + agentId;
}

export function isApprovalExpiry(workflowId: string): boolean {
  return workflowId.startsWith(prefix);
}

/** A request in a conversation with a time limit. JSON. */
export interface ExpiringRequest extends ApprovalRequest {
  /** The agent of the conversation. */
  readonly agentId: string;
  /** Each asks people until a time. There is at least one. */
  readonly rounds: readonly AskingRound[];
  /** What happens at the end of the last round. */
  readonly outcome: 'deny' | 'continue';
}

export interface AskingRound {
  /** Without `approvers`, it asks the user of the run. */
  readonly rules: StoredApprovalRules;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** How long a request in a conversation waits, as its tool says it. */
export type ConversationExpiry = Pick<ExpiringRequest, 'outcome' | 'rounds'>;

/** @param rules of the first round. */
export function conversationExpiry(
  expiry: StoredExpiry,
  now: number,
  rules: StoredApprovalRules = ofRequester,
): ConversationExpiry {
  const rounds: AskingRound[] = [];
  let asked = rules;
  let until = now;
  for (let next: StoredExpiry & { readonly rules?: StoredApprovalRules } = expiry; ;) {
    asked = next.rules ?? asked;
    until += next.expiryMs;
    rounds.push({ rules: asked, until });
    const { onExpire = 'deny' } = next;
    if (typeof onExpire === 'string') return { rounds, outcome: onExpire };
    next = onExpire;
  }
}

/** Whether one of the rounds asks others than the user of the run. */
export function asksOthers(rounds: readonly AskingRound[]): boolean {
  return rounds.some(({ rules }) => rules.approvers.length > 0);
}

/** The part of a stored request that says whom a round asks. */
export function openRound(
  rounds: readonly AskingRound[],
  round: number,
): Pick<OpenApproval, 'dueAt' | 'round' | 'rules'> {
  const { rules = ofRequester, until } = rounds[round] ?? {};
  return { rules, ...(until !== undefined && { dueAt: until }), ...(round > 0 && { round }) };
}
