import type { Message, MessagePart, ToolPart } from '@halyard/contracts';
import type { InputUIMessage } from '../../model/messages/message.ts';
import { toModelMessages } from '../../model/prompt/to-model-messages.ts';
import { isDataPart } from '../../tool/tool-data.ts';
import type { AgentEvent, FinishReason, ProviderMetadata } from '../agent-event.ts';
import { toApprovalRef } from '../approvals/approvals.ts';
import { type GeneratedFile, toGeneratedFile } from '../generated-file.ts';
import type { ReasoningResult, TextResult, ToolCallRecord, ToolResultRecord } from '../run-result.ts';
import { noUsage } from '../usage.ts';
import type { Run } from './run.ts';
import { reasoningText } from './step/step-result.ts';

/** Emits a stored reply again, and returns it. No model is called, and nothing is written. */
export async function repeatMessage({ dependencies, identity, output }: Run, message: Message): Promise<TextResult> {
  const { events } = output;
  const { conversationId } = identity;
  const { parts } = message;
  const calls = parts.filter(isOwnCall);
  const finishReason: FinishReason = parts.some(isWaiting) ? 'tool-calls' : 'stop';
  const end = { finishReason, usage: noUsage };
  const { metadata } = message;
  await events.emit({ type: 'start', ...(metadata !== undefined && { messageMetadata: metadata }) });
  for (const [step, content] of toSteps(parts).entries()) {
    await events.emit({ type: 'start-step' });
    for (const [index, part] of content.entries())
      for (const event of toEvents(part, `stored-${step}-${index}`)) await events.emit(event);
    await events.emit({ type: 'finish-step', ...end });
  }
  await events.emit({ type: 'finish', ...end });
  const texts = toSteps(parts).map(toText);
  const reasoning = toSteps(parts).at(-1)?.flatMap(reasoningResult) ?? [];
  return {
    text: texts.at(-1) ?? '',
    fullText: texts.filter((text) => text !== '').join('\n\n'),
    ...end,
    steps: [],
    responseMessages: await toModelMessages([message as InputUIMessage], dependencies.tools.toolOutputs),
    reasoning,
    reasoningText: reasoningText(reasoning),
    files: parts.flatMap((part) => (part.type === 'file' ? [toFile(part)] : [])),
    sources: parts.flatMap((part) => toEvents(part, '').filter((event) => event.type === 'source')),
    toolCalls: calls.map(callRecord),
    toolResults: calls.flatMap(resultRecord),
    rawFinishReason: undefined,
    warnings: [],
    response: undefined,
    providerMetadata: undefined,
    ...(conversationId !== undefined && { conversationId }),
  };
}

/** The parts between the starts of steps. */
function toSteps(parts: readonly MessagePart[]): readonly (readonly MessagePart[])[] {
  const steps: MessagePart[][] = [];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    else if (steps.length === 0) steps.push([part]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

function toText(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function reasoningResult(part: MessagePart): readonly ReasoningResult[] {
  if (part.type === 'reasoning')
    return [{ type: part.type, text: part.text, ...providerFields(part.providerMetadata) }];
  return part.type === 'reasoning-file'
    ? [{ type: part.type, file: toFile(part), ...providerFields(part.providerMetadata) }]
    : [];
}

type ReplyFile = Extract<MessagePart, { type: 'file' | 'reasoning-file' }>;

function toFile({ mediaType, providerMetadata, url }: ReplyFile): GeneratedFile {
  return toGeneratedFile(mediaType, url, providerFields(providerMetadata).providerMetadata);
}

function toEvents(part: MessagePart, id: string): readonly AgentEvent[] {
  if ('toolCallId' in part) return callEvents(part);
  if (isDataPart(part)) return [{ type: 'data', part }];
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { providerMetadata, text, type } = part;
      return [
        { type: `${type}-start`, id, ...providerFields(providerMetadata) },
        { type: `${type}-delta`, id, delta: text },
        { type: `${type}-end`, id, ...('citations' in part && { citations: part.citations }) },
      ];
    }
    case 'custom': {
      const { kind, providerMetadata, type } = part;
      return [{ type, kind, ...providerFields(providerMetadata) }];
    }
    case 'file':
    case 'reasoning-file': {
      const { mediaType, providerMetadata, type, url } = part;
      return [{ type, mediaType, url, ...providerFields(providerMetadata) }];
    }
    case 'source-url': {
      const { providerMetadata, sourceId, title, url } = part;
      const named = title === undefined ? {} : { title };
      return [{ type: 'source', sourceType: 'url', id: sourceId, url, ...named, ...providerFields(providerMetadata) }];
    }
    case 'source-document': {
      const { filename, mediaType, providerMetadata, sourceId, title } = part;
      const named = filename === undefined ? { title } : { title, filename };
      const source = { sourceType: 'document', id: sourceId, mediaType, ...named } as const;
      return [{ type: 'source', ...source, ...providerFields(providerMetadata) }];
    }
    default:
      return [];
  }
}

function callEvents(part: ToolPart): readonly AgentEvent[] {
  const executed = part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted };
  const { input, toolCallId, toolName, ...approval } = callRecord(part);
  const call = { toolCallId, toolName, input, ...executed, ...(part.type === 'dynamic-tool' && { dynamic: true }) };
  const title = part.title === undefined ? {} : { title: part.title };
  const made: AgentEvent = {
    type: 'tool-call',
    ...call,
    ...title,
    ...providerFields(part.callProviderMetadata),
    ...approval,
  };
  switch (part.state) {
    case 'output-available':
      return [
        made,
        { type: 'tool-result', ...call, output: part.output, ...providerFields(part.resultProviderMetadata) },
      ];
    case 'output-error':
      return [
        made,
        { type: 'tool-error', ...call, error: part.errorText, ...providerFields(part.resultProviderMetadata) },
      ];
    case 'output-denied':
      return [made, { type: 'tool-error', ...call, error: part.approval?.reason ?? 'Denied', denied: true }];
    default:
      return [made];
  }
}

function callRecord(part: ToolPart): ToolCallRecord {
  const { input, state, toolCallId } = part;
  const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  if (state !== 'approval-requested') return { toolCallId, toolName, input };
  return { toolCallId, toolName, input, ...toApprovalRef(part.approval.id, part.approval.signature) };
}

function resultRecord(part: ToolPart): readonly ToolResultRecord[] {
  if (part.state !== 'output-available') return [];
  const { input, toolCallId, toolName } = callRecord(part);
  return [{ toolCallId, toolName, input, output: part.output }];
}

function isOwnCall(part: MessagePart): part is ToolPart {
  return 'toolCallId' in part && part.providerExecuted !== true;
}

/** A call that the provider runs needs a person only for its approval. */
function isWaiting(part: MessagePart): boolean {
  if (!('toolCallId' in part)) return false;
  return part.state === 'approval-requested' || (part.state === 'input-available' && part.providerExecuted !== true);
}

function providerFields(providerMetadata: unknown): { readonly providerMetadata?: ProviderMetadata } {
  // `null` counts as absent.
  return providerMetadata === undefined || providerMetadata === null
    ? {}
    : { providerMetadata: providerMetadata as ProviderMetadata };
}
