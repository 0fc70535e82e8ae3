import type { AgentEvent } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';
import type { ProviderMetadata } from '../schemas/agent-event.ts';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';

/** A run's events as the AI SDK's UI message stream. */
export function uiChunkSource(events: EventSource<AgentEvent>, messageId: string): EventSource<UiMessageChunk> {
  return {
    nextBatch: async () => {
      const batch = await events.nextBatch();
      return batch?.flatMap((event) => toUiChunks(event, messageId));
    },
    cancel: () => events.cancel(),
  };
}

/**
 * The chunks of one event; none for an event that the UI message stream has no chunk for.
 *
 * Events of a sub-agent travel beside the message, as transient data: what a sub-agent says is not said by the message's author.
 *
 * @param messageId of the message that the run writes or goes on with.
 */
export function toUiChunks(event: AgentEvent, messageId: string): UiMessageChunk | readonly UiMessageChunk[] {
  if (event.agentId !== undefined) return subAgentChunk(event);

  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
    case 'start-step':
    case 'abort':
      return event;
    case 'start':
      return { type: 'start', messageId };
    case 'finish-step':
      return { type: 'finish-step' };
    case 'finish':
      return { type: 'finish', finishReason: event.finishReason };
    case 'tool-input-start':
      return { type: 'tool-input-start', toolCallId: event.id, toolName: event.toolName, ...carried(event) };
    case 'tool-input-delta':
      return { type: 'tool-input-delta', toolCallId: event.id, inputTextDelta: event.delta };
    case 'tool-call':
      return toolCallChunks(event);
    case 'tool-result':
      return {
        type: 'tool-output-available',
        toolCallId: event.toolCallId,
        output: event.output ?? null,
        ...executed(event),
        ...carried(event),
      };
    case 'tool-error':
      return toolErrorChunk(event);
    case 'source':
      return sourceChunk(event);
    case 'file':
      return { type: 'file', url: event.url, mediaType: event.mediaType, ...carried(event) };
    case 'error':
      return { type: 'error', errorText: event.error };
    case 'tool-input-end':
    case 'raw':
      return [];
    default:
      event satisfies never;
      return [];
  }
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;

function subAgentChunk({ agentId = '', agentPath = [], ...event }: AgentEvent): UiMessageChunk {
  return { type: 'data-agent-event', data: { agentId, agentPath, event }, transient: true };
}

function toolCallChunks(event: EventOf<'tool-call'>): UiMessageChunk | readonly UiMessageChunk[] {
  const { approvalId, input, signature, toolCallId, toolName } = event;
  // The error that follows carries the arguments: a client must not run its own tool on them.
  if (event.invalidInput === true) return [];
  const call: UiMessageChunk = {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input,
    ...executed(event),
    ...carried(event),
  };
  if (approvalId === undefined) return call;
  return [
    call,
    { type: 'tool-approval-request', approvalId, toolCallId, ...(signature !== undefined && { signature }) },
  ];
}

function toolErrorChunk(event: EventOf<'tool-error'>): UiMessageChunk {
  const { error, input, toolCallId, toolName } = event;
  if (event.denied === true) return { type: 'tool-output-denied', toolCallId };
  const fields = { toolCallId, errorText: error, ...executed(event), ...carried(event) };
  return event.invalidInput === true
    ? { type: 'tool-input-error', toolName, input, ...fields }
    : { type: 'tool-output-error', ...fields };
}

function sourceChunk(event: EventOf<'source'>): UiMessageChunk {
  if (event.sourceType === 'url') {
    const { title, url } = event;
    return { type: 'source-url', sourceId: event.id, url, ...(title !== undefined && { title }), ...carried(event) };
  }
  const { filename, mediaType, title } = event;
  return {
    type: 'source-document',
    sourceId: event.id,
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...carried(event),
  };
}

function carried({
  providerMetadata,
}: {
  readonly providerMetadata?: ProviderMetadata;
}): { providerMetadata: ProviderMetadata } | undefined {
  return providerMetadata && { providerMetadata };
}

function executed({
  providerExecuted,
}: {
  readonly providerExecuted?: boolean;
}): { providerExecuted: boolean } | undefined {
  return providerExecuted === undefined ? undefined : { providerExecuted };
}
