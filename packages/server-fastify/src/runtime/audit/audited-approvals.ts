import type { JsonValue } from '@halyard/contracts';
import type { ExpiredRequest, ShadowedCall } from '@halyard/core/server';
import type { Caller } from '../../access/identity.ts';
import { cut, type Audited, type AuditEntry, fieldsOf } from './audited.ts';

const answersApproval = 'approval.answer';
/** A run accepts no more responses than its message has calls, but a client may send any number. */
const recordedResponses = 50;

/** Records a response to `POST /approvals/answer`. */
export const auditedAnswer: Audited = ({ body }) => answerEntry(fieldsOf(body));

/** Nobody acts when nobody has responded in time. */
export const nobody: Caller = { address: '', user: undefined };

/** Records that nobody has responded to a request of an execution or a conversation in time. */
export function expiryEntry({
  outcome,
  ...target
}: AuditEntry['target'] & Pick<ExpiredRequest, 'outcome'>): AuditEntry {
  return { action: 'approval.expire', target, detail: { outcome } };
}

export function answerEntry(answer: Readonly<Record<string, unknown>>): AuditEntry {
  const { always, approved, conversationId, executionId, id, input, reason } = answer;
  return {
    action: answersApproval,
    target: {
      ...(typeof executionId === 'string' && { executionId }),
      ...(typeof conversationId === 'string' && { conversationId }),
      approvalId: String(id),
    },
    detail: { ...decision({ approved, input, reason }), ...(always !== undefined && { always: toAlways(always) }) },
  };
}

function toAlways(always: unknown): JsonValue {
  const { expiryMs, scope } = fieldsOf(always);
  return { ...(typeof scope === 'string' && { scope }), ...(typeof expiryMs === 'number' && { expiryMs }) };
}

/** Records a call that would have waited for a person. */
export function shadowEntry({ approvers, conversationId, executionId, ...call }: ShadowedCall): AuditEntry {
  const { agentId, toolCallId, toolName, userId } = call;
  return {
    action: 'approval.shadow',
    target: {
      agentId,
      ...(conversationId !== undefined && { conversationId }),
      ...(executionId !== undefined && { executionId }),
      ...(userId !== undefined && { userId }),
    },
    detail: { toolName, toolCallId, ...(approvers !== undefined && { approvers: [...approvers] }) },
  };
}

/**
 * Records the responses to approvals that the messages of a run end with, as `useChat` and other
 * clients send them. Other runs are not recorded.
 */
export const auditedResponses: Audited = (call) => {
  const body = fieldsOf(call.body);
  const responses = [body['messages'], body['input']].flatMap(responsesOf);
  const [first, ...others] = responses;
  if (first === undefined) return undefined;
  const { id: agentId } = fieldsOf(call.params);
  const conversationId = fieldsOf(body['options'])['conversationId'] ?? body['id'];
  return {
    action: answersApproval,
    target: {
      ...(typeof agentId === 'string' && { agentId }),
      ...(typeof conversationId === 'string' && { conversationId }),
      approvalId: first.id,
    },
    detail: {
      ...decision(first),
      ...(others.length > 0 && {
        others: others.slice(0, recordedResponses).map((one) => ({ approvalId: cut(one.id), ...decision(one) })),
      }),
    },
  };
};

interface SentResponse {
  readonly id: string;
  readonly approved: unknown;
  readonly reason: unknown;
  readonly input: unknown;
}

/** The responses of the last messages, which may be of the UI or of the model. */
function responsesOf(messages: unknown): readonly SentResponse[] {
  if (!Array.isArray(messages)) return [];
  // System messages may follow the responses.
  const list = messages.map(fieldsOf).filter(({ role }) => role !== 'system');
  const last = list.at(-1);
  if (last?.['role'] === 'assistant') return partsOf(last['parts']).flatMap(uiResponse);
  const end = 1 + list.findLastIndex(({ role }) => role !== 'tool');
  return list.slice(end).flatMap((message) => partsOf(message['content']).flatMap(modelResponse));
}

function uiResponse(part: Readonly<Record<string, unknown>>): readonly SentResponse[] {
  const { approved, id, input, reason } = fieldsOf(part['approval']);
  return part['state'] === 'approval-responded' && typeof id === 'string' ? [{ id, approved, input, reason }] : [];
}

function modelResponse(part: Readonly<Record<string, unknown>>): readonly SentResponse[] {
  const { approvalId: id, approved, input, reason, type } = part;
  return type === 'tool-approval-response' && typeof id === 'string' ? [{ id, approved, input, reason }] : [];
}

function partsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function decision({ approved, input, reason }: Omit<SentResponse, 'id'>): Record<string, JsonValue> {
  return {
    ...(typeof approved === 'boolean' && { approved }),
    ...(typeof reason === 'string' && { reason: cut(reason) }),
    // The conversation or the execution has the arguments themselves.
    ...(input !== undefined && { changesInput: true }),
  } satisfies AuditEntry['detail'];
}
