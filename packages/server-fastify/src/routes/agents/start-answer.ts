import type { SpanContext } from '@halyard/contracts';
import { type Agent, type AgentInput, startChat } from '@halyard/core';
import type { Caller } from '../../access/identity.ts';
import type { Services } from '../../services/services.ts';
import { isDurableChat } from './chat.ts';
import { toRunOptions } from './run-options.ts';

/** A run in a conversation that no client follows. */
export interface AnswerStart {
  readonly agent: Agent;
  readonly input: AgentInput;
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  /** Ends the wait for the turn in a conversation that is being answered, not the run. */
  readonly signal: AbortSignal;
}

/**
 * Starts a chat that continues by itself, and that clients of the conversation can follow. Resolves when it has accepted its input.
 *
 * @throws what `POST /agents/:id/chat` fails with before its stream starts.
 */
export async function startAnswer(
  { agent, caller, conversationId, input, signal, traceParent, userId }: AnswerStart,
  services: Services,
): Promise<void> {
  const runOptionsFor = (runSignal: AbortSignal) =>
    toRunOptions(
      { conversationId, ...(userId !== undefined && { userId }) },
      { caller, traceParent, signal: runSignal },
      services,
      {
        operation: 'chat',
      },
    );
  const answer = {
    agentId: agent.id,
    conversationId,
    userId,
    callerKey: services.storedCallerKey(caller),
    policy: agent.onBusy,
    continues: undefined,
  };
  const chunks = isDurableChat(agent, services)
    ? await services.durableAnswers.start(answer, input, runOptionsFor(signal), signal, services.workflows)
    : await services.answers.start(answer, signal, (runSignal) =>
        startChat(agent, input, runOptionsFor(runSignal), services),
      );
  await chunks[Symbol.asyncIterator]().return?.();
}
