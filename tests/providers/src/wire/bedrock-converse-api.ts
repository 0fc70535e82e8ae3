import type { JsonObject } from '@halyard/contracts';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { bedrockBlocks, type BedrockBlock } from './bedrock-blocks.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyScript, defaultUsage } from './script.ts';
import type { AnswerFormat } from './scripted-endpoint.ts';
import type { EventStream, Frame } from './send-reply.ts';

/**
 * Bodies and events as in
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
 */
export const converseApi: AnswerFormat = {
  isStreaming: ({ path }) => path.endsWith('/converse-stream'),
  stream,
  complete,
  failure: (_status, { message = 'The request failed.' }) => ({ message }),
};

function stream(script: ReplyScript, request: RecordedRequest): EventStream {
  return {
    contentType: 'application/vnd.amazon.eventstream',
    opening: [event('messageStart', { role: 'assistant' })],
    frames: [
      ...bedrockBlocks(script, request).flatMap(blockEvents),
      event('messageStop', { stopReason: stopReason(script) }),
      event('metadata', { usage: usageOf(script), metrics: { latencyMs: 1 } }),
    ],
    errorEvent: ({ type = 'internalServerException', message = 'The request failed.' }) =>
      encoded({ ':message-type': 'exception', ':exception-type': type }, JSON.stringify({ message })),
    malformedEvent: encoded({ ':message-type': 'event', ':event-type': 'contentBlockDelta' }, '{"contentBlockIndex":'),
  };
}

function blockEvents({ start, deltas }: BedrockBlock, contentBlockIndex: number): readonly Frame[] {
  return [
    // Bedrock announces tool calls only.
    ...(start === undefined ? [] : [event('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
    event('contentBlockStop', { contentBlockIndex }),
  ];
}

function event(type: string, payload: JsonObject): Frame {
  const text = encoded({ ':message-type': 'event', ':event-type': type }, JSON.stringify(payload));
  return { text, isChunk: type === 'contentBlockDelta' };
}

const utf8 = new TextEncoder();
const codec = new EventStreamCodec(
  (input) => (typeof input === 'string' ? input : new TextDecoder().decode(input)),
  (text) => utf8.encode(text),
);

/** A message of the AWS event stream: lengths, headers, a body and checksums. */
function encoded(headers: Readonly<Record<string, string>>, body: string): Uint8Array {
  return codec.encode({
    headers: Object.fromEntries(
      Object.entries({ ...headers, ':content-type': 'application/json' }).map(([name, value]) => [
        name,
        { type: 'string', value },
      ]),
    ),
    body: utf8.encode(body),
  });
}

function complete(script: ReplyScript, request: RecordedRequest): JsonObject {
  const content = bedrockBlocks(script, request).map(({ complete: block }) => block);
  return {
    metrics: { latencyMs: 1 },
    output: { message: { role: 'assistant', content } },
    stopReason: stopReason(script),
    usage: usageOf(script),
  };
}

function usageOf(script: ReplyScript): JsonObject {
  const { inputTokens, outputTokens } = { ...defaultUsage, ...script.usage };
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function stopReason({ finish = 'stop', toolCalls = [] }: ReplyScript): string {
  if (finish === 'length') return 'max_tokens';
  if (finish === 'content-filter') return 'content_filtered';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}
