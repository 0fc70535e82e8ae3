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

it('requests an approval by an id with the signature, which each client sends back', async () => {
  const { message, errors } = await read(
    wire({ type: 'start' }, ...toolStart, { type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' }),
  );

  expect(errors).toEqual([]);
  expect(message?.parts).toEqual([
    expect.objectContaining({ state: 'approval-requested', approval: { id: 'a1.sig' } }),
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

const message = { id: 's', role: 'system' as const, parts: [{ type: 'text' as const, text: 'Ada likes tea.' }] };
const executed = { providerExecuted: true, dynamic: true, providerMetadata: metadata };
const source = { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' } as const;
const citations = [{ source, startIndex: 0, endIndex: 2, citedText: 'Hi' }];

/** Each type of event once with all of its fields and once with the required ones. */
const table: { readonly [Type in AgentEvent['type']]: readonly (readonly [EventOf<Type>, ...UIMessageChunk[]])[] } = {
  start: [
    [
      { type: 'start', messageMetadata: { model: 'a' } },
      { type: 'start', messageId: 'm1', messageMetadata: { model: 'a' } },
    ],
    [{ type: 'start' }, { type: 'start', messageId: 'm1' }],
  ],
  'start-step': [[{ type: 'start-step' }, { type: 'start-step' }]],
  'finish-step': [
    [{ type: 'finish-step', finishReason: 'stop', usage, providerMetadata: metadata }, { type: 'finish-step' }],
  ],
  finish: [
    [
      { type: 'finish', finishReason: 'length', usage, messageMetadata: { tokens: 3 } },
      { type: 'finish', finishReason: 'length', messageMetadata: { tokens: 3 } },
    ],
    [
      { type: 'finish', finishReason: 'tool-calls', usage },
      { type: 'finish', finishReason: 'tool-calls' },
    ],
  ],
  abort: [
    [
      { type: 'abort', reason: 'gone' },
      { type: 'abort', reason: 'gone' },
    ],
    [{ type: 'abort' }, { type: 'abort' }],
  ],
  error: [
    [
      { type: 'error', error: 'no model' },
      { type: 'error', errorText: 'no model' },
    ],
  ],
  'text-start': [
    [
      { type: 'text-start', id: 't', providerMetadata: metadata },
      { type: 'text-start', id: 't', providerMetadata: metadata },
    ],
  ],
  'text-delta': [
    [
      { type: 'text-delta', id: 't', delta: 'a', providerMetadata: metadata },
      { type: 'text-delta', id: 't', delta: 'a', providerMetadata: metadata },
    ],
  ],
  'text-end': [
    [
      { type: 'text-end', id: 't', citations, providerMetadata: metadata },
      { type: 'text-end', id: 't', citations, providerMetadata: metadata },
    ],
  ],
  'reasoning-start': [
    [
      { type: 'reasoning-start', id: 'r', providerMetadata: metadata },
      { type: 'reasoning-start', id: 'r', providerMetadata: metadata },
    ],
  ],
  'reasoning-delta': [
    [
      { type: 'reasoning-delta', id: 'r', delta: 'b', providerMetadata: metadata },
      { type: 'reasoning-delta', id: 'r', delta: 'b', providerMetadata: metadata },
    ],
  ],
  'reasoning-end': [
    [
      { type: 'reasoning-end', id: 'r', providerMetadata: metadata },
      { type: 'reasoning-end', id: 'r', providerMetadata: metadata },
    ],
  ],
  'tool-input-start': [
    [
      { type: 'tool-input-start', id: 'c1', toolName: 'pay', title: 'Pay', ...executed },
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay', title: 'Pay', ...executed },
    ],
    [
      { type: 'tool-input-start', id: 'c1', toolName: 'pay' },
      { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay' },
    ],
  ],
  'tool-input-delta': [
    [
      { type: 'tool-input-delta', id: 'c1', delta: '{"city":' },
      { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"city":' },
    ],
  ],
  'tool-input-end': [[{ type: 'tool-input-end', id: 'c1' }]],
  'tool-call': [
    [
      { type: 'tool-call', ...call, title: 'Weather', ...executed },
      { type: 'tool-input-available', ...call, title: 'Weather', ...executed },
    ],
    [
      { type: 'tool-call', ...call },
      { type: 'tool-input-available', ...call },
    ],
    [
      { type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' },
      { type: 'tool-input-available', ...call },
      { type: 'tool-approval-request', approvalId: 'a1.sig', toolCallId: 'c1' },
    ],
    [
      { type: 'tool-call', ...call, approvalId: 'a1' },
      { type: 'tool-input-available', ...call },
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
    ],
    // Its error follows with the arguments.
    [{ type: 'tool-call', ...call, invalidInput: true }],
  ],
  'tool-result': [
    [
      { type: 'tool-result', ...call, output: { degrees: 21 }, preliminary: true, ...executed },
      { type: 'tool-output-available', toolCallId: 'c1', output: { degrees: 21 }, preliminary: true, ...executed },
    ],
    [
      { type: 'tool-result', ...call, output: 21, preliminary: false },
      { type: 'tool-output-available', toolCallId: 'c1', output: 21 },
    ],
    [
      { type: 'tool-result', ...call, output: undefined },
      { type: 'tool-output-available', toolCallId: 'c1', output: null },
    ],
  ],
  'tool-error': [
    [
      { type: 'tool-error', ...call, error: 'no such city', ...executed },
      { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no such city', ...executed },
    ],
    [
      { type: 'tool-error', ...call, error: 'not a city', invalidInput: true, ...executed },
      { type: 'tool-input-error', ...call, errorText: 'not a city', ...executed },
    ],
    [
      { type: 'tool-error', ...call, error: 'not allowed', denied: true },
      { type: 'tool-output-denied', toolCallId: 'c1' },
    ],
  ],
  source: [
    [
      { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b', title: 'A', providerMetadata: metadata },
      { type: 'source-url', sourceId: 's1', url: 'https://a.b', title: 'A', providerMetadata: metadata },
    ],
    [
      { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' },
      { type: 'source-url', sourceId: 's1', url: 'https://a.b' },
    ],
    [
      {
        type: 'source',
        id: 's2',
        sourceType: 'document',
        mediaType: 'text/plain',
        title: 'Notes',
        filename: 'n.txt',
        providerMetadata: metadata,
      },
      {
        type: 'source-document',
        sourceId: 's2',
        mediaType: 'text/plain',
        title: 'Notes',
        filename: 'n.txt',
        providerMetadata: metadata,
      },
    ],
    [
      { type: 'source', id: 's2', sourceType: 'document', mediaType: 'text/plain', title: 'Notes' },
      { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'Notes' },
    ],
  ],
  file: [
    [
      { type: 'file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata: metadata },
      { type: 'file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata: metadata },
    ],
  ],
  'reasoning-file': [
    [
      { type: 'reasoning-file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata: metadata },
      { type: 'reasoning-file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata: metadata },
    ],
  ],
  custom: [
    [
      { type: 'custom', kind: 'openai.compaction', providerMetadata: metadata },
      { type: 'custom', kind: 'openai.compaction', providerMetadata: metadata },
    ],
  ],
  data: [
    [
      { type: 'data', part: { type: 'data-chart', id: 'd1', data: [1, 2] }, transient: true },
      { type: 'data-chart', id: 'd1', data: [1, 2], transient: true },
    ],
    [
      { type: 'data', part: { type: 'data-chart', data: 1 }, transient: false },
      { type: 'data-chart', data: 1 },
    ],
    // A part of the message even if the tool of a sub-agent writes it.
    [
      { type: 'data', part: { type: 'data-chart', data: 1 }, agentId: 'b', agentPath: ['a', 'b'] },
      { type: 'data-chart', data: 1 },
    ],
  ],
  summary: [
    [
      { type: 'summary', message },
      { type: 'data-summary', data: { message }, transient: true },
    ],
  ],
  raw: [[{ type: 'raw', rawValue: { chunk: 1 } }]],
};

type EventOf<Type extends AgentEvent['type']> = AgentEvent & { readonly type: Type };

const rows: readonly (readonly [AgentEvent, ...UIMessageChunk[]])[] = Object.values(table).flat();

it.each(rows.map(([event, ...chunks]) => ({ event, chunks })))(
  'sends $event as exactly these chunks',
  async ({ event, chunks }) => {
    const sent = [toUiChunks(event, 'm1')].flat();

    // Fields that are undefined are not on the wire.
    expect(JSON.parse(JSON.stringify(sent))).toStrictEqual(chunks);
    const { validate } = asSchema(uiMessageChunkSchema);
    for (const chunk of sent) expect(await validate?.(chunk)).toMatchObject({ success: true });
  },
);

it.each<AgentEvent>([
  { type: 'start', messageMetadata: { model: 'inner' } },
  { type: 'finish', finishReason: 'stop', usage, messageMetadata: { model: 'inner' } },
])('leaves the message metadata of a sub-agent out of its $type event', ({ ...event }) => {
  const { messageMetadata: _, ...inner } = event as EventOf<'start'>;

  expect(toUiChunks({ ...event, agentId: 'b', agentPath: ['a', 'b'], parentToolCallId: 'c1' }, 'm1')).toStrictEqual({
    type: 'data-agent-event',
    data: { agentId: 'b', agentPath: ['a', 'b'], parentToolCallId: 'c1', event: inner },
    transient: true,
  });
});

it.each<AgentEvent>([
  { type: 'custom', kind: 'openai.compaction', agentId: 'b' },
  { type: 'summary', message, agentId: 'b' },
])('leaves out the $type event of a sub-agent', (event) => {
  expect(toUiChunks(event, 'm1')).toStrictEqual([]);
});

it('gives the event of a sub-agent all fields that clients rely on', () => {
  expect(toUiChunks({ type: 'start-step', agentId: 'b' }, 'm1')).toStrictEqual({
    type: 'data-agent-event',
    data: { agentId: 'b', agentPath: [], parentToolCallId: '', event: { type: 'start-step' } },
    transient: true,
  });
});
