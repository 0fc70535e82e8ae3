import { asSchema, readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { expect, it } from 'vitest';
import { replayMessage } from './replay-message.ts';

const call = { toolCallId: 'c1', input: { euros: 5 } };
const approval = { id: 'a1.s' };

/** The message that a client builds from the chunks. */
async function rebuilt(message: UIMessage): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = ReadableStream.from(replayMessage(message));
  for await (const state of readUIMessageStream<UIMessage>({ stream, terminateOnError: true })) last = state;
  // Fields that are undefined are not on the wire.
  return last && (JSON.parse(JSON.stringify(last)) as UIMessage);
}

it.each<readonly [string, UIMessage['parts']]>([
  [
    'text, reasoning, files and sources',
    [
      { type: 'step-start' },
      { type: 'reasoning', id: 'r0', text: 'Hm.', state: 'done', providerMetadata: { p: { signature: 'x' } } },
      { type: 'text', text: 'Look.', state: 'done' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
      { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Example' },
      { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'T', filename: 't.txt' },
      { type: 'step-start' },
      { type: 'text', text: 'Done.', state: 'done' },
    ],
  ],
  ['a call on its way', [{ type: 'tool-pay', ...call, state: 'input-available' }]],
  ['a call of a tool made at run time', [{ type: 'dynamic-tool', toolName: 'pay', ...call, state: 'input-available' }]],
  ['a call that asks', [{ type: 'tool-pay', ...call, state: 'approval-requested', approval }]],
  [
    'a call that was answered',
    [{ type: 'tool-pay', ...call, state: 'approval-responded', approval: { ...approval, approved: true } }],
  ],
  [
    'a call that was denied',
    [
      {
        type: 'tool-pay',
        ...call,
        state: 'output-denied',
        approval: { ...approval, approved: false, reason: 'too much' },
      },
    ],
  ],
  ['a result', [{ type: 'tool-pay', ...call, state: 'output-available', output: 'paid' }]],
  ['a failure', [{ type: 'tool-pay', ...call, state: 'output-error', errorText: 'no' }]],
])('a message is the same when its chunks are read: %s', async (_, parts) => {
  const message: UIMessage = { id: 'm1', role: 'assistant', parts };
  expect(await rebuilt(message)).toEqual(message);
});

const providerMetadata = { openai: { itemId: 'x' } };
const source = { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' } as const;
const citations = [{ source, startIndex: 0, endIndex: 2, citedText: 'Hi' }];

/** Each part with all of its fields, and with the required ones. */
it.each<readonly [UIMessage['parts'][number], ...UIMessageChunk[]]>([
  [{ type: 'step-start' }, { type: 'start-step' }],
  [
    { type: 'text', id: 't7', text: 'Hi', citations, providerMetadata } as UIMessage['parts'][number],
    { type: 'text-start', id: 't7', providerMetadata },
    { type: 'text-delta', id: 't7', delta: 'Hi' },
    { type: 'text-end', id: 't7', citations },
  ],
  [
    { type: 'text', text: 'Hi' },
    { type: 'text-start', id: 'replay-0' },
    { type: 'text-delta', id: 'replay-0', delta: 'Hi' },
    { type: 'text-end', id: 'replay-0' },
  ],
  [
    { type: 'reasoning', id: 'r7', text: 'Hm', providerMetadata },
    { type: 'reasoning-start', id: 'r7', providerMetadata },
    { type: 'reasoning-delta', id: 'r7', delta: 'Hm' },
    { type: 'reasoning-end', id: 'r7' },
  ],
  [
    { type: 'file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata },
    { type: 'file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata },
  ],
  [
    { type: 'reasoning-file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata },
    { type: 'reasoning-file', mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata },
  ],
  [
    { type: 'custom', kind: 'openai.compaction', providerMetadata },
    { type: 'custom', kind: 'openai.compaction', providerMetadata },
  ],
  [
    { type: 'source-url', sourceId: 's1', url: 'https://a.b', title: 'A', providerMetadata },
    { type: 'source-url', sourceId: 's1', url: 'https://a.b', title: 'A', providerMetadata },
  ],
  [
    { type: 'source-url', sourceId: 's1', url: 'https://a.b' },
    { type: 'source-url', sourceId: 's1', url: 'https://a.b' },
  ],
  [
    { type: 'source-document', sourceId: 's2', mediaType: 'a/b', title: 'T', filename: 't.txt', providerMetadata },
    { type: 'source-document', sourceId: 's2', mediaType: 'a/b', title: 'T', filename: 't.txt', providerMetadata },
  ],
  [
    { type: 'source-document', sourceId: 's2', mediaType: 'a/b', title: 'T' },
    { type: 'source-document', sourceId: 's2', mediaType: 'a/b', title: 'T' },
  ],
  [
    { type: 'data-chart', id: 'd1', data: [1] },
    { type: 'data-chart', id: 'd1', data: [1] },
  ],
  [
    { type: 'data-chart', data: 1 },
    { type: 'data-chart', data: 1 },
  ],
  [
    { type: 'tool-pay', ...call, state: 'input-streaming', title: 'Pay', callProviderMetadata: providerMetadata },
    { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay', title: 'Pay', providerMetadata },
  ],
  [
    { type: 'tool-pay', ...call, state: 'input-available', providerExecuted: true },
    { type: 'tool-input-available', ...call, toolName: 'pay', providerExecuted: true },
  ],
  [
    { type: 'dynamic-tool', toolName: 'pay', toolCallId: 'c1', input: undefined, state: 'input-available' },
    { type: 'tool-input-available', toolCallId: 'c1', toolName: 'pay', dynamic: true, input: null },
  ],
  [
    { type: 'tool-pay', ...call, state: 'approval-requested', approval: { id: 'a1' } },
    { type: 'tool-input-available', ...call, toolName: 'pay' },
    { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
  ],
  [
    {
      type: 'tool-pay',
      ...call,
      state: 'output-denied',
      approval: { ...approval, approved: false, reason: 'too much' },
    },
    { type: 'tool-input-available', ...call, toolName: 'pay' },
    { type: 'tool-approval-request', approvalId: 'a1.s', toolCallId: 'c1' },
    { type: 'tool-approval-response', approvalId: 'a1.s', approved: false, reason: 'too much' },
    { type: 'tool-output-denied', toolCallId: 'c1' },
  ],
  [
    {
      type: 'tool-pay',
      ...call,
      state: 'output-available',
      output: 'paid',
      preliminary: true,
      providerExecuted: true,
      callProviderMetadata: { openai: { itemId: 'call' } },
      resultProviderMetadata: providerMetadata,
      approval: { ...approval, approved: true },
    },
    {
      type: 'tool-input-available',
      ...call,
      toolName: 'pay',
      providerExecuted: true,
      providerMetadata: { openai: { itemId: 'call' } },
    },
    { type: 'tool-approval-request', approvalId: 'a1.s', toolCallId: 'c1' },
    { type: 'tool-approval-response', approvalId: 'a1.s', approved: true },
    {
      type: 'tool-output-available',
      toolCallId: 'c1',
      output: 'paid',
      preliminary: true,
      providerExecuted: true,
      providerMetadata,
    },
  ],
  [
    { type: 'tool-pay', ...call, state: 'output-available', output: undefined, preliminary: false },
    { type: 'tool-input-available', ...call, toolName: 'pay' },
    { type: 'tool-output-available', toolCallId: 'c1', output: null },
  ],
  [
    {
      type: 'tool-pay',
      ...call,
      state: 'output-error',
      errorText: 'no money',
      providerExecuted: true,
      resultProviderMetadata: providerMetadata,
    },
    { type: 'tool-input-available', ...call, toolName: 'pay', providerExecuted: true },
    { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no money', providerExecuted: true, providerMetadata },
  ],
])('replays %j with all of its fields', async (...row) => {
  const [part, ...chunks] = row;
  const replayed = replayMessage({ id: 'm1', parts: [part as UIMessage['parts'][number]] });

  expect(replayed).toStrictEqual([{ type: 'start', messageId: 'm1' }, ...chunks]);
  const { validate } = asSchema(uiMessageChunkSchema);
  for (const chunk of replayed) expect(await validate?.(chunk)).toMatchObject({ success: true });
});

it('replays the metadata of the message, and gives each text an id of its own', () => {
  const parts: UIMessage['parts'] = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  expect(replayMessage({ id: 'm1', metadata: { model: 'x' }, parts })).toMatchObject([
    { type: 'start', messageId: 'm1', messageMetadata: { model: 'x' } },
    { id: 'replay-0' },
    { id: 'replay-0', delta: 'a' },
    { id: 'replay-0' },
    { id: 'replay-1' },
    { id: 'replay-1', delta: 'b' },
    { id: 'replay-1' },
  ]);
});

it('takes null for an absent approval and absent metadata, as some clients send it', () => {
  const part = {
    type: 'tool-pay',
    ...call,
    state: 'input-available',
    approval: null,
    callProviderMetadata: null,
  };
  expect(replayMessage({ id: 'm1', parts: [part as unknown as UIMessage['parts'][number]] }).slice(1)).toStrictEqual([
    { type: 'tool-input-available', ...call, toolName: 'pay' },
  ]);
});

it('leaves out a part that it does not know', () => {
  const unknown = { type: 'hologram' } as unknown as UIMessage['parts'][number];
  expect(replayMessage({ id: 'm1', parts: [unknown] })).toEqual([{ type: 'start', messageId: 'm1' }]);
});

it('puts a signature that is stored beside the id into the id', () => {
  const part = { type: 'tool-pay', ...call, state: 'approval-requested', approval: { id: 'a1', signature: 's' } };
  expect(replayMessage({ id: 'm1', parts: [part as UIMessage['parts'][number]] }).slice(2)).toStrictEqual([
    { type: 'tool-approval-request', approvalId: 'a1.s', toolCallId: 'c1' },
  ]);
});
