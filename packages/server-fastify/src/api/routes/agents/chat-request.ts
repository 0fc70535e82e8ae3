import type { AgentInput } from '@halyard/core';
import type { Resend } from '@halyard/core/server';
import { extendedMessage } from '@halyard/core/server';
import type { ChatRequest, StreamRequest } from './schemas.ts';

/** The run and the conversation that a request from the AI SDK's clients asks for. */
interface ReadRequest {
  readonly input: AgentInput;
  /** The message of the assistant that the run extends. */
  readonly extended: ReturnType<typeof extendedMessage>;
  readonly chat: {
    readonly conversationId: string | undefined;
    readonly messageId: string | undefined;
    readonly resend: Resend | undefined;
  };
}

/**
 * Reads a generation request, or a request of the AI SDK's chat transports or of its
 * `useCompletion`.
 */
export function readChatRequest(body: ChatRequest | StreamRequest): ReadRequest {
  // The schema requires one of them.
  const input = body.input ?? (body.messages as AgentInput | undefined) ?? body.prompt ?? '';
  const extended = extendedMessage(input);
  return {
    input,
    extended,
    chat: { conversationId: body.id, messageId: extended?.id, resend: readResend(body, input) },
  };
}

/** The chat transports of the AI SDK send why they send a message again. */
function readResend({ messageId, trigger }: ChatRequest | StreamRequest, input: AgentInput): Resend | undefined {
  if (trigger === 'regenerate-message') return 'regenerate';
  const last = typeof input === 'string' ? undefined : input.at(-1);
  const isNamed = last !== undefined && 'id' in last && last.id === messageId;
  return isNamed && messageId !== undefined ? 'edit' : undefined;
}
