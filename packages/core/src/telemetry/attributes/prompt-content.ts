import { type Attributes, cutText } from '@halyard/contracts';
import { isNotesPrompt } from '../../model/prompt/notes-prompt.ts';
import type { Prompt, PromptMessage } from '../../model/providers/model-port.ts';
import { boundedJson, ContentBounds, contentLimit } from './bounded-json.ts';

/** The name of messages that hold notes of a model, and no words of the user. */
const notesName = 'notes';

export type Part = Exclude<PromptMessage['content'], string>[number];

/**
 * A prompt, as `gen_ai.system_instructions` and `gen_ai.input.messages`: the newest messages, up to
 * the length of an attribute.
 */
export function promptContent(prompt: Prompt): Attributes {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [textPart(message.content)] : []));
  const bounds = new ContentBounds();
  let messages = '';
  for (const message of prompt.toReversed()) {
    if (bounds.isFull) break;
    if (message.role === 'system') continue;
    const name = isNotesPrompt(message) ? `"name":"${notesName}",` : '';
    const json = `{"role":"${message.role}",${name}"parts":[${partsJson(message.content, bounds)}]}`;
    messages = messages === '' ? json : `${json},${messages}`;
  }
  return {
    ...(system.length > 0 && { 'gen_ai.system_instructions': boundedJson(new ContentBounds().copy(system)) }),
    'gen_ai.input.messages': cutText(`[${messages}]`, contentLimit),
  };
}

/** A reply, as `gen_ai.output.messages`. */
export function replyContent(content: readonly Part[], finishReason = 'unknown'): Attributes {
  const parts = partsJson(content, new ContentBounds());
  const reason = JSON.stringify(conventionalReasons[finishReason] ?? finishReason);
  return {
    'gen_ai.output.messages': cutText(
      `[{"role":"assistant","parts":[${parts}],"finish_reason":${reason}}]`,
      contentLimit,
    ),
  };
}

/** `gen_ai.response.finish_reasons`; nothing while there is no response. */
export function finishReasons(finishReason: string | undefined): Attributes | undefined {
  return finishReason === undefined
    ? undefined
    : { 'gen_ai.response.finish_reasons': [conventionalReasons[finishReason] ?? finishReason] };
}

/** The names of OpenTelemetry's conventions, where they differ from ours. */
const conventionalReasons: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
};

function partsJson(parts: readonly Part[], bounds: ContentBounds): string {
  let json = '';
  for (const part of parts) {
    if (bounds.isFull) return json === '' ? '"…"' : `${json},"…"`;
    const one =
      part.type === 'text' || part.type === 'reasoning'
        ? `{"type":"${part.type}","content":${JSON.stringify(bounds.copy(part.text))}}`
        : JSON.stringify(bounds.copy(toPart(part)));
    json = json === '' ? one : `${json},${one}`;
  }
  return json;
}

function textPart(content: string): { readonly type: 'text'; readonly content: string } {
  return { type: 'text', content };
}

/** Follows the JSON schemas of OpenTelemetry's conventions for generative AI. */
function toPart(part: Part): object {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'reasoning':
      return { type: 'reasoning', content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: part.output };
    case 'file':
    case 'reasoning-file':
      return filePart(part);
    default:
      return { type: part.type };
  }
}

function filePart({ data, mediaType }: Extract<Part, { type: 'file' | 'reasoning-file' }>): object {
  if (data.type === 'url') return { type: 'uri', mime_type: mediaType, uri: String(data.url) };
  if (data.type !== 'data') return { type: 'file', mime_type: mediaType };
  const bytes = typeof data.data === 'string' ? Math.floor((data.data.length * 3) / 4) : data.data.byteLength;
  return { type: 'blob', mime_type: mediaType, content: `[${mediaType}, ${bytes} bytes]` };
}
