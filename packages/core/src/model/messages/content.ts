import type { MessagePart } from '@halyard/contracts';
import { isDataPart } from '../../tool/tool-data.ts';
import type { ModelPart } from '../providers/model-port.ts';

/**
 * Part types that count as content of a reply: text and reasoning that are not blank, tool calls
 * and their results, files, sources and data. Parts of all other types are no content: they neither
 * begin a reply nor make one worth storing. That holds for types that a provider package adds
 * later, too.
 */
const streamTypes: Readonly<Record<string, boolean>> = {
  'text-delta': true,
  'reasoning-delta': true,
  'tool-input-start': true,
  'tool-input-delta': true,
  'tool-call': true,
  'tool-result': true,
  'tool-approval-request': true,
  file: true,
  'reasoning-file': true,
  source: true,
  // Every other type of the provider interface: a new one does not compile until it is listed.
  'text-start': false,
  'text-end': false,
  'reasoning-start': false,
  'reasoning-end': false,
  'tool-input-end': false,
  'stream-start': false,
  'response-metadata': false,
  custom: false,
  finish: false,
  ping: false,
  raw: false,
  error: false,
} satisfies Record<ModelPart['type'], boolean>;

const storedTypes: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'file',
  'reasoning-file',
  'source-url',
  'source-document',
  'steering-message',
]);

/**
 * Kinds of `custom` parts that only describe the response, as `response-metadata` does. They are
 * not part of the reply.
 */
export const kindsOfResponse: ReadonlySet<string> = new Set(['anthropic.message_start']);

/** Whether a model has begun its reply with this part of its stream. */
export function isContentOfStream(part: ModelPart): boolean {
  return streamTypes[part.type] === true && !('delta' in part && isBlank(part.delta));
}

/** Whether this part of a message says or does something. */
export function isContentOfMessage(part: MessagePart): boolean {
  if ('toolCallId' in part) return part.state !== 'input-streaming';
  if (isDataPart(part)) return true;
  return storedTypes.has(part.type) && !('text' in part && isBlank(part.text));
}

/**
 * Whether a model receives something for this part of a question, in one of the two forms of
 * messages.
 */
export function isContentOfInput(part: { readonly type: string; readonly text?: unknown }): boolean {
  if (part.type === 'text') return typeof part.text === 'string' && !isBlank(part.text);
  return part.type === 'file' || part.type === 'image';
}

/** Some models begin with line ends, or reply nothing else. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
