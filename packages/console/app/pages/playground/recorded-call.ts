import type { UIMessage } from 'ai';
import type { components } from '../../api/schema.ts';
import type { RunSettings } from './playground-search.ts';

type Span = components['schemas']['Span'];

/** A recorded call of a model, in the form in which it can be sent again. */
export interface RecordedCall {
  readonly messages: readonly UIMessage[];
  readonly settings: RunSettings;
  readonly instructions: string | undefined;
  readonly error: string | undefined;
  /** Why it cannot be the same: contents that were not recorded, or not completely. */
  readonly loss: string | undefined;
}

interface RecordedMessage {
  readonly role: string;
  readonly parts: readonly (RecordedPart | string)[];
}

interface RecordedPart {
  readonly type: string;
  readonly content?: unknown;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly response?: unknown;
  readonly uri?: string;
  readonly mime_type?: string;
}

/** The attributes are those of OpenTelemetry's conventions for generative AI. */
export function recordedCall({ attributes, spanId, status }: Span): RecordedCall {
  const sent = parsed(attributes['gen_ai.input.messages']);
  const recorded = Array.isArray(sent) ? (sent as readonly RecordedMessage[]) : [];
  const results = new Map(
    recorded.flatMap(({ parts }) =>
      parts.flatMap((part): [string, unknown][] =>
        typeof part !== 'string' && part.type === 'tool_call_response' ? [[part.id ?? '', part.response]] : [],
      ),
    ),
  );
  const messages = joined(
    recorded
      .filter(({ role }) => role === 'user' || role === 'assistant')
      .map(({ parts, role }, index) => ({
        id: `${spanId}-${index}`,
        role: role as 'user' | 'assistant',
        parts: parts.flatMap((part) => toPart(part, results)),
      })),
  );
  const instructions = parsed(attributes['gen_ai.system_instructions']);
  return {
    messages,
    settings: readSettings(attributes),
    instructions: Array.isArray(instructions)
      ? (instructions as readonly RecordedPart[]).map(({ content }) => String(content)).join('\n\n')
      : undefined,
    error: status.code === 2 ? (status.message ?? 'failed') : undefined,
    loss: describeLoss(sent, recorded),
  };
}

/** The replies of several steps are one message of the assistant. */
function joined(messages: readonly UIMessage[]): readonly UIMessage[] {
  return messages.reduce<UIMessage[]>((all, message) => {
    const last = all.at(-1);
    if (last?.role !== 'assistant' || message.role !== 'assistant') return [...all, message];
    return [...all.slice(0, -1), { ...last, parts: [...last.parts, { type: 'step-start' }, ...message.parts] }];
  }, []);
}

function toPart(part: RecordedPart | string, results: ReadonlyMap<string, unknown>): UIMessage['parts'] {
  if (typeof part === 'string') return [];
  if (part.type === 'text') return [{ type: 'text', text: String(part.content) }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: String(part.content), state: 'done' }];
  if (part.type === 'uri')
    return [{ type: 'file', mediaType: part.mime_type ?? 'application/octet-stream', url: part.uri ?? '' }];
  if (part.type !== 'tool_call') return [];
  const call = { toolCallId: part.id ?? '', toolName: part.name ?? '', input: part.arguments };
  const result = results.get(call.toolCallId);
  if (result === undefined) return [];
  const { type, value } = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  return type === 'error-text' || type === 'error-json'
    ? [{ type: 'dynamic-tool', state: 'output-error', ...call, errorText: toText(value) }]
    : [{ type: 'dynamic-tool', state: 'output-available', ...call, output: value ?? result }];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const settingNames = {
  temperature: 'gen_ai.request.temperature',
  maxOutputTokens: 'gen_ai.request.max_tokens',
  topP: 'gen_ai.request.top_p',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  presencePenalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
  stopSequences: 'gen_ai.request.stop_sequences',
} as const;

export function readSettings(attributes: Span['attributes']): RunSettings {
  return Object.fromEntries(
    Object.entries(settingNames).flatMap(([name, attribute]) =>
      attributes[attribute] === undefined ? [] : [[name, attributes[attribute]]],
    ),
  );
}

function describeLoss(sent: unknown, recorded: readonly RecordedMessage[]): string | undefined {
  if (sent === undefined) return 'Its messages were not recorded: the server records no contents.';
  if (!Array.isArray(sent)) return 'Its messages were too long to be recorded completely.';
  const parts = recorded.flatMap((message) => message.parts);
  if (parts.some((part) => typeof part === 'string')) return 'Its messages were too long to be recorded completely.';
  if (parts.some((part) => typeof part !== 'string' && (part.type === 'blob' || part.type === 'file')))
    return 'Its files were not recorded, and are missing here.';
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
