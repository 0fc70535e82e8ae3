import type { JsonObject } from '@halyard/contracts';
import { type AnthropicBlock, anthropicBlocks } from './anthropic-blocks.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyScript, defaultUsage, type WireError } from './script.ts';
import type { AnswerFormat } from './scripted-endpoint.ts';
import type { EventStream, Frame } from './send-reply.ts';

/** `POST /v1/messages`; events as in https://docs.anthropic.com/en/api/messages-streaming. */
export const messagesApi: AnswerFormat = {
  isStreaming: ({ body }) => body['stream'] === true,
  stream,
  complete,
  failure,
};

function stream(script: ReplyScript, request: RecordedRequest): EventStream {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  const whole = complete(script, request);
  const started = {
    ...whole,
    content: [],
    stop_reason: null,
    usage: { input_tokens: inputTokens, output_tokens: 1 },
  };
  return {
    opening: [event('message_start', { message: started })],
    frames: [
      event('ping', {}),
      ...anthropicBlocks(script, request).flatMap(blockEvents),
      event('message_delta', {
        delta: { stop_reason: whole['stop_reason'] ?? null, stop_sequence: null },
        usage: { output_tokens: outputTokens },
      }),
      event('message_stop', {}),
    ],
    errorEvent: (error) => eventText('error', failure(500, error)),
  };
}

function blockEvents({ start, deltas }: AnthropicBlock, index: number): readonly Frame[] {
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function event(type: string, fields: JsonObject): Frame {
  return { text: eventText(type, fields), isChunk: type === 'content_block_delta' };
}

function complete(script: ReplyScript, request: RecordedRequest): JsonObject {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  return {
    id: `msg_${request.number}`,
    type: 'message',
    role: 'assistant',
    model: request.body['model'] ?? '',
    content: anthropicBlocks(script, request).map(({ complete: block }) => block),
    stop_reason: stopReason(script),
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

function stopReason({ finish = 'stop', toolCalls = [] }: ReplyScript): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'content-filter') return 'refusal';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
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
