import type { Prompt, PromptMessage } from '../model/model-port.ts';
import { boundedJson, ContentBounds } from './bounded-json.ts';
import { OpenAttributes } from './open-attributes.ts';

type Part = Exclude<PromptMessage['content'], string>[number];

/** What a model is asked, as `gen_ai.system_instructions` and `gen_ai.input.messages`: the newest messages, as many as there is room for. */
export function promptContent(prompt: Prompt): OpenAttributes {
  const attributes = new OpenAttributes();
  const system = prompt.flatMap((message) => (message.role === 'system' ? [textPart(message.content)] : []));
  if (system.length > 0) attributes['gen_ai.system_instructions'] = boundedJson(new ContentBounds().copy(system));
  const bounds = new ContentBounds();
  const messages: unknown[] = [];
  for (let index = prompt.length - 1; index >= 0 && !bounds.isFull; index -= 1) {
    const message = prompt[index];
    if (message === undefined || message.role === 'system') continue;
    messages.push(bounds.copy({ role: message.role, parts: message.content.map(toPart) }));
  }
  attributes['gen_ai.input.messages'] = boundedJson(messages.toReversed());
  return attributes;
}

/** An answer, as `gen_ai.output.messages`. */
export function answerContent(content: readonly Part[], finishReason: string): OpenAttributes {
  const attributes = new OpenAttributes();
  const message = { role: 'assistant', parts: content.map(toPart), finish_reason: finishReason };
  attributes['gen_ai.output.messages'] = boundedJson(new ContentBounds().copy([message]));
  return attributes;
}

export function textPart(content: string): { readonly type: 'text'; readonly content: string } {
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
