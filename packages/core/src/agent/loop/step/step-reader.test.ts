import { expect, it, vi } from 'vitest';
import type { ModelPart } from '../../../model/providers/model-port.ts';
import type { AgentEvent } from '../../agent-event.ts';
import { noUsage } from '../../usage.ts';
import type { StepReaderOptions } from './step-reader-options.ts';
import { type StepOutcome, StepReader } from './step-reader.ts';

const providerMetadata = { openai: { itemId: 'x' } };
const newer = { openai: { itemId: 'y' } };
const providerOptions = providerMetadata;
const modelUsage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const call = { toolCallId: 'c1', toolName: 'pay' };
const marks = { title: 'Pay', dynamic: true } as const;
const now = 1_700_000_000_000;

function open(options: Partial<StepReaderOptions> = {}) {
  const events: AgentEvent[] = [];
  const onToolCall = vi.fn<StepReaderOptions['onToolCall']>();
  const onWarnings = vi.fn<StepReaderOptions['onWarnings']>();
  const reader = new StepReader({
    emit: (event) => {
      events.push(event);
      return undefined;
    },
    isProcessed: false,
    rawChunks: true,
    onToolCall,
    inputOf: (toolCallId) => `input of ${toolCallId}`,
    flagsFor: () => marks,
    onWarnings,
    ...options,
  });
  const read = async (...parts: readonly ModelPart[]): Promise<void> => {
    for (const part of parts) await reader.read(part);
  };
  const outcome = (): StepOutcome => reader.outcome({ modelId: 'm', provider: 'p' }, now);
  return { events, onToolCall, onWarnings, outcome, read, reader };
}

const base = { finishReason: 'other', modelId: 'm', provider: 'p', timestamp: now, usage: noUsage } as const;

/**
 * The parts of a model with all of their fields, the events that they become, and the messages of
 * the next call.
 */
it.each<readonly [string, readonly ModelPart[], readonly AgentEvent[], Partial<StepOutcome>]>([
  [
    'a text',
    [
      { type: 'text-start', id: 't', providerMetadata },
      { type: 'text-delta', id: 't', delta: 'Hi ', providerMetadata },
      { type: 'text-delta', id: 't', delta: 'you' },
      { type: 'text-end', id: 't', providerMetadata: newer },
    ],
    [
      { type: 'text-start', id: 't', providerMetadata },
      { type: 'text-delta', id: 't', delta: 'Hi ', providerMetadata },
      { type: 'text-delta', id: 't', delta: 'you' },
      { type: 'text-end', id: 't', providerMetadata: newer },
    ],
    { content: [{ type: 'text', text: 'Hi you', providerOptions: newer }], text: 'Hi you' },
  ],
  [
    'a text that is not started, with an empty delta',
    [
      { type: 'text-delta', id: 't', delta: '' },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      { type: 'text-delta', id: 't', delta: '', providerMetadata },
    ],
    [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      { type: 'text-delta', id: 't', delta: '', providerMetadata },
    ],
    { content: [{ type: 'text', text: 'Hi', providerOptions }], text: 'Hi' },
  ],
  [
    'empty texts, of which only one with metadata is kept',
    [
      { type: 'text-start', id: 'a' },
      { type: 'text-end', id: 'a' },
      { type: 'text-start', id: 'b', providerMetadata },
      { type: 'text-end', id: 'b' },
      { type: 'text-end', id: 'unknown' },
    ],
    [
      { type: 'text-start', id: 'a' },
      { type: 'text-end', id: 'a' },
      { type: 'text-start', id: 'b', providerMetadata },
      { type: 'text-end', id: 'b' },
    ],
    { content: [{ type: 'text', text: '', providerOptions }], text: '' },
  ],
  [
    'a text and reasoning with the same id, and a text that begins again',
    [
      { type: 'text-start', id: '0' },
      { type: 'reasoning-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'a' },
      { type: 'reasoning-delta', id: '0', delta: 'b' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'c' },
    ],
    [
      { type: 'text-start', id: '0' },
      { type: 'reasoning-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'a' },
      { type: 'reasoning-delta', id: '0', delta: 'b' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'c' },
    ],
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'reasoning', text: 'b' },
        { type: 'text', text: 'c' },
      ],
      text: 'ac',
    },
  ],
  [
    'reasoning',
    [
      { type: 'reasoning-start', id: 'r', providerMetadata },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm', providerMetadata },
      { type: 'reasoning-end', id: 'r', providerMetadata: newer },
    ],
    [
      { type: 'reasoning-start', id: 'r', providerMetadata },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm', providerMetadata },
      { type: 'reasoning-end', id: 'r', providerMetadata: newer },
    ],
    { content: [{ type: 'reasoning', text: 'Hm', providerOptions: newer }] },
  ],
  [
    'the input of a call while it is written',
    [
      { type: 'tool-input-start', id: 'c1', toolName: 'pay', title: 'Own', providerExecuted: false, providerMetadata },
      { type: 'tool-input-start', id: 'c2', toolName: 'pay' },
      { type: 'tool-input-delta', id: 'c1', delta: '{}', providerMetadata },
      { type: 'tool-input-end', id: 'c1', providerMetadata },
    ],
    [
      {
        type: 'tool-input-start',
        id: 'c1',
        toolName: 'pay',
        title: 'Pay',
        dynamic: true,
        providerExecuted: false,
        providerMetadata,
      },
      { type: 'tool-input-start', id: 'c2', toolName: 'pay', ...marks },
      { type: 'tool-input-delta', id: 'c1', delta: '{}', providerMetadata },
      { type: 'tool-input-end', id: 'c1', providerMetadata },
    ],
    {},
  ],
  [
    'a call that the provider runs, and its results',
    [
      { type: 'tool-call', ...call, input: '{"euros":5}', providerExecuted: true, providerMetadata },
      { type: 'tool-result', ...call, result: 'half', preliminary: true },
      { type: 'tool-result', ...call, result: { paid: 5 }, providerMetadata },
    ],
    [
      {
        type: 'tool-call',
        ...call,
        input: { euros: 5 },
        providerExecuted: true,
        ...marks,
        providerMetadata,
      },
      {
        type: 'tool-result',
        ...call,
        input: { euros: 5 },
        output: 'half',
        preliminary: true,
        providerExecuted: true,
        dynamic: true,
      },
      {
        type: 'tool-result',
        ...call,
        input: { euros: 5 },
        output: { paid: 5 },
        providerExecuted: true,
        dynamic: true,
        providerMetadata,
      },
    ],
    {
      content: [
        { type: 'tool-call', ...call, input: { euros: 5 }, providerExecuted: true, providerOptions },
        { type: 'tool-result', ...call, output: { type: 'json', value: { paid: 5 } }, providerOptions },
      ],
    },
  ],
  [
    'the failure of a call of an earlier step',
    [
      { type: 'tool-result', ...call, result: 'no money', isError: true },
      { type: 'tool-result', ...call, result: { code: 7 }, isError: true },
    ],
    [
      {
        type: 'tool-error',
        ...call,
        input: 'input of c1',
        error: 'no money',
        providerExecuted: true,
        dynamic: true,
      },
      {
        type: 'tool-error',
        ...call,
        input: 'input of c1',
        error: '{"code":7}',
        providerExecuted: true,
        dynamic: true,
      },
    ],
    {
      content: [
        { type: 'tool-result', ...call, output: { type: 'error-json', value: 'no money' } },
        { type: 'tool-result', ...call, output: { type: 'error-json', value: { code: 7 } } },
      ],
    },
  ],
  [
    'an approval that the provider requests, and one for an unknown call',
    [
      { type: 'tool-call', ...call, input: '{}', providerExecuted: true, providerMetadata },
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
      { type: 'tool-approval-request', approvalId: 'a2', toolCallId: 'unknown' },
    ],
    [
      { type: 'tool-call', ...call, input: {}, providerExecuted: true, ...marks, providerMetadata },
      { type: 'tool-call', ...call, input: {}, providerExecuted: true, ...marks, providerMetadata, approvalId: 'a1' },
    ],
    {
      content: [{ type: 'tool-call', ...call, input: {}, providerExecuted: true, providerOptions }],
      approvals: [{ approvalId: 'a1', toolCallId: 'c1' }],
    },
  ],
  [
    'sources',
    [
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b', title: 'A', providerMetadata },
      { type: 'source', sourceType: 'url', id: 's2', url: 'https://a.b' },
      {
        type: 'source',
        sourceType: 'document',
        id: 's3',
        mediaType: 'a/b',
        title: 'T',
        filename: 't.txt',
        providerMetadata,
      },
      { type: 'source', sourceType: 'document', id: 's4', mediaType: 'a/b', title: 'T' },
    ],
    [
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b', title: 'A', providerMetadata },
      { type: 'source', sourceType: 'url', id: 's2', url: 'https://a.b' },
      {
        type: 'source',
        sourceType: 'document',
        id: 's3',
        mediaType: 'a/b',
        title: 'T',
        filename: 't.txt',
        providerMetadata,
      },
      { type: 'source', sourceType: 'document', id: 's4', mediaType: 'a/b', title: 'T' },
    ],
    {
      sources: [
        { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b', title: 'A', providerMetadata },
        { type: 'source', sourceType: 'url', id: 's2', url: 'https://a.b' },
        {
          type: 'source',
          sourceType: 'document',
          id: 's3',
          mediaType: 'a/b',
          title: 'T',
          filename: 't.txt',
          providerMetadata,
        },
        { type: 'source', sourceType: 'document', id: 's4', mediaType: 'a/b', title: 'T' },
      ],
    },
  ],
  [
    'files as text, as bytes and at a URL',
    [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' }, providerMetadata },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(1) } },
      {
        type: 'reasoning-file',
        mediaType: 'a/b',
        data: { type: 'url', url: new URL('https://a.b/c') },
        providerMetadata,
      },
    ],
    [
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', providerMetadata },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQ==' },
      { type: 'reasoning-file', mediaType: 'a/b', url: 'https://a.b/c', providerMetadata },
    ],
    {
      content: [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' }, providerOptions },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQ==' } },
        {
          type: 'reasoning-file',
          mediaType: 'a/b',
          data: { type: 'url', url: new URL('https://a.b/c') },
          providerOptions,
        },
      ],
    },
  ],
  [
    'content of the provider',
    [
      { type: 'custom', kind: 'openai.compaction', providerMetadata },
      { type: 'raw', rawValue: { chunk: 1 } },
    ],
    [
      { type: 'custom', kind: 'openai.compaction', providerMetadata },
      { type: 'raw', rawValue: { chunk: 1 } },
    ],
    { content: [{ type: 'custom', kind: 'openai.compaction', providerOptions }] },
  ],
  [
    'what it reports about the response, in several parts',
    [
      { type: 'response-metadata', id: 'r1', modelId: 'm-2026', timestamp: new Date(7) },
      { type: 'response-metadata', id: 'r2' },
      { type: 'finish', finishReason: { unified: 'length', raw: 'max' }, usage: modelUsage, providerMetadata },
    ],
    [],
    {
      responseId: 'r2',
      responseModelId: 'm-2026',
      timestamp: 7,
      finishReason: 'length',
      rawFinishReason: 'max',
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 2 },
      providerMetadata,
    },
  ],
])('emits and collects %s', async (_, parts, expectedEvents, expected) => {
  const { events, outcome, read } = open();
  await read(...parts);

  expect(events).toStrictEqual(expectedEvents);
  expect(outcome()).toStrictEqual({ calls: [], content: [], text: '', ...base, ...expected });
});

it('hands a call over, and keeps its arguments for the next prompt', async () => {
  const { events, onToolCall, outcome, read } = open();
  await read(
    { type: 'tool-call', ...call, input: '{"euros":5}', providerMetadata },
    { type: 'tool-call', ...call, toolCallId: 'c2', input: 'not JSON' },
  );

  const calls = [
    { ...call, input: '{"euros":5}', providerMetadata },
    { ...call, toolCallId: 'c2', input: 'not JSON' },
  ];
  expect(onToolCall.mock.calls.flat()).toStrictEqual(calls);
  expect(outcome().calls).toStrictEqual(calls);
  expect(outcome().content).toMatchObject([
    { type: 'tool-call', ...call, input: { euros: 5 }, providerOptions },
    { type: 'tool-call', toolCallId: 'c2' },
  ]);
  expect(events).toEqual([]);
});

it('ends the blocks that the provider left open', async () => {
  const { events, read } = open();
  await read(
    { type: 'text-start', id: 't' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'text-start', id: 'u' },
    { type: 'text-end', id: 'u' },
    { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: modelUsage },
  );
  expect(events.slice(4)).toStrictEqual([
    { type: 'text-end', id: 't' },
    { type: 'reasoning-end', id: 'r' },
  ]);
});

it('sends citations with the end of their text, and keeps them by its place', async () => {
  const source = { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' } as const;
  const citations = [{ source, startIndex: 0, endIndex: 2 }];
  const { events, outcome, read } = open();
  await read(
    { type: 'text-start', id: 'empty' },
    { type: 'text-end', id: 'empty' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
    { type: 'text-end', id: 't', citations, providerMetadata },
  );
  expect(events.at(-1)).toStrictEqual({ type: 'text-end', id: 't', citations, providerMetadata });
  expect(outcome().citations).toEqual({ 1: citations });
});

it('reports warnings, if there are any', async () => {
  const warning = { type: 'other', message: 'slow' } as const;
  const { onWarnings, outcome, read } = open();
  await read({ type: 'stream-start', warnings: [] });
  expect([onWarnings.mock.calls, outcome().warnings]).toEqual([[], undefined]);
  await read({ type: 'stream-start', warnings: [warning] });
  expect(onWarnings.mock.calls).toEqual([[[warning]]]);
  expect(outcome().warnings).toEqual([warning]);
});

it.each([
  ['stop', 'stop', true],
  ['interrupted', 'error', false],
  ['something-new', 'other', true],
  ['toString', 'other', true],
] as const)(
  'takes the reason %s for %s, and knows whether the answer is complete: %s',
  async (given, reason, isEnd) => {
    const { outcome, read, reader } = open();
    expect(reader.hasFinished).toBe(false);
    await read({ type: 'finish', finishReason: { unified: given as 'stop', raw: undefined }, usage: modelUsage });
    expect([outcome().finishReason, reader.hasFinished]).toEqual([reason, isEnd]);
  },
);

it('throws the error of an answer, and ignores a ping', async () => {
  const error = new Error('overloaded');
  const { events, reader } = open();
  expect(reader.read({ type: 'ping' })).toBeUndefined();
  expect(() => reader.read({ type: 'error', error })).toThrow(error);
  expect(events).toEqual([]);
});

it('emits nothing that output processors cannot check', async () => {
  const { events, outcome, read } = open({ isProcessed: true });
  const data = { type: 'data', data: 'AA==' } as const;
  await read(
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'reasoning-file', mediaType: 'image/png', data },
    { type: 'custom', kind: 'openai.compaction' },
    { type: 'raw', rawValue: 1 },
    { type: 'file', mediaType: 'image/png', data },
    { type: 'text-start', id: 't' },
    { type: 'text-end', id: 't' },
  );
  expect(events.map(({ type }) => type)).toEqual(['file', 'text-start', 'text-end']);
  expect(outcome().content.map(({ type }) => type)).toEqual(['reasoning', 'reasoning-file', 'custom', 'file']);
});

it('emits no chunks of the provider unless they are asked for', async () => {
  const { events, read } = open({ rawChunks: false });
  await read({ type: 'raw', rawValue: 1 });
  expect(events).toEqual([]);
});

it('waits while its consumer is behind', async () => {
  const room = Promise.withResolvers<void>();
  const { reader } = open({ emit: () => room.promise });
  for (const part of [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a' },
    { type: 'reasoning-delta', id: 'r', delta: 'a' },
    { type: 'text-end', id: 't' },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://a.b' },
    { type: 'tool-input-delta', id: 'c', delta: '' },
    { type: 'tool-input-end', id: 'c' },
  ] as const)
    expect(reader.read(part)).toBe(room.promise);
});

it('takes the title of a call from the provider where the agent has no such tool', async () => {
  const { events, read } = open({ flagsFor: () => ({}) });
  await read({ type: 'tool-input-start', id: 'c1', toolName: 'pay', title: 'Own' });
  await read({ type: 'tool-input-start', id: 'c2', toolName: 'pay' });
  await read({ type: 'tool-call', ...call, toolCallId: 'c1', input: '{"a":1}', providerExecuted: true });
  await read({ type: 'tool-call', ...call, toolCallId: 'c2', input: '{"b":2}', providerExecuted: true });
  await read({ type: 'tool-result', ...call, toolCallId: 'c1', result: 1 });
  await read({ type: 'tool-result', ...call, toolCallId: 'c2', result: 2 });
  await read({ type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' });
  const executed = { toolName: 'pay', providerExecuted: true };
  const first = { toolCallId: 'c1', input: { a: 1 }, ...executed };
  const second = { toolCallId: 'c2', input: { b: 2 }, ...executed };
  expect(events).toStrictEqual([
    { type: 'tool-input-start', id: 'c1', toolName: 'pay', title: 'Own' },
    { type: 'tool-input-start', id: 'c2', toolName: 'pay' },
    { type: 'tool-call', ...first },
    { type: 'tool-call', ...second },
    { type: 'tool-result', ...first, output: 1 },
    { type: 'tool-result', ...second, output: 2 },
    { type: 'tool-call', ...first, approvalId: 'a1' },
  ]);
});
