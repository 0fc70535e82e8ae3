import type { TextResult } from '../agent/run-result.ts';
import type { TextReply } from './collect-text.ts';

/** The result of a run as the reply to a request: with the text of all steps. */
export function toTextReply({
  conversationId,
  finishReason,
  fullText,
  toolCalls,
  toolResults,
  usage,
}: TextResult): TextReply {
  return {
    text: fullText,
    usage,
    finishReason,
    toolCalls: toolCalls
      .filter(({ providerExecuted }) => providerExecuted !== true)
      .map(({ approvalId, input, signature, toolCallId, toolName }) => ({
        toolCallId,
        toolName,
        input,
        ...(approvalId !== undefined && { approvalId }),
        ...(signature !== undefined && { signature }),
      })),
    toolResults: toolResults
      .filter(({ providerExecuted }) => providerExecuted !== true)
      .map(({ input, output, toolCallId, toolName }) => ({ toolCallId, toolName, input, output })),
    ...(conversationId !== undefined && { conversationId }),
  };
}
