import type { SpanContext } from '@halyard/contracts';
import type { RunOptions } from '@halyard/core';
import { type Caller, identify } from '../../access/identity.ts';
import type { Services } from '../../services/services.ts';
import type { GenerationOptions } from './schemas.ts';

/** What the AI SDK's chat transport says beside the options. */
interface Chat {
  readonly conversationId?: string | undefined;
  /** Of the message that the run goes on with. */
  readonly messageId?: string | undefined;
  /** What the run is recorded as. Default: by the method of the agent. */
  readonly operation?: string | undefined;
}

const noChat: Chat = {};

/** What a run takes from the request that starts it. */
interface RunRequest {
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  readonly signal: AbortSignal;
}

/** What a request's `options` mean for the run: only fields that are documented, for the verified user where there is one. */
export function toRunOptions(
  sent: GenerationOptions | undefined,
  request: RunRequest,
  services: Services,
  chat: Chat = noChat,
): RunOptions {
  const options = sent ?? {};
  const { caller, signal, traceParent } = request;
  const { userId, context } = identify(caller, {
    userId: options.memory?.userId ?? options.userId,
    context: options.context,
  });
  const {
    frequencyPenalty,
    maxOutputTokens,
    maxSteps,
    presencePenalty,
    providerOptions,
    seed,
    stopSequences,
    temperature,
    topP,
  } = options;
  return {
    frequencyPenalty,
    maxOutputTokens,
    maxSteps,
    presencePenalty,
    providerOptions: providerOptions as RunOptions['providerOptions'],
    seed,
    stopSequences,
    temperature,
    topP,
    userId,
    context,
    conversationId: options.memory?.conversationId ?? options.conversationId ?? chat.conversationId,
    contextLimit: options.contextLimit,
    // Who it is for is told above: what was sent does not count for a verified user.
    memory: toMemoryOptions(options.memory?.options),
    messageId: chat.messageId,
    operation: chat.operation,
    user: caller.user,
    signal,
    traceParent,
    services: services.run,
  };
}

type SentMemory = NonNullable<NonNullable<GenerationOptions>['memory']>['options'];

function toMemoryOptions(sent: SentMemory): RunOptions['memory'] {
  if (sent === undefined || sent === null) return undefined;
  const { contextLimit, conversationPersistence, readOnly, semanticMemory } = sent;
  return {
    options: {
      contextLimit,
      readOnly,
      semanticMemory: semanticMemory ?? undefined,
      conversationPersistence: conversationPersistence ?? undefined,
    },
  };
}
