import type { SpanContext } from '@halyard/contracts';
import type { StartOptions } from '@halyard/core';
import type { Caller } from '../access/caller.ts';
import { identify } from '../access/identity.ts';
import type { RunRequest } from '../schemas/run-request.ts';

/** What a request's `options` mean for the execution: only fields that are documented, for the verified user where there is one. */
export function toStartOptions(
  sent: RunRequest['options'],
  { caller, traceParent }: { readonly caller: Caller; readonly traceParent: SpanContext | undefined },
): StartOptions {
  const options = sent ?? {};
  const { context, userId } = identify(caller, options);
  return {
    executionId: options.executionId,
    userId,
    conversationId: options.conversationId,
    context,
    workflowState: options.workflowState ?? undefined,
    metadata: options.metadata ?? undefined,
    user: caller.user,
    traceParent,
  };
}
