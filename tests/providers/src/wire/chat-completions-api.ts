import type { JsonObject, JsonValue } from '@halyard/contracts';
import { isJsonObject } from './json-object.ts';
import { openaiFailure } from './openai-failure.ts';
import type { RecordedRequest } from './recorded-request.ts';
import {
  type ReplyScript,
  chunks,
  defaultUsage,
  type RequestedFormat,
  requestedFormat,
  textChunks,
  toolCallArguments,
  toolCallId,
} from './script.ts';
import type { AnswerFormat } from './scripted-endpoint.ts';
import type { EventStream, Frame } from './send-reply.ts';

/**
 * `POST /v1/chat/completions`; chunks as in
 * https://platform.openai.com/docs/api-reference/chat-streaming.
 */
export const chatCompletionsApi: AnswerFormat = answerFormat('omitted');

/** Chat completions of other providers, many of which send reasoning as `reasoning_content`. */
export const compatibleApi: AnswerFormat = answerFormat('sent');

type Reasoning = 'sent' | 'omitted';

function answerFormat(reasoning: Reasoning): AnswerFormat {
  const written = (script: ReplyScript): ReplyScript =>
    reasoning === 'sent' ? { ...script, sources: [] } : { ...script, reasoning: [] };
  return {
    isStreaming: ({ body }) => body['stream'] === true,
    stream: (script, request) => streamCompletion(written(script), request),
    complete: (script, request) => completion(written(script), request),
    failure: openaiFailure,
  };
}

/** The JSON schema in `response_format`. */
export function chatCompletionsFormat(body: JsonObject): RequestedFormat | undefined {
  return requestedFormat(isJsonObject(body['response_format']) ? body['response_format']['json_schema'] : undefined);
}

function streamCompletion(script: ReplyScript, request: RecordedRequest): EventStream {
  const options = request.body['stream_options'];
  const includesUsage = isJsonObject(options) && options['include_usage'] === true;
  const base = { ...completionBase(request, 'chat.completion.chunk'), ...(includesUsage && { usage: null }) };
  const chunk = (delta: JsonObject, ending: string | null = null): string =>
    eventText({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: ending }] });

  const hasMessage = script.toolCalls === undefined || script.text !== undefined;
  const closing = [
    chunk({}, finishReason(script)),
    ...(includesUsage ? [eventText({ ...base, choices: [], usage: usageJson(script) })] : []),
    'data: [DONE]\n\n',
  ];
  return {
    opening: [{ text: chunk({ role: 'assistant', content: hasMessage ? '' : null, refusal: null }), isChunk: false }],
    frames: [
      ...chunks(reasoningText(script), script.chunkSize).map((reasoning): Frame => ({
        text: chunk({ reasoning_content: reasoning }),
        isChunk: true,
      })),
      ...textChunks(script).map((content): Frame => ({ text: chunk({ content }), isChunk: true })),
      ...chunks(script.refusal ?? '', script.chunkSize).map((refusal): Frame => ({
        text: chunk({ refusal }),
        isChunk: true,
      })),
      ...annotations(script).map((annotation): Frame => ({
        text: chunk({ annotations: [annotation] }),
        isChunk: false,
      })),
      ...toolCallDeltas(script, request).map(({ delta, isChunk }): Frame => ({
        text: chunk({ tool_calls: [delta] }),
        isChunk,
      })),
      ...closing.map((text): Frame => ({ text, isChunk: false })),
    ],
    errorEvent: (error) => eventText(openaiFailure(500, error)),
  };
}

/**
 * The id and name are sent first, then the arguments in chunks that refer to their call by index
 * only.
 */
function toolCallDeltas(
  script: ReplyScript,
  { number }: RecordedRequest,
): readonly { readonly delta: JsonObject; readonly isChunk: boolean }[] {
  return (script.toolCalls ?? []).flatMap((call, index) => [
    {
      delta: {
        index,
        id: toolCallId(call, number, index),
        type: 'function',
        function: { name: call.name, arguments: '' },
      },
      isChunk: false,
    },
    ...chunks(toolCallArguments(call), script.chunkSize).map((piece) => ({
      delta: { index, function: { arguments: piece } },
      isChunk: true,
    })),
  ]);
}

function completion(script: ReplyScript, request: RecordedRequest): JsonObject {
  const text = textChunks(script).join('');
  const toolCalls = (script.toolCalls ?? []).map((call, index): JsonValue => ({
    id: toolCallId(call, request.number, index),
    type: 'function',
    function: { name: call.name, arguments: toolCallArguments(call) },
  }));
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: script.refusal ?? null,
    annotations: annotations(script),
    ...(reasoningText(script) !== '' && { reasoning_content: reasoningText(script) }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
  return {
    ...completionBase(request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(script) }],
    usage: usageJson(script),
  };
}

function reasoningText({ reasoning = [] }: ReplyScript): string {
  return reasoning.join('\n');
}

function annotations({ sources = [] }: ReplyScript): JsonObject[] {
  return sources.map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { url, title, start_index: 0, end_index: 1 },
  }));
}

function completionBase({ number, body }: RecordedRequest, object: string): JsonObject {
  return {
    id: `chatcmpl-${number}`,
    object,
    created: 1_700_000_000,
    model: body['model'] ?? '',
    service_tier: 'default',
    system_fingerprint: 'fp_wire',
  };
}

function finishReason({ finish = 'stop', toolCalls = [] }: ReplyScript): string {
  if (finish === 'length') return 'length';
  if (finish === 'content-filter') return 'content_filter';
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function usageJson(script: ReplyScript): JsonObject {
  const usage = { ...defaultUsage, ...script.usage };
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function eventText(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
