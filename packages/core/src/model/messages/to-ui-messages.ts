import type { Message, MessagePart, TextPart, ToolPart } from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import { locateFile } from '../files/file-part.ts';
import type { ModelMessage } from './message.ts';

type Part<Role extends ModelMessage['role']> = Exclude<
  Extract<ModelMessage, { role: Role }>['content'],
  string
>[number];
type Result = Extract<Part<'tool'>, { type: 'tool-result' }>;

/**
 * Converts model messages to UI messages, from which the AI SDK's conversion returns the same model
 * messages. Consecutive messages of the assistant and its tools become one message with several
 * steps. System messages are left out.
 *
 * @param idOf returns the id of the message at this position of the result.
 */
export function toUiMessages(messages: readonly ModelMessage[], idOf: (index: number) => string): Message[] {
  const converted: Message[] = [];
  let reply: OpenReply | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'user') {
      const parts = typeof message.content === 'string' ? [textPart(message.content)] : message.content.map(userPart);
      converted.push({ id: idOf(converted.length), role: 'user', parts });
      reply = undefined;
      continue;
    }
    if (reply === undefined) {
      reply = { parts: [], byCall: new Map(), byApproval: new Map() };
      converted.push({ id: idOf(converted.length), role: 'assistant', parts: reply.parts });
    }
    if (message.role === 'tool') for (const part of message.content) settle(reply, part);
    else {
      reply.parts.push({ type: 'step-start' });
      const content = typeof message.content === 'string' ? [textPart(message.content)] : message.content;
      for (const part of content) addPart(reply, part);
    }
  }
  return converted;
}

/** A tool result as the part of a UI message has it. */
export function outputOfResult(
  output: Result['output'],
): { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly errorText: string } {
  switch (output.type) {
    case 'error-text':
      return { ok: false, errorText: output.value };
    case 'error-json':
      return { ok: false, errorText: JSON.stringify(output.value) };
    case 'execution-denied':
      return { ok: false, errorText: output.reason ?? 'Denied' };
    default:
      return { ok: true, output: toJson(output.value) };
  }
}

function textPart(text: string): TextPart {
  return { type: 'text', text };
}

function userPart(part: Part<'user'>): MessagePart {
  if (part.type === 'text') return { type: 'text', text: part.text, ...metadata(part) };
  const filename = part.type === 'file' ? part.filename : undefined;
  return toFile(part.type === 'image' ? part.image : part.data, part.mediaType ?? 'image/*', filename, part);
}

/**
 * A reply to which parts are added. Of several calls with one id, or with one approval, the last
 * counts.
 */
interface OpenReply {
  readonly parts: MessagePart[];
  /** Where the calls are in the parts. */
  readonly byCall: Map<string, number>;
  /** Where the calls are that an approval was requested for. */
  readonly byApproval: Map<string, number>;
}

function addPart(reply: OpenReply, part: Part<'assistant'>): void {
  const { byApproval, byCall, parts } = reply;
  switch (part.type) {
    case 'text':
    case 'reasoning':
      parts.push({ type: part.type, text: part.text, ...metadata(part) });
      break;
    case 'file':
      parts.push(toFile(part.data, part.mediaType, part.filename, part));
      break;
    case 'reasoning-file': {
      const { mediaType, url } = toFile(part.data, part.mediaType, undefined, part);
      parts.push({ type: 'reasoning-file', mediaType, url, ...metadata(part) });
      break;
    }
    case 'custom':
      parts.push({ type: 'custom', kind: part.kind, ...metadata(part) });
      break;
    case 'tool-call': {
      const { input, providerExecuted, providerOptions, toolCallId, toolName } = part;
      byCall.set(toolCallId, parts.length);
      parts.push({
        type: `tool-${toolName}`,
        toolCallId,
        state: 'input-available',
        input: toJson(input),
        ...(providerExecuted && { providerExecuted }),
        ...(providerOptions && { callProviderMetadata: providerOptions }),
      });
      break;
    }
    case 'tool-approval-request': {
      const { approvalId, signature, toolCallId } = part;
      const index = byCall.get(toolCallId);
      if (index === undefined) break;
      byApproval.set(approvalId, Math.max(index, byApproval.get(approvalId) ?? index));
      change(parts, index, (known) => ({
        ...known,
        state: 'approval-requested',
        approval: { id: approvalId, ...(signature !== undefined && { signature }) },
      }));
      break;
    }
    case 'tool-result':
      settle(reply, part);
      break;
    default:
      part satisfies never;
  }
}

/** Adds a result or the response to an approval request to the part of its call. */
function settle({ byApproval, byCall, parts }: OpenReply, part: Part<'tool'>): void {
  if (part.type === 'tool-approval-response') {
    const { approvalId, approved, input, reason }: typeof part & { readonly input?: unknown } = part;
    change(parts, byApproval.get(approvalId), (known) => {
      // Another approval may have been requested since.
      if (known.approval?.id !== approvalId) return known;
      const given = { ...(reason !== undefined && { reason }), ...(input !== undefined && { input }) };
      const approval = { ...known.approval, approved, ...given };
      return { ...known, state: 'approval-responded', approval };
    });
    return;
  }
  const result = outputOfResult(part.output);
  change(parts, byCall.get(part.toolCallId), (known) => ({
    ...known,
    ...(result.ok
      ? { state: 'output-available', output: result.output }
      : { state: 'output-error', errorText: result.errorText }),
    ...(part.providerOptions && { resultProviderMetadata: part.providerOptions }),
  }));
}

interface ChangingCall {
  readonly toolCallId: string;
  readonly approval?: { readonly id: string };
}

function change(parts: MessagePart[], index = -1, changed: (part: ChangingCall) => object): void {
  const part = parts[index];
  // The caller sets the fields that the new state of the part requires.
  if (part !== undefined && 'toolCallId' in part) parts[index] = changed(part) as ToolPart;
}

function toFile(
  source: unknown,
  mediaType: string,
  filename: string | undefined,
  part: WithOptions,
): Extract<MessagePart, { type: 'file' }> {
  const place = locateFile(source);
  const named = { mediaType, ...(filename !== undefined && { filename }), ...metadata(part) };
  switch (place.type) {
    case 'url':
      return { type: 'file', url: place.url, ...named };
    case 'reference':
      return { type: 'file', url: '', providerReference: place.reference, ...named };
    case 'text':
      return { type: 'file', url: dataUrl(mediaType, Buffer.from(place.text)), ...named };
    case 'data':
      return { type: 'file', url: dataUrl(mediaType, place.data), ...named };
  }
}

function dataUrl(mediaType: string, data: string | Uint8Array): string {
  return `data:${mediaType};base64,${typeof data === 'string' ? data : Buffer.from(data).toString('base64')}`;
}

interface WithOptions {
  readonly providerOptions?: TextPart['providerMetadata'] | undefined;
}

function metadata({ providerOptions }: WithOptions): Pick<TextPart, 'providerMetadata'> | undefined {
  return providerOptions && { providerMetadata: providerOptions };
}
