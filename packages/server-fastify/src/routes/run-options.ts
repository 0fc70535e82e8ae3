import type { RunOptions } from '@halyard/core';
import type { Caller } from '../access/caller.ts';
import { identify } from '../access/identity.ts';
import type { Services } from '../define/services.ts';
import type { GenerationOptions } from '../schemas/generation-options.ts';

/** What a request's `options` mean for the run: only fields that are documented, for the verified user where there is one. */
export function toRunOptions(
  sent: GenerationOptions | undefined,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
  services: Services,
  chatId?: string,
): RunOptions {
  const options = sent ?? {};
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
    conversationId: options.memory?.conversationId ?? options.conversationId ?? chatId,
    user: caller.user,
    signal,
    services: services.run,
  };
}
