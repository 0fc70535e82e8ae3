import type { AgentEvent, ProviderMetadata } from '../agent/agent-event.ts';
import { uiApprovalId } from '../agent/approvals/approvals.ts';
import type { UIMessageChunk } from '../model/messages/message.ts';
import { toStreamEvent } from './to-stream-event.ts';

type ChunkMetadata = NonNullable<Extract<UIMessageChunk, { type: 'text-start' }>['providerMetadata']>;

/**
 * The chunks of one event in the AI SDK's UI message stream; none if the stream has no such chunk.
 *
 * Events of a sub-agent and summaries become transient data: they are not part of the message. The
 * data that its tools write are.
 *
 * @param messageId of the message that the run writes or extends.
 */
export function toUiChunks(event: AgentEvent, messageId: string): UIMessageChunk | readonly UIMessageChunk[] {
  if (event.type === 'data') return dataChunk(event);
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
      // Provider metadata is JSON: the chunk has the fields of the event.
      return event as UIMessageChunk;
    case 'start':
      return { type: 'start', messageId, ...toMetadata(event) };
    case 'finish-step':
      return { type: 'finish-step' };
    case 'finish':
      return { type: 'finish', finishReason: event.finishReason, ...toMetadata(event) };
    case 'tool-input-start':
      return {
        type: 'tool-input-start',
        toolCallId: event.id,
        toolName: event.toolName,
        ...toolFields(event),
        ...executed(event),
        ...providerFields(event),
      };
    case 'tool-input-delta':
      return { type: 'tool-input-delta', toolCallId: event.id, inputTextDelta: event.delta };
    case 'tool-call':
      return toolCallChunks(event);
    case 'tool-result':
      return {
        type: 'tool-output-available',
        toolCallId: event.toolCallId,
        output: event.output ?? null,
        // Clients send the responses when all calls have outputs. Preliminary ones do not count.
        ...(event.preliminary === true && event.waiting !== true && { preliminary: true }),
        ...dynamic(event),
        ...executed(event),
        ...providerFields(event),
      };
    case 'tool-error':
      return toolErrorChunk(event);
    case 'source':
      return sourceChunk(event);
    case 'file':
    case 'reasoning-file':
      return { type: event.type, url: event.url, mediaType: event.mediaType, ...providerFields(event) };
    case 'custom':
      return { type: 'custom', kind: event.kind, ...providerFields(event) };
    case 'summary':
      return { type: 'data-summary', data: { message: event.message }, transient: true };
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

function toMetadata({ messageMetadata }: EventOf<'start' | 'finish'>): { messageMetadata?: unknown } {
  return messageMetadata === undefined ? {} : { messageMetadata };
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;

function dataChunk({ part, transient }: EventOf<'data'>): UIMessageChunk {
  return { ...part, ...(transient === true && { transient }) };
}

function subAgentChunk(agentEvent: AgentEvent): UIMessageChunk | readonly UIMessageChunk[] {
  const sent = toStreamEvent(agentEvent);
  if (sent === undefined) return [];
  const { agentId = '', agentPath = [], parentToolCallId = '', ...event } = sent;
  return { type: 'data-agent-event', data: { agentId, agentPath, parentToolCallId, event }, transient: true };
}

function toolCallChunks(event: EventOf<'tool-call'>): UIMessageChunk | readonly UIMessageChunk[] {
  const { approvalId, input, signature, toolCallId, toolName } = event;
  // The error that follows has the arguments: a client must not run its own tool with them.
  if (event.invalidInput === true) return [];
  const call: UIMessageChunk = {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input,
    ...toolFields(event),
    ...executed(event),
    ...providerFields(event),
  };
  if (approvalId === undefined) return call;
  return [call, { type: 'tool-approval-request', approvalId: uiApprovalId({ approvalId, signature }), toolCallId }];
}

function toolErrorChunk(event: EventOf<'tool-error'>): UIMessageChunk {
  const { error, input, toolCallId, toolName } = event;
  if (event.denied === true) return { type: 'tool-output-denied', toolCallId };
  const fields = { toolCallId, errorText: error, ...dynamic(event), ...executed(event), ...providerFields(event) };
  return event.invalidInput === true
    ? { type: 'tool-input-error', toolName, input, ...fields }
    : { type: 'tool-output-error', ...fields };
}

function sourceChunk(event: EventOf<'source'>): UIMessageChunk {
  if (event.sourceType === 'url') {
    const { title, url } = event;
    return {
      type: 'source-url',
      sourceId: event.id,
      url,
      ...(title !== undefined && { title }),
      ...providerFields(event),
    };
  }
  const { filename, mediaType, title } = event;
  return {
    type: 'source-document',
    sourceId: event.id,
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...providerFields(event),
  };
}

function providerFields({
  providerMetadata,
}: {
  readonly providerMetadata?: ProviderMetadata;
}): { providerMetadata: ChunkMetadata } | undefined {
  // Providers send JSON.
  return providerMetadata && { providerMetadata: providerMetadata as ChunkMetadata };
}

function toolFields({ title, ...event }: { readonly dynamic?: boolean; readonly title?: string }): {
  dynamic?: boolean;
  title?: string;
} {
  return { ...dynamic(event), ...(title !== undefined && { title }) };
}

function dynamic({ dynamic: isDynamic }: { readonly dynamic?: boolean }): { dynamic: boolean } | undefined {
  return isDynamic === undefined ? undefined : { dynamic: isDynamic };
}

function executed({
  providerExecuted,
}: {
  readonly providerExecuted?: boolean;
}): { providerExecuted: boolean } | undefined {
  return providerExecuted === undefined ? undefined : { providerExecuted };
}
