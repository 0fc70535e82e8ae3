import type { JsonObject } from '@halyard/contracts';
import { isJsonObject, without } from './json-object.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { createScriptQueue } from './script-queue.ts';
import {
  defaultUsage,
  type NoAnswerScript,
  type StatusScript,
  type TextScript,
  textChunks,
  type WireError,
} from './script.ts';
import { type AnswerFormat, replyAsScripted } from './scripted-endpoint.ts';
import type { EventStream } from './send-reply.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that answers Google's `POST /v1beta/models/<id>:generateContent` and `:streamGenerateContent` with plain
 * text.
 *
 * ```ts
 * await using wire = await openGoogleWire();
 * const model = createGoogle({ baseURL: wire.baseURL, apiKey: 'test' })('gemini-2.5-flash');
 * wire.reply({ text: 'Hello' });
 * ```
 */
export async function openGoogleWire(): Promise<Wire<TextScript | StatusScript | NoAnswerScript>> {
  const answers = createScriptQueue<TextScript | StatusScript | NoAnswerScript>();
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
const generateContentApi: AnswerFormat<TextScript> = {
  isStreaming: ({ path }) => path.includes(':streamGenerateContent'),
  stream,
  complete: (script, request) => content(script, request, textChunks(script).join(''), 'STOP'),
  failure,
};

function stream(script: TextScript, request: RecordedRequest): EventStream {
  const texts = textChunks(script);
  return {
    opening: [],
    frames: [
      ...texts.map((text) => ({ text: eventText(content(script, request, text)), isChunk: true })),
      { text: eventText(content(script, request, '', 'STOP')), isChunk: false },
    ],
    errorEvent: (error) => eventText(failure(500, error)),
  };
}

function content(
  script: TextScript,
  { number, path }: RecordedRequest,
  text: string,
  finishReason?: 'STOP',
): JsonObject {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: path.replace(/^.*\/models\/([^:]+):.*$/, '$1'),
    responseId: `response-${number}`,
  };
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
