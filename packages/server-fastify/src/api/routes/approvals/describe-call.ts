import { cutText, type OpenApproval } from '@halyard/contracts';
import { allowsAlways, isoTime, rulesOf } from '@halyard/core/server';
import type { AnswerableCall, WaitingCall } from './conversation-approvals.ts';
import type { Approval } from './schemas.ts';

/** How many texts, each how long, an approver of somebody else's request reads. */
const shownTexts = 6;
const shownCharacters = 2_000;

export async function describeCall(call: AnswerableCall): Promise<Approval> {
  return { ...describe(call, call.record), conversation: await lastTexts(call) };
}

export async function lastTexts({
  conversation: { id },
  store,
}: WaitingCall): Promise<NonNullable<Approval['conversation']>> {
  const page = await store.messages('anyone', id, { limit: shownTexts, roles: ['user', 'assistant'] });
  return (page?.messages ?? []).flatMap(({ parts, role }) => {
    const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
    return text === '' ? [] : [{ role, text: cutText(text, shownCharacters) }];
  });
}

export function describe(
  { agent, conversation, createdAt, part, signed, toolName, userId }: WaitingCall,
  record: OpenApproval | undefined,
): Approval {
  return {
    id: part.approval.id,
    kind: 'tool',
    // Not the reason in the message: it is not signed, so the user can write what persuades.
    reason: `Tool "${toolName}" needs approval`,
    requestedAt: isoTime(createdAt),
    expiresAt: isoTime(record?.dueAt ?? Number(signed.signature.split('.', 1)[0])),
    agentId: agent.id,
    toolName,
    input: part.input,
    resumeSchema: null,
    userId: userId ?? null,
    approvers: rulesOf(record)?.approvers.slice() ?? null,
    quorum: record?.rules.quorum ?? 1,
    allowsAlways: allowsAlways(signed.approvalId),
    conversationId: conversation.id,
    workflowId: null,
    executionId: null,
    stepId: null,
  };
}
