import type { ModelMessage } from '../messages/message.ts';

type Options = Readonly<Record<string, unknown>>;

/**
 * Whether a sub-agent has made the call, which the conversation shows because it needs approval.
 *
 * @param options the metadata that the call carries.
 */
export function isDelegatedCall(options: Readonly<Record<string, Options | undefined>> | undefined): boolean {
  return typeof options?.['halyard']?.['agentId'] === 'string';
}

/**
 * Ids of the calls of a message whose sub-agents have asked for approvals and not continued: their
 * outputs say only that they wait.
 *
 * @param states of the requests. By default also those with a response.
 */
export function delegatingCalls(
  parts: readonly object[],
  states: readonly string[] = ['approval-requested', 'approval-responded'],
): ReadonlySet<string> {
  return new Set(
    parts.flatMap((part) => {
      const { callProviderMetadata, state }: RequestPart = part;
      const id =
        state !== undefined && states.includes(state) && callProviderMetadata?.['halyard']?.['parentToolCallId'];
      return typeof id === 'string' ? [id] : [];
    }),
  );
}

interface RequestPart {
  readonly state?: string;
  readonly callProviderMetadata?: Readonly<Record<string, Options | undefined>>;
}

/** The messages for the model of the agent, which does not know the calls of its sub-agents. */
export function withoutDelegatedCalls(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const ids = new Set(
    messages.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) =>
            part.type === 'tool-call' && isDelegatedCall(part.providerOptions) ? [part.toolCallId] : [],
          ),
    ),
  );
  if (ids.size === 0) return messages;
  const isKept = (part: object): boolean =>
    !('toolCallId' in part && typeof part.toolCallId === 'string' && ids.has(part.toolCallId));
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, content: message.content.filter(isKept) };
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    return { ...message, content: message.content.filter(isKept) };
  });
}
