import type { SpanContext } from '@halyard/contracts';
import type { Agent, AgentInput } from '@halyard/core';
import type { SettledApproval } from '@halyard/core/server';
import type { Caller } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { toRunOptions } from './run-options.ts';

/** A run in a conversation that no client follows. */
export interface ReplyStart {
  readonly agent: Agent;
  readonly input: AgentInput;
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  /** Ends the wait for the lock of a busy conversation, not the run. */
  readonly signal: AbortSignal;
  /** Approval requests whose responses in the input were accepted from others. */
  readonly settledApprovals: readonly SettledApproval[];
}

/**
 * Starts a chat that continues by itself, and that clients of the conversation can follow. Resolves
 * when it has accepted its input.
 *
 * @throws what `POST /agents/:id/chat` fails with before its stream starts.
 */
export async function startReply(
  { agent, caller, conversationId, input, settledApprovals, signal, traceParent, userId }: ReplyStart,
  services: Services,
): Promise<void> {
  const sent = { conversationId, ...(userId !== undefined && { userId }) };
  const options = toRunOptions(sent, { caller, traceParent, signal }, services, { operation: 'chat' });
  const chunks = await services.chats.start(
    {
      agent,
      input,
      options: { ...options, signal, settledApprovals },
      resumable: true,
      callerKey: services.storedCallerKey(caller),
    },
    services,
  );
  await chunks[Symbol.asyncIterator]().return?.();
}
