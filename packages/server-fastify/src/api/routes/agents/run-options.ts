import type { SpanContext } from '@halyard/contracts';
import type { InternalRunOptions, Resend } from '@halyard/core/server';
import { type Caller, identify } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import type { GenerationOptions } from './schemas.ts';

/** The fields that the AI SDK's chat transport sends in addition to the options. */
interface Chat {
  readonly conversationId?: string | undefined;
  /** Id of the message that the run continues. */
  readonly messageId?: string | undefined;
  /** Why the last message is stored already. */
  readonly resend?: Resend | undefined;
  /** The name under which the run is recorded. Default: by the method of the agent. */
  readonly operation?: string | undefined;
}

const noChat: Chat = {};

/** The fields of a request that a run takes. */
interface RunRequest {
  readonly caller: Caller;
  readonly traceParent: SpanContext | undefined;
  readonly signal: AbortSignal;
}

/**
 * Converts a request's `options` for the run: only documented fields, for the verified user if
 * there is one.
 */
export function toRunOptions(
  sent: GenerationOptions | undefined,
  request: RunRequest,
  services: Services,
  chat: Chat = noChat,
): InternalRunOptions {
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
    generationDefaults: services.generationDefaults,
    frequencyPenalty,
    maxOutputTokens,
    maxSteps,
    presencePenalty,
    providerOptions: providerOptions as InternalRunOptions['providerOptions'],
    seed,
    stopSequences,
    temperature,
    topP,
    userId,
    context,
    conversationId: options.memory?.conversationId ?? options.conversationId ?? chat.conversationId,
    contextLimit: options.contextLimit,
    // Without the user of the request, which does not count for a verified user.
    memory: toMemoryOptions(options.memory?.options),
    messageId: chat.messageId,
    resend: chat.resend,
    operation: chat.operation,
    user: caller.user,
    signal,
    traceParent,
    services: services.agentServices,
  };
}

type SentMemory = NonNullable<NonNullable<GenerationOptions>['memory']>['options'];

function toMemoryOptions(sent: SentMemory): InternalRunOptions['memory'] {
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
