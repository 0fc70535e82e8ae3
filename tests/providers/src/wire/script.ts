import type { JsonObject, JsonValue } from '@halyard/contracts';
import { isJsonObject } from './json-object.ts';

/**
 * The answer of the model: a compaction, then reasoning, then what the provider executed, then
 * files, then a message (text, refusal, sources), then tool calls, in that order. A server omits
 * what its API does not have.
 *
 * Plain data, one script for each request: `{ text: 'Hello' }`,
 * `{ toolCalls: [{ name: 'getWeather', input: { city: 'Oslo' } }] }`.
 */
export interface ReplyScript {
  /**
   * The parts of the reasoning. The Responses API sends them with encrypted content, Anthropic with
   * a signature each, Google with a `thoughtSignature` on the part that follows; chat completions
   * send them only as the server of a compatible API.
   */
  readonly reasoning?: readonly string[];
  /**
   * Reasoning that only the provider can read: Anthropic's `redacted_thinking`. Other APIs omit it.
   */
  readonly redactedReasoning?: string;
  /** The encrypted summary of the conversation so far, which the provider made: Responses API. */
  readonly compaction?: string;
  /** Files in the reasoning: Google. */
  readonly reasoningFiles?: readonly FileScript[];
  /**
   * A call of an MCP server that the provider executed, or for which it requests approval:
   * Responses API.
   */
  readonly mcp?: McpScript;
  /** A web search that the provider executed: Responses API and Anthropic. */
  readonly webSearch?: WebSearchScript;
  /** Code that the provider executed: Google. */
  readonly codeExecution?: { readonly code: string; readonly output: string };
  /** Generated files: Google. */
  readonly files?: readonly FileScript[];
  /** Sources of the text: Responses API, OpenAI's chat completions and Google. */
  readonly sources?: readonly SourceScript[];
  /** A string is split into chunks of `chunkSize`; each item of a list is one chunk. */
  readonly text?: string | readonly string[];
  /**
   * Structured output: sent as JSON text instead of `text`. A request without a JSON schema is
   * answered with status 400; the requested schema is in `request.format`.
   */
  readonly object?: JsonValue;
  readonly refusal?: string;
  readonly toolCalls?: readonly ToolCallScript[];
  /** Default `stop` (in chat completions `tool_calls` when there are any). */
  readonly finish?: 'stop' | 'length' | 'content-filter';
  /** Default {@link defaultUsage}. */
  readonly usage?: Partial<UsageScript>;
  /** Characters in one chunk of text, reasoning, refusal or arguments. Default 8. */
  readonly chunkSize?: number;
  /** Pause before each chunk. Default 0: no timer is used. */
  readonly delayMs?: number;
  /** The fault of the answer. Default: none. */
  readonly fault?: FaultScript;
  readonly status?: never;
  readonly noAnswer?: never;
}

export interface SourceScript {
  readonly url: string;
  readonly title: string;
}

export interface FileScript {
  readonly mediaType: string;
  readonly base64: string;
}

export interface WebSearchScript {
  readonly query: string;
  readonly results: readonly SourceScript[];
  /** The search failed with this code: Anthropic. */
  readonly error?: string;
  /** The result is never sent: Anthropic. */
  readonly noResult?: true;
}

export interface McpScript {
  readonly name: string;
  readonly input: JsonValue;
  /** Without it, the provider requests approval. */
  readonly output?: string;
}

/**
 * `input` is sent as JSON; `arguments` is sent unchanged, for models that generate invalid JSON.
 * `id` defaults to `call_<request>_<index>`.
 */
export type ToolCallScript =
  | { readonly name: string; readonly input: JsonValue; readonly arguments?: never; readonly id?: string }
  | { readonly name: string; readonly arguments: string; readonly input?: never; readonly id?: string };

/**
 * Tokens, as counted by the provider. `reasoningTokens` are part of `outputTokens`,
 * `cachedInputTokens` of `inputTokens`.
 */
export interface UsageScript {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cachedInputTokens: number;
}

export const defaultUsage: UsageScript = { inputTokens: 10, outputTokens: 5, reasoningTokens: 0, cachedInputTokens: 0 };

/**
 * `destroy` closes the socket in the middle, `hang` sends nothing more until the client
 * disconnects, `malformed` inserts a line of invalid JSON into the stream and continues,
 * `error-event` reports a failure inside the stream and ends it.
 *
 * `afterChunks` counts chunks of output; 0 is after the opening events and before any output; the
 * default is after the last chunk and before the events that close the answer; `end` is before the
 * very last event. To break a stream only after the client has seen a chunk, use `hang` and
 * `request.breakOff()`: a client loses unread data when its socket breaks.
 *
 * Without streaming: `destroy` and `malformed` send half of the body, `hang` only the headers,
 * `error-event` a status 500.
 */
export type FaultScript =
  | { readonly kind: 'destroy' | 'hang' | 'malformed'; readonly afterChunks?: number | 'end' }
  | { readonly kind: 'error-event'; readonly afterChunks?: number | 'end'; readonly error?: Partial<WireError> };

/**
 * An error status with the provider's error body. Message, type and code default to those of the
 * provider for this status.
 */
export interface StatusScript extends Partial<WireError> {
  readonly status: number;
  /** The `retry-after` header: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly noAnswer?: never;
}

/**
 * The request is never answered: `hang` waits until the client disconnects, `destroy` closes the
 * socket at once.
 */
export interface NoReplyScript {
  readonly noAnswer: 'hang' | 'destroy';
  readonly status?: never;
}

export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/** The requested JSON schema of the answer, from `text.format` or `response_format`. */
export interface RequestedFormat {
  readonly name: string;
  readonly schema: JsonObject;
  readonly strict: boolean;
}

/** The text of an answer, split into chunks. */
export function textChunks(script: Pick<ReplyScript, 'text' | 'object' | 'chunkSize'>): readonly string[] {
  if (script.object !== undefined) return chunks(JSON.stringify(script.object), script.chunkSize);
  return typeof script.text === 'string' ? chunks(script.text, script.chunkSize) : (script.text ?? []);
}

/** Splits between code points. */
export function chunks(text: string, chunkSize = 8): readonly string[] {
  const points = Array.from(text);
  return Array.from({ length: Math.ceil(points.length / chunkSize) }, (_, index) =>
    points.slice(index * chunkSize, (index + 1) * chunkSize).join(''),
  );
}

export function toolCallId(call: ToolCallScript, requestNumber: number, index: number): string {
  return call.id ?? `call_${requestNumber}_${index}`;
}

export function toolCallArguments(call: ToolCallScript): string {
  return call.arguments ?? JSON.stringify(call.input);
}

/** The requested format, from the part of the body with the schema; undefined without one. */
export function requestedFormat(part: JsonValue | undefined): RequestedFormat | undefined {
  if (!isJsonObject(part)) return undefined;
  const { name, schema, strict } = part;
  return typeof name === 'string' && isJsonObject(schema) ? { name, schema, strict: strict === true } : undefined;
}
