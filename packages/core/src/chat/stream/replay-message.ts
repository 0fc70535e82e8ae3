import { toApprovalRef, uiApprovalId } from '../../agent/approvals/approvals.ts';
import type { UIMessage, UIMessageChunk } from '../../model/messages/message.ts';
import { isDataPart } from '../../tool/tool-data.ts';

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { readonly toolCallId: string }>;
type ProviderMetadata = Extract<UIMessageChunk, { type: 'text-start' }>['providerMetadata'];

/**
 * Chunks that rebuild a message, for readers that do not have it: a reply that continues the
 * message follows them.
 */
export function replayMessage({
  id,
  metadata,
  parts,
}: {
  readonly id: string;
  readonly metadata?: unknown;
  readonly parts: readonly Part[];
}): readonly UIMessageChunk[] {
  return [
    { type: 'start', messageId: id, ...(metadata !== undefined && { messageMetadata: metadata }) },
    ...parts.flatMap((part, at) => toChunks(part, `replay-${at}`)),
  ];
}

function toChunks(part: Part, fallbackId: string): readonly UIMessageChunk[] {
  if ('toolCallId' in part) return toolChunks(part);
  if (isDataPart(part)) {
    const { data, id, type } = part;
    return [{ type, ...(id !== undefined && { id }), data }];
  }
  switch (part.type) {
    case 'step-start':
      return [{ type: 'start-step' }];
    case 'text':
    case 'reasoning': {
      const { providerMetadata, text, type } = part;
      const id = 'id' in part && typeof part.id === 'string' ? part.id : fallbackId;
      return [
        { type: `${type}-start`, id, ...providerFields(providerMetadata) },
        { type: `${type}-delta`, id, delta: text },
        { type: `${type}-end`, id, ...('citations' in part && { citations: part.citations }) },
      ];
    }
    case 'file':
    case 'reasoning-file': {
      const { mediaType, providerMetadata, type, url } = part;
      return [{ type, url, mediaType, ...providerFields(providerMetadata) }];
    }
    case 'custom': {
      const { kind, providerMetadata, type } = part;
      return [{ type, kind, ...providerFields(providerMetadata) }];
    }
    case 'source-url': {
      const { providerMetadata, sourceId, title, type, url } = part;
      return [{ type, sourceId, url, ...(title !== undefined && { title }), ...providerFields(providerMetadata) }];
    }
    case 'source-document': {
      const { filename, mediaType, providerMetadata, sourceId, title, type } = part;
      return [
        {
          type,
          sourceId,
          mediaType,
          title,
          ...(filename !== undefined && { filename }),
          ...providerFields(providerMetadata),
        },
      ];
    }
    default:
      return [];
  }
}

function toolChunks(part: ToolPart): readonly UIMessageChunk[] {
  const { providerExecuted, toolCallId } = part;
  const executed = providerExecuted === undefined ? {} : { providerExecuted };
  const isDynamic = part.type === 'dynamic-tool';
  const call = {
    toolCallId,
    toolName: isDynamic ? part.toolName : part.type.slice('tool-'.length),
    ...(isDynamic && { dynamic: true }),
    ...(part.title !== undefined && { title: part.title }),
    ...executed,
    ...providerFields(part.callProviderMetadata),
  };
  if (part.state === 'input-streaming') return [{ type: 'tool-input-start', ...call }];
  const made: UIMessageChunk[] = [{ type: 'tool-input-available', ...call, input: part.input ?? null }];
  return [...made, ...approvalChunks(part), ...toOutcome(part, executed)];
}

function approvalChunks({ approval, toolCallId }: ToolPart): readonly UIMessageChunk[] {
  // `null` counts as absent.
  if (!approval) return [];
  const { approved, id, reason, signature } = approval;
  const approvalId = uiApprovalId(toApprovalRef(id, signature));
  const request: UIMessageChunk = { type: 'tool-approval-request', approvalId, toolCallId };
  if (approved === undefined) return [request];
  return [request, { type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }];
}

function toOutcome(part: ToolPart, executed: { readonly providerExecuted?: boolean }): readonly UIMessageChunk[] {
  const { toolCallId } = part;
  switch (part.state) {
    case 'output-available':
      return [
        {
          type: 'tool-output-available',
          toolCallId,
          output: part.output ?? null,
          ...(part.preliminary === true && { preliminary: true }),
          ...executed,
          ...providerFields(part.resultProviderMetadata),
        },
      ];
    case 'output-error':
      return [
        {
          type: 'tool-output-error',
          toolCallId,
          errorText: part.errorText,
          ...executed,
          ...providerFields(part.resultProviderMetadata),
        },
      ];
    case 'output-denied':
      return [{ type: 'tool-output-denied', toolCallId }];
    default:
      return [];
  }
}

/** Clients send provider metadata back as they received it. */
function providerFields(providerMetadata: unknown): { providerMetadata?: NonNullable<ProviderMetadata> } {
  return providerMetadata === undefined || providerMetadata === null
    ? {}
    : { providerMetadata: providerMetadata as NonNullable<ProviderMetadata> };
}
