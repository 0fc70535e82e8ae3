import type { Attributes } from '@halyard/contracts';
import type { Prompt, PromptMessage } from '../../model/model-port.ts';
import { boundedJson, ContentBounds, contentLimit } from './bounded-json.ts';

export type Part = Exclude<PromptMessage['content'], string>[number];

/**
 * What a model is asked, as `gen_ai.system_instructions` and `gen_ai.input.messages`: the newest messages, as many as there is room for.
 *
 * @param length how many messages it was asked; there may be more by now.
 */
export function promptContent(asked: Prompt, length: number): Attributes {
  const prompt = asked.slice(0, length);
  const system = prompt.flatMap((message) => (message.role === 'system' ? [textPart(message.content)] : []));
  const bounds = new ContentBounds();
  let messages = '';
  for (let index = prompt.length - 1; index >= 0 && !bounds.isFull; index -= 1) {
    const message = prompt[index];
    if (message === undefined || message.role === 'system') continue;
    const json = `{"role":"${message.role}","parts":[${partsJson(message.content, bounds)}]}`;
    messages = messages === '' ? json : `${json},${messages}`;
  }
  return {
    ...(system.length > 0 && { 'gen_ai.system_instructions': boundedJson(new ContentBounds().copy(system)) }),
    'gen_ai.input.messages': `[${messages}]`.slice(0, contentLimit),
  };
}

/** An answer, as `gen_ai.output.messages`. */
export function answerContent(content: readonly Part[], finishReason: string): Attributes {
  const parts = partsJson(content, new ContentBounds());
  const json = `[{"role":"assistant","parts":[${parts}],"finish_reason":${JSON.stringify(finishReason)}}]`;
  return { 'gen_ai.output.messages': json.slice(0, contentLimit) };
}

/** Texts, which most parts are, are written without a copy. */
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

/** By the JSON schemas of OpenTelemetry's conventions for generative AI. */
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
