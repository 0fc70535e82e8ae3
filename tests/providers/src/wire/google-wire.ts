import type { JsonObject } from '@halyard/contracts';
import { googleParts } from './google-parts.ts';
import { isJsonObject, without } from './json-object.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { createScriptQueue } from './script-queue.ts';
import { type ReplyScript, defaultUsage, type NoReplyScript, type StatusScript, type WireError } from './script.ts';
import { type AnswerFormat, replyAsScripted } from './scripted-endpoint.ts';
import type { EventStream } from './send-reply.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that answers Google's `POST /v1beta/models/<id>:generateContent` and
 * `:streamGenerateContent` with thoughts, executed code, files, text, sources and tool calls.
 *
 * ```ts
 * await using wire = await openGoogleWire();
 * const model = createGoogle({ baseURL: wire.baseURL, apiKey: 'test' })('gemini-2.5-flash');
 * wire.reply({ text: 'Hello' });
 * ```
 */
export async function openGoogleWire(): Promise<Wire<ReplyScript | StatusScript | NoReplyScript>> {
  const answers = createScriptQueue<ReplyScript | StatusScript | NoReplyScript>();
  const server = await openWireServer({
    findEndpoint: (path) =>
      /^\/v1beta\/models\/[^/]+:(generateContent|streamGenerateContent)$/.test(path)
        ? { settings: generationSettings, reply: (request) => replyAsScripted(answers, generateContentApi, request) }
        : undefined,
    failure: (status, message) => failure(status, { message }),
  });
  return createWire(server, '/v1beta', answers);
}

function generationSettings({ generationConfig }: JsonObject): JsonObject {
  return isJsonObject(generationConfig)
    ? without(generationConfig, ['responseMimeType', 'responseJsonSchema', 'responseSchema'])
    : {};
}

/** Bodies as in https://ai.google.dev/api/generate-content. */
const generateContentApi: AnswerFormat = {
  isStreaming: ({ path }) => path.includes(':streamGenerateContent'),
  stream,
  complete: (script, request) =>
    content(script, request, googleParts(script, request, 'complete'), finishReason(script)),
  failure,
};

function stream(script: ReplyScript, request: RecordedRequest): EventStream {
  return {
    opening: [],
    frames: [
      ...googleParts(script, request, 'chunks').map((part) => ({
        text: eventText(content(script, request, [part])),
        isChunk: true,
      })),
      { text: eventText(content(script, request, [{ text: '' }], finishReason(script))), isChunk: false },
    ],
    errorEvent: (error) => eventText(failure(500, error)),
  };
}

function content(
  script: ReplyScript,
  { number, path }: RecordedRequest,
  parts: readonly JsonObject[],
  reason?: string,
): JsonObject {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  const grounding = reason === undefined ? undefined : groundingMetadata(script);
  return {
    candidates: [
      {
        content: { role: 'model', parts: [...parts] },
        index: 0,
        ...(reason !== undefined && { finishReason: reason }),
        ...(grounding && { groundingMetadata: grounding }),
      },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: path.replace(/^.*\/models\/([^:]+):.*$/, '$1'),
    responseId: `response-${number}`,
  };
}

/** Google reports `STOP` for tool calls, too. */
function finishReason({ finish = 'stop' }: ReplyScript): string {
  if (finish === 'length') return 'MAX_TOKENS';
  return finish === 'content-filter' ? 'SAFETY' : 'STOP';
}

function groundingMetadata({ sources = [] }: ReplyScript): JsonObject | undefined {
  if (sources.length === 0) return undefined;
  return { groundingChunks: sources.map(({ url, title }) => ({ web: { uri: url, title } })) };
}

function failure(
  status: number,
  { type = errorStatus(status), message = 'The request failed.' }: Partial<WireError>,
): JsonObject {
  return { error: { code: status, message, status: type } };
}

function errorStatus(status: number): string {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 404) return 'NOT_FOUND';
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT';
}

/** Google ends lines with CR LF. */
function eventText(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
