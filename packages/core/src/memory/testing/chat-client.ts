import type { Message, ToolPart } from '@halyard/contracts';
import type { AgentInput, InputUIMessage, ModelMessage } from '../../model/messages/message.ts';

/** The messages of a conversation in `useChat`. */
export function chatOf(stored: readonly Message[]): InputUIMessage[] {
  return stored.map(({ id, parts, role }) => ({ id, role, parts }) as InputUIMessage);
}

/**
 * The whole history, with answers in the newest message, as `useChat` sends it. @param approvals by
 * call id.
 */
export function chatAnswer(stored: readonly Message[], approvals: ReadonlyMap<string, boolean>): AgentInput {
  const chat = chatOf(stored);
  const last = stored.at(-1);
  if (last === undefined) return chat;
  const parts = last.parts.map((part) => {
    const approved = isWaitingCall(part) ? approvals.get(part.toolCallId) : undefined;
    if (approved === undefined || !isWaitingCall(part)) return part;
    if (part.state === 'approval-requested')
      return { ...part, state: 'approval-responded', approval: { ...part.approval, approved: approved } };
    return approved
      ? { ...part, state: 'output-available', output: 'Rome' }
      : { ...part, state: 'output-error', errorText: 'lost' };
  });
  return [...chat.slice(0, -1), { id: last.id, role: last.role, parts } as InputUIMessage];
}

/** Only the replies, as a client without the AI SDK sends them. */
export function rawAnswer(stored: readonly Message[], approvals: ReadonlyMap<string, boolean>): AgentInput {
  const waiting = (stored.at(-1)?.parts ?? []).filter(isWaitingCall);
  const content = waiting.flatMap((part): Extract<ModelMessage, { role: 'tool' }>['content'] => {
    const approved = approvals.get(part.toolCallId);
    if (approved === undefined) return [];
    if (part.state === 'approval-requested') {
      const { id, signature } = part.approval;
      const response = { type: 'tool-approval-response' as const, approvalId: id, approved: approved, signature };
      return [response];
    }
    const output = approved ? { type: 'text' as const, value: 'Rome' } : { type: 'error-text' as const, value: 'lost' };
    return [{ type: 'tool-result', toolCallId: part.toolCallId, toolName: 'locate', output }];
  });
  return [{ role: 'tool', content }];
}

function isWaitingCall(
  part: Message['parts'][number],
): part is Extract<ToolPart, { state: 'approval-requested' | 'input-available' }> {
  if (!('toolCallId' in part) || part.type === 'tool-look') return false;
  return part.state === 'approval-requested' || part.state === 'input-available';
}
