import type { Attributes } from '@halyard/contracts';
import type { UnaskedCall } from '../../agent/approvals/approvals.ts';
import type { JSONValue } from '../../model/providers/model-port.ts';
import { boundedText } from './bounded-json.ts';

export interface RecordedToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
  readonly unasked?: UnaskedCall | undefined;
}

export function toolCallAttributes({
  conversationId,
  toolCallId,
  toolName,
  unasked,
  userId,
}: RecordedToolCall): Attributes {
  return {
    'entity.type': 'tool',
    'entity.id': toolName,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': toolCallId,
    'gen_ai.tool.type': 'function',
    ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
    ...(userId !== undefined && { 'user.id': userId }),
    ...(unasked !== undefined && 'grantId' in unasked && { 'halyard.approval.grant_id': unasked.grantId }),
    ...(unasked !== undefined && 'shadow' in unasked && { 'halyard.approval.shadow': true }),
  };
}

/** @param result undefined while the tool runs. */
export function toolContent(input: unknown, result: JSONValue | undefined): Attributes {
  return {
    ...(input !== undefined && { 'gen_ai.tool.call.arguments': boundedText(input) }),
    ...(result !== undefined && { 'gen_ai.tool.call.result': boundedText(result) }),
  };
}
