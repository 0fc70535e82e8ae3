import type { JsonObject } from '@halyard/contracts';
import { isJsonObject } from './json-object.ts';
import { openaiFailure, streamError } from './openai-failure.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type Emit, emitOutputItem } from './responses-events.ts';
import { outputItemJson, outputItems } from './responses-output.ts';
import { type ReplyScript, defaultUsage, type RequestedFormat, requestedFormat } from './script.ts';
import type { AnswerFormat } from './scripted-endpoint.ts';
import type { EventStream, Frame } from './send-reply.ts';

/**
 * `POST /v1/responses`; events as in
 * https://platform.openai.com/docs/api-reference/responses-streaming.
 */
export const responsesApi: AnswerFormat = {
  isStreaming: ({ body }) => body['stream'] === true,
  stream: streamResponse,
  complete: completeResponse,
  failure: openaiFailure,
};

/** The JSON schema in `text.format`. */
export function responsesFormat(body: JsonObject): RequestedFormat | undefined {
  return requestedFormat(isJsonObject(body['text']) ? body['text']['format'] : undefined);
}

function streamResponse(script: ReplyScript, request: RecordedRequest): EventStream {
  const frames: Frame[] = [];
  let sequence = 0;
  const emit: Emit = (type, fields, role) => {
    frames.push({ text: eventText(type, { sequence_number: sequence, ...fields }), isChunk: role === 'chunk' });
    sequence += 1;
  };

  const started = { ...responseBase(request), status: 'in_progress' };
  emit('response.created', { response: started });
  emit('response.in_progress', { response: started });
  const opening = frames.splice(0);

  const status = statusOf(script);
  outputItems(script, request).forEach((item, index) => emitOutputItem(emit, item, index, status));
  emit(`response.${status}`, { response: completeResponse(script, request) });
  return {
    opening,
    frames,
    errorEvent: (error) => eventText('error', { sequence_number: sequence, ...streamError(error), param: null }),
  };
}

function completeResponse(script: ReplyScript, request: RecordedRequest): JsonObject {
  const status = statusOf(script);
  const reason = script.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    ...responseBase(request),
    status,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    output: outputItems(script, request).map((item) => outputItemJson(item, status)),
    usage: usageJson(script),
  };
}

function statusOf({ finish = 'stop' }: ReplyScript): 'completed' | 'incomplete' {
  return finish === 'stop' ? 'completed' : 'incomplete';
}

function responseBase({ number, body }: RecordedRequest): JsonObject {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_700_000_000,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    model: body['model'] ?? '',
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body['top_p'] ?? 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
}

function usageJson(script: ReplyScript): JsonObject {
  const usage = { ...defaultUsage, ...script.usage };
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function eventText(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
