import type { JsonObject } from '@halyard/contracts';
import { without } from './json-object.ts';
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
import type { EventStream, Frame } from './send-reply.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that answers Anthropic's `POST /v1/messages` with plain text, streaming or not.
 *
 * ```ts
 * await using wire = await openAnthropicWire();
 * const model = createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5');
 * wire.reply({ text: 'Hello' });
 * ```
 */
export async function openAnthropicWire(): Promise<Wire<TextScript | StatusScript | NoAnswerScript>> {
  const answers = createScriptQueue<TextScript | StatusScript | NoAnswerScript>();
  const server = await openWireServer({
    findEndpoint: (path) =>
      path === '/v1/messages'
        ? {
            settings: (body) => without(body, notSettings),
            reply: (request) => replyAsScripted(answers, messagesApi, request),
          }
        : undefined,
    failure: (status, message) => failure(status, { message }),
  });
  return createWire(server, '/v1', answers);
}

const notSettings = ['model', 'messages', 'system', 'tools', 'tool_choice', 'output_config', 'stream'];

/** Events as in https://docs.anthropic.com/en/api/messages-streaming. */
const messagesApi: AnswerFormat<TextScript> = {
  isStreaming: ({ body }) => body['stream'] === true,
  stream,
  complete,
  failure,
};

function stream(script: TextScript, request: RecordedRequest): EventStream {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  const started = {
    ...complete(script, request),
    content: [],
    stop_reason: null,
    usage: { input_tokens: inputTokens, output_tokens: 1 },
  };
  return {
    opening: [event('message_start', { message: started })],
    frames: [
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('ping', {}),
      ...textChunks(script).map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: outputTokens },
      }),
      event('message_stop', {}),
    ],
    errorEvent: (error) => eventText('error', failure(500, error)),
  };
}

function event(type: string, fields: JsonObject): Frame {
  return { text: eventText(type, fields), isChunk: type === 'content_block_delta' };
}

function complete(script: TextScript, { number, body }: RecordedRequest): JsonObject {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: body['model'] ?? '',
    content: [{ type: 'text', text: textChunks(script).join('') }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

function failure(
  status: number,
  { type = errorType(status), message = 'The request failed.' }: Partial<WireError>,
): JsonObject {
  return { type: 'error', error: { type, message } };
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

function eventText(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
