import { InvalidInputError } from '@halyard/contracts';
import { toJson } from '../json/to-json.ts';
import type { ModelMessage } from './message.ts';
import type {
  AssistantPart,
  JSONValue,
  Prompt,
  PromptFilePart,
  PromptMessage,
  PromptToolResult,
  ToolPrompt,
  UserPart,
} from './model-port.ts';
import { notAnsweredText } from './not-answered.ts';

/** Fetches a file that a message refers to. */
export type FetchFile = (
  url: string,
) => Promise<{ readonly data: Uint8Array | string; readonly mediaType: string | undefined }>;

/**
 * Converts model messages to the provider interface: contents as parts, files as data. A tool call without a result gets one that says so: providers refuse
 * a conversation with such a call, as an aborted run leaves it, and also one that has the reasoning of a call but not the call.
 *
 * @param pending ids of tool calls whose results this run adds.
 * @throws InvalidInputError for a file that is not accepted.
 */
export async function toPrompt(
  messages: readonly ModelMessage[],
  pending: ReadonlySet<string>,
  fetchFile: FetchFile,
): Promise<Prompt> {
  const answered = answeredCalls(messages, pending);
  const prompt: PromptMessage[] = [];
  const notAnswered: PromptToolResult[] = [];
  for (const message of messages) {
    const next = await toPromptMessage(message, fetchFile);
    if (next === undefined) continue;
    if (next.role !== 'tool') addResults(prompt, { role: 'tool', content: notAnswered.splice(0) });
    if (next.role === 'tool') addResults(prompt, next);
    else prompt.push(next);
    notAnswered.push(...notAnsweredResults(message, answered));
  }
  addResults(prompt, { role: 'tool', content: notAnswered });
  return prompt;
}

/** All results of a step are in one message. */
function addResults(prompt: Prompt, results: ToolPrompt): void {
  if (results.content.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(...results.content);
  else prompt.push(results);
}

function notAnsweredResults({ content, role }: ModelMessage, answered: ReadonlySet<object>): PromptToolResult[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true || answered.has(part)) return [];
    const { toolCallId, toolName } = part;
    return [{ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: notAnsweredText } }];
  });
}

/** Some models use the same call ids in each answer: a result belongs to the last call of its id before it. */
function answeredCalls(messages: readonly ModelMessage[], pending: ReadonlySet<string>): ReadonlySet<object> {
  const answered = new Set<object>();
  const results = new Set(pending);
  for (const { content } of messages.toReversed()) {
    if (typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-result') results.add(part.toolCallId);
    const calls = content.filter((part) => part.type === 'tool-call');
    for (const call of calls) if (results.has(call.toolCallId)) answered.add(call);
    for (const { toolCallId } of calls) results.delete(toolCallId);
  }
  return answered;
}

async function toPromptMessage(message: ModelMessage, fetchFile: FetchFile): Promise<PromptMessage | undefined> {
  const options = message.providerOptions && { providerOptions: message.providerOptions };
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content, ...options };
    case 'user': {
      const content =
        typeof message.content === 'string'
          ? textParts(message.content)
          : await Promise.all(message.content.map((part) => userPart(part, fetchFile)));
      return { role: 'user', content: content.filter((part) => part.type !== 'text' || part.text !== ''), ...options };
    }
    case 'assistant': {
      const content: AssistantPart[] =
        typeof message.content === 'string'
          ? textParts(message.content)
          : await assistantParts(message.content, fetchFile);
      return content.length === 0 ? undefined : { role: 'assistant', content, ...options };
    }
    case 'tool': {
      const content = message.content.flatMap((part): ToolPrompt['content'] =>
        part.type === 'tool-result' ? [toolResult(part)] : providerApproval(part),
      );
      return content.length === 0 ? undefined : { role: 'tool', content, ...options };
    }
  }
}

type Parts<Role extends ModelMessage['role']> = Exclude<
  Extract<ModelMessage, { role: Role }>['content'],
  string
>[number];

async function userPart(part: Parts<'user'>, fetchFile: FetchFile): Promise<UserPart> {
  if (part.type === 'text') return part;
  const source = part.type === 'image' ? part.image : part.data;
  const filename = part.type === 'file' ? part.filename : undefined;
  return filePart(source, part.mediaType ?? 'image', filename, part.providerOptions, fetchFile);
}

async function assistantParts(parts: readonly Parts<'assistant'>[], fetchFile: FetchFile): Promise<AssistantPart[]> {
  const content: AssistantPart[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'tool-approval-request':
        break;
      case 'text':
        if (part.text !== '' || part.providerOptions !== undefined) content.push(part);
        break;
      case 'tool-call': {
        const { toolCallId, toolName, input, providerExecuted, providerOptions } = part;
        content.push({
          type: 'tool-call',
          toolCallId,
          toolName,
          input,
          ...(providerExecuted && { providerExecuted }),
          ...(providerOptions && { providerOptions }),
        });
        break;
      }
      case 'tool-result':
        content.push(toolResult(part));
        break;
      case 'file':
        content.push(await filePart(part.data, part.mediaType, part.filename, part.providerOptions, fetchFile));
        break;
      case 'reasoning-file': {
        const file = await filePart(part.data, part.mediaType, undefined, part.providerOptions, fetchFile);
        if (file.data.type === 'data' || file.data.type === 'url')
          content.push({ ...file, type: 'reasoning-file', data: file.data });
        break;
      }
      default:
        content.push(part satisfies AssistantPart);
    }
  }
  return content;
}

async function filePart(
  source: unknown,
  mediaType: string,
  filename: string | undefined,
  providerOptions: PromptFilePart['providerOptions'],
  fetchFile: FetchFile,
): Promise<PromptFilePart> {
  const carried = { ...(filename !== undefined && { filename }), ...(providerOptions && { providerOptions }) };
  const place = placeOfFile(source);
  if (place.type === 'data' || place.type === 'text' || place.type === 'reference') {
    return { type: 'file', mediaType, data: place, ...carried };
  }
  const file = await fetchFile(place.url);
  return {
    type: 'file',
    mediaType: exactMediaType(mediaType, file.mediaType),
    data: { type: 'data', data: file.data },
    ...carried,
  };
}

type Place = Exclude<PromptFilePart['data'], { type: 'url' }> | { readonly type: 'url'; readonly url: string };

/** The AI SDK accepts bytes, base64, URLs as text or object, and tagged forms of all of them. */
export function placeOfFile(source: unknown): Place {
  if (source instanceof URL) return { type: 'url', url: source.href };
  if (typeof source === 'string')
    return /^(?:[a-z][a-z\d+.-]*):/i.test(source) ? { type: 'url', url: source } : { type: 'data', data: source };
  if (source instanceof Uint8Array) return { type: 'data', data: source };
  if (source instanceof ArrayBuffer) return { type: 'data', data: new Uint8Array(source) };
  if (typeof source === 'object' && source !== null && 'type' in source) {
    if (source.type === 'url' && 'url' in source) return { type: 'url', url: String(source.url) };
    if (source.type === 'data' && 'data' in source) return placeOfFile(source.data);
    if (source.type === 'text' && 'text' in source && typeof source.text === 'string')
      return { type: 'text', text: source.text };
    if (source.type === 'reference' && 'reference' in source)
      return { type: 'reference', reference: stringRecord(source.reference) };
  }
  throw new InvalidInputError('A file part must hold base64 data or a URL', { code: 'FILE_NOT_ACCEPTED' });
}

function stringRecord(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A message may name only `image`: the media type of the fetched file is then more exact. */
function exactMediaType(named: string, fetched: string | undefined): string {
  const isExact = named.includes('/') && !named.endsWith('/*');
  return isExact ? named : (fetched ?? named);
}

function textParts(text: string): { type: 'text'; text: string }[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toolResult({
  toolCallId,
  toolName,
  output,
  providerOptions,
}: Extract<Parts<'tool'>, { type: 'tool-result' }>): PromptToolResult {
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: toolOutput(output),
    ...(providerOptions && { providerOptions }),
  };
}

function toolOutput(output: Extract<Parts<'tool'>, { type: 'tool-result' }>['output']): PromptToolResult['output'] {
  if (output.type !== 'content') return output;
  const value = output.value.filter(isPlain);
  return value.length === output.value.length
    ? { type: 'content', value }
    : { type: 'json', value: toJson(output.value) as JSONValue };
}

type ContentPart = Extract<
  Extract<Parts<'tool'>, { type: 'tool-result' }>['output'],
  { type: 'content' }
>['value'][number];

function isPlain(part: ContentPart): part is Extract<ContentPart, { type: 'text' | 'custom' }> {
  return plainTypes.has(typeOf(part));
}

const plainTypes: ReadonlySet<string> = new Set(['text', 'custom']);

function typeOf({ type }: { readonly type: string }): string {
  return type;
}

/** Answers to approval requests of the provider are sent to it. Answers to requests of this server are not part of the prompt. */
function providerApproval(part: Extract<Parts<'tool'>, { type: 'tool-approval-response' }>): ToolPrompt['content'] {
  if (part.providerExecuted !== true) return [];
  const { approvalId, approved, reason } = part;
  return [{ type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }];
}
