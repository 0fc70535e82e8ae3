import type { components } from '../../api/schema.ts';
import { readSettings } from '../playground/recorded-call.ts';
import { parsed } from '../traces/recorded-content.ts';

type Span = components['schemas']['Span'];
type TrialRequest = components['schemas']['TrialRequest'];
export type TrialResult = components['schemas']['TrialResult'];

const roles = ['system', 'user', 'assistant', 'tool'] as const;
type Role = (typeof roles)[number];

/** A message as a person edits it: a text, or its parts as JSON. */
export interface DraftMessage {
  readonly key: number;
  readonly role: Role;
  readonly text: string;
  readonly isJson: boolean;
}

export interface DraftTool {
  readonly name: string;
  readonly isOffered: boolean;
  /** Description and schema of the arguments, as JSON. */
  readonly text: string;
}

/** A model call while a person edits it. */
export interface TrialDraft {
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly DraftMessage[];
  readonly tools: readonly DraftTool[];
  readonly settings: NonNullable<TrialRequest['settings']>;
}

/** The reply of the recorded call, in the form of a trial's. */
export type RecordedReply = Pick<TrialResult, 'text' | 'toolCalls'> & {
  readonly model: string;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly durationMs: number | undefined;
  readonly cost: number | null;
  readonly error: string | undefined;
};

interface Part {
  readonly type?: string;
  readonly content?: unknown;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly response?: unknown;
  readonly uri?: string;
  readonly mime_type?: string;
}

interface RecordedMessage {
  readonly role: string;
  readonly parts: readonly (Part | string)[];
}

/** The call that a span has recorded, to edit. Its attributes follow OpenTelemetry's conventions. */
export function toDraft({ attributes }: Span): TrialDraft {
  const recorded = readMessages(attributes['gen_ai.input.messages']);
  const toolNames = new Map(
    recorded.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        typeof part !== 'string' && part.type === 'tool_call' ? [[part.id ?? '', part.name ?? ''] as const] : [],
      ),
    ),
  );
  const instructions = parsed(attributes['gen_ai.system_instructions']);
  const tools = parsed(attributes['gen_ai.tool.definitions']);
  const { frequencyPenalty, maxOutputTokens, presencePenalty, seed, stopSequences, temperature, topP } =
    readSettings(attributes);
  const settings = { frequencyPenalty, maxOutputTokens, presencePenalty, seed, stopSequences, temperature, topP };
  return {
    model: textOf(attributes['gen_ai.request.model']) ?? '',
    instructions: Array.isArray(instructions)
      ? (instructions as Part[]).map(({ content }) => String(content)).join('\n\n')
      : '',
    messages: recorded.flatMap((message, key) => toDraftMessage(message, key, toolNames)),
    tools: (Array.isArray(tools) ? (tools as Record<string, unknown>[]) : [])
      .filter(({ type }) => type === 'function')
      .map(({ description, name, parameters }) => ({
        name: String(name),
        isOffered: true,
        text: JSON.stringify({ description, inputSchema: parameters ?? { type: 'object' } }, null, 2),
      })),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
  };
}

function toDraftMessage(
  { parts, role }: RecordedMessage,
  key: number,
  toolNames: ReadonlyMap<string, string>,
): readonly DraftMessage[] {
  const content = parts.flatMap((part) => toContent(part, role, toolNames));
  const known = roles.find((each) => each === role);
  if (known === undefined || content.length === 0) return [];
  const [only] = content;
  if (content.length === 1 && only?.['type'] === 'text')
    return [{ key, role: known, text: String(only['text']), isJson: false }];
  return [{ key, role: known, text: JSON.stringify(content, null, 2), isJson: true }];
}

/** A part of a message in the words of the AI SDK. Reasoning is of no use to another model. */
function toContent(
  part: Part | string,
  role: string,
  toolNames: ReadonlyMap<string, string>,
): readonly Record<string, unknown>[] {
  if (typeof part === 'string') return [];
  const { content, id = '', mime_type: mediaType = 'application/octet-stream', response, type, uri } = part;
  if (type === 'text') return content === '' ? [] : [{ type: 'text', text: String(content) }];
  if (type === 'uri') return [{ type: 'file', mediaType, data: uri }];
  if (type === 'tool_call' && role === 'assistant')
    return [{ type: 'tool-call', toolCallId: id, toolName: part.name, input: part.arguments ?? {} }];
  if (type !== 'tool_call_response') return [];
  const isWrapped = typeof response === 'object' && response !== null && 'type' in response && 'value' in response;
  const output = isWrapped ? response : { type: 'json', value: response ?? null };
  return [{ type: 'tool-result', toolCallId: id, toolName: toolNames.get(id) ?? part.name ?? 'unknown', output }];
}

export function toReply({ attributes, durationMs, status }: Span): RecordedReply {
  const parts = readMessages(attributes['gen_ai.output.messages']).flatMap((message) => message.parts);
  const found = parts.filter((part): part is Part => typeof part !== 'string');
  const count = (name: string): number | undefined => {
    const value = attributes[`gen_ai.usage.${name}`];
    return typeof value === 'number' ? value : undefined;
  };
  return {
    text: found.flatMap(({ content, type }) => (type === 'text' ? [String(content)] : [])).join('\n\n'),
    toolCalls: found
      .filter(({ type }) => type === 'tool_call')
      .map(({ arguments: input, id = '', name = '' }) => ({ toolCallId: id, toolName: name, input })),
    model: textOf(attributes['gen_ai.response.model']) ?? textOf(attributes['gen_ai.request.model']) ?? '',
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    durationMs: durationMs ?? undefined,
    cost: count('cost') ?? null,
    error: status.code === 2 ? (status.message ?? 'It failed.') : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readMessages(value: unknown): readonly RecordedMessage[] {
  const messages = parsed(value);
  return Array.isArray(messages) ? (messages as RecordedMessage[]) : [];
}

/** The request of a draft, or why it is none yet. The model is sent only if it was changed. */
export function toRequest(
  draft: TrialDraft,
  recordedModel: string,
): { readonly body: TrialRequest } | { readonly problem: string } {
  const { instructions, messages, model, settings, tools } = draft;
  const content: unknown[] = [];
  for (const { isJson, role, text } of messages) {
    const value = isJson ? readJson(text) : text;
    if (value === undefined) return { problem: `A message of the ${role} is not JSON.` };
    content.push({ role, content: value });
  }
  if (content.length === 0) return { problem: 'There is no message.' };
  const offered: unknown[] = [];
  for (const { isOffered, name, text } of tools) {
    if (!isOffered) continue;
    const value = readJson(text);
    if (typeof value !== 'object' || value === null) return { problem: `The tool ${name} is not JSON.` };
    offered.push({ name, ...value });
  }
  return {
    body: {
      instructions,
      // The server validates them.
      messages: content as TrialRequest['messages'],
      ...(offered.length > 0 && { tools: offered as NonNullable<TrialRequest['tools']> }),
      ...(model !== '' && model !== recordedModel && { model }),
      settings,
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
