import { asSchema, readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { expect, it } from 'vitest';
import type { AgentEvent } from '../agent/agent-event.ts';
import { toUiChunks } from './to-ui-chunks.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const metadata = { openai: { itemId: 'x' } };
const call = { toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Rome' } };
const toolStart: AgentEvent[] = [
  { type: 'tool-input-start', id: 'c1', toolName: 'getWeather' },
  { type: 'tool-input-delta', id: 'c1', delta: '{"city":' },
  { type: 'tool-input-delta', id: 'c1', delta: '"Rome"}' },
  { type: 'tool-input-end', id: 'c1' },
];

/** The chunks after a round trip through JSON. */
function wire(...events: AgentEvent[]): UIMessageChunk[] {
  return JSON.parse(JSON.stringify(events.flatMap((event) => toUiChunks(event, 'm1'))));
}

/** The message that a client of the AI SDK builds, and its errors. */
async function read(
  chunks: readonly UIMessageChunk[],
  message?: UIMessage,
): Promise<{ message: UIMessage | undefined; errors: string[] }> {
  const validate = asSchema(uiMessageChunkSchema).validate;
  for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true });
  const errors: string[] = [];
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const states = readUIMessageStream({
    stream,
    onError: (error) => errors.push(String(error)),
    ...(message && { message }),
  });
  for await (const state of states) last = state;
  return { message: last, errors };
}

it('sends a run as chunks that the AI SDK reads as one message', async () => {
  const chunks = wire(
    { type: 'start' },
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: metadata },
    ...toolStart,
    { type: 'tool-call', ...call, providerMetadata: metadata },
    { type: 'tool-result', ...call, output: { degrees: 21 } },
    { type: 'finish-step', finishReason: 'tool-calls', usage },
    { type: 'start-step' },
    { type: 'source', id: 's1', sourceType: 'url', url: 'https://example.com', title: 'Weather' },
    { type: 'source', id: 's2', sourceType: 'document', mediaType: 'text/plain', title: 'Notes' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'It is "21"' },
    { type: 'text-delta', id: 't', delta: '°.\n', providerMetadata: metadata },
    { type: 'text-end', id: 't' },
    { type: 'raw', rawValue: { chunk: 1 } },
    { type: 'finish-step', finishReason: 'stop', usage },
    { type: 'finish', finishReason: 'stop', usage },
  );

  const { message, errors } = await read(chunks);

  expect(errors).toEqual([]);
  expect(message).toEqual({
    id: 'm1',
    role: 'assistant',
    metadata: undefined,
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', id: 'r', text: 'Hm.', state: 'done', providerMetadata: metadata },
      expect.objectContaining({
        type: 'tool-getWeather',
        toolCallId: 'c1',
        state: 'output-available',
        input: { city: 'Rome' },
        output: { degrees: 21 },
        callProviderMetadata: metadata,
      }),
      { type: 'step-start' },
      expect.objectContaining({ type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Weather' }),
      expect.objectContaining({ type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'Notes' }),
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
      { type: 'text', text: 'It is "21"°.\n', state: 'done', providerMetadata: metadata },
    ],
  });
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
});

it('requests an approval with a signature that the client sends back', async () => {
  const { message, errors } = await read(
    wire({ type: 'start' }, ...toolStart, { type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' }),
  );

  expect(errors).toEqual([]);
  expect(message?.parts).toEqual([
    expect.objectContaining({ state: 'approval-requested', approval: { id: 'a1', signature: 'sig' } }),
  ]);
});

it('continues the message that requested the approval', async () => {
  const asked = await read(wire({ type: 'start' }, { type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' }));

  const approved = await read(wire({ type: 'start' }, { type: 'tool-result', ...call, output: 'done' }), asked.message);
  expect(approved).toMatchObject({
    errors: [],
    message: { id: 'm1', parts: [{ state: 'output-available', output: 'done' }] },
  });

  const denied = await read(
    wire({ type: 'start' }, { type: 'tool-error', ...call, error: 'denied', denied: true }),
    asked.message,
  );
  expect(denied).toMatchObject({ errors: [], message: { id: 'm1', parts: [{ state: 'output-denied' }] } });
});

it('distinguishes a failed tool from invalid arguments', async () => {
  const failed = await read(
    wire({ type: 'start' }, { type: 'tool-call', ...call }, { type: 'tool-error', ...call, error: 'no such city' }),
  );
  expect(failed).toMatchObject({
    errors: [],
    message: { parts: [{ state: 'output-error', errorText: 'no such city', input: { city: 'Rome' } }] },
  });

  const unfit: AgentEvent = { type: 'tool-error', ...call, error: 'input/city must be string', invalidInput: true };
  expect(wire(unfit)).toEqual([{ type: 'tool-input-error', ...call, errorText: 'input/city must be string' }]);
  const misfit = await read(wire({ type: 'start' }, ...toolStart, { type: 'tool-call', ...call }, unfit));
  expect(misfit).toMatchObject({
    errors: [],
    message: { parts: [{ state: 'output-error', errorText: 'input/city must be string' }] },
  });
});

it('marks calls that the provider executed, and sends an undefined result as null', () => {
  expect(
    wire(
      { type: 'tool-call', ...call, providerExecuted: true },
      { type: 'tool-result', ...call, providerExecuted: true, output: undefined },
    ),
  ).toEqual([
    { type: 'tool-input-available', ...call, providerExecuted: true },
    { type: 'tool-output-available', toolCallId: 'c1', providerExecuted: true, output: null },
  ]);
});

it('sends the events of a sub-agent as data, not as parts of the message', async () => {
  const spoken: AgentEvent = {
    type: 'text-delta',
    id: 't',
    delta: 'inner',
    agentId: 'b',
    agentPath: ['a', 'b'],
    parentToolCallId: 'c1',
  };
  const [chunk] = wire(spoken);

  expect(chunk).toEqual({
    type: 'data-agent-event',
    data: {
      agentId: 'b',
      agentPath: ['a', 'b'],
      parentToolCallId: 'c1',
      event: { type: 'text-delta', id: 't', delta: 'inner' },
    },
    transient: true,
  });
  expect(await read(wire({ type: 'start' }, spoken))).toMatchObject({ errors: [], message: { parts: [] } });
});

it('sends a summary as data, not as a part of the message', async () => {
  const message = { id: 's', role: 'system' as const, parts: [{ type: 'text' as const, text: 'Ada likes tea.' }] };

  expect(wire({ type: 'summary', message })).toEqual([{ type: 'data-summary', data: { message }, transient: true }]);
  expect(await read(wire({ type: 'start' }, { type: 'summary', message }))).toMatchObject({
    errors: [],
    message: { parts: [] },
  });
});

it('ends with the error of the step that failed', async () => {
  expect(
    wire(
      { type: 'abort' },
      { type: 'abort', reason: 'gone' },
      { type: 'error', error: 'The model of agent "a" failed' },
    ),
  ).toEqual([
    { type: 'abort' },
    { type: 'abort', reason: 'gone' },
    { type: 'error', errorText: 'The model of agent "a" failed' },
  ]);
});
