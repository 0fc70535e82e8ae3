import type { DynamicToolUIPart, UIMessage } from 'ai';
import { expect, it } from 'vitest';
import { sourcesOf, textOf, toToolCall } from './message-parts.ts';

const part = (fields: object): DynamicToolUIPart =>
  ({ type: 'dynamic-tool', toolName: 'pay', toolCallId: 'c', input: 1, ...fields }) as DynamicToolUIPart;
const call = { id: 'c', name: 'pay', input: 1 };

it('joins the texts of a message', () => {
  const parts: UIMessage['parts'] = [{ type: 'text', text: 'a' }, { type: 'step-start' }, { type: 'text', text: 'b' }];
  expect(textOf({ id: 'm', role: 'assistant', parts })).toBe('ab');
  expect(textOf({ id: 'm', role: 'assistant', parts: [] })).toBe('');
});

it('lists each source once, in the order in which they are named', () => {
  const url = (sourceId: string, address: string, title?: string) =>
    ({ type: 'source-url', sourceId, url: address, ...(title !== undefined && { title }) }) as const;
  const parts: UIMessage['parts'] = [
    url('1', 'https://a.example', 'A'),
    { type: 'source-document', sourceId: '2', mediaType: 'application/pdf', title: 'Manual' },
    url('3', 'https://a.example'),
    {
      type: 'text',
      text: 'So it says.',
      citations: [
        {
          source: { type: 'source', sourceType: 'url', id: '4', url: 'https://b.example', title: 'B' },
          citedText: 'It is so.',
        },
        { source: { type: 'source', sourceType: 'url', id: '5', url: 'https://a.example' }, citedText: 'Yes.' },
      ],
    },
  ];
  expect(sourcesOf({ id: 'm', role: 'assistant', parts })).toEqual([
    { id: 'https://a.example', title: 'A', url: 'https://a.example', mediaType: undefined, quote: 'Yes.' },
    { id: '2', title: 'Manual', url: undefined, mediaType: 'application/pdf', quote: undefined },
    { id: 'https://b.example', title: 'B', url: 'https://b.example', mediaType: undefined, quote: 'It is so.' },
  ]);
});

it.each<readonly [object, object]>([
  [
    { state: 'output-available', output: 0 },
    { state: 'completed', word: 'done', output: 0 },
  ],
  [
    { state: 'output-error', errorText: 'x' },
    { state: 'error', word: 'failed', error: 'x' },
  ],
  [
    { state: 'output-denied', approval: { reason: 'no' } },
    { state: 'cancelled', word: 'denied', reason: 'no' },
  ],
  [
    { state: 'approval-requested', approval: { id: 'a' } },
    { state: 'waiting', word: 'needs approval', approvalId: 'a', allowsAlways: false },
  ],
  [
    { state: 'approval-responded', approval: { approved: false, reason: 'no' } },
    { state: 'cancelled', word: 'denied', reason: 'no' },
  ],
])('shows %j the same while the answer is generated and later', (fields, shown) => {
  for (const isLive of [true, false]) expect(toToolCall(part(fields), isLive)).toEqual({ ...call, ...shown });
});

it.each<object>([
  { state: 'input-streaming' },
  { state: 'input-available' },
  { state: 'approval-responded', approval: { approved: true } },
])('shows %j as running while the answer is generated, then as stopped', (fields) => {
  expect(toToolCall(part(fields), true)).toEqual({ ...call, state: 'running', word: 'running' });
  expect(toToolCall(part(fields), false)).toEqual({ ...call, state: 'cancelled', word: 'stopped' });
});

it('takes the name of a tool from the type of its part', () => {
  const typed = { type: 'tool-clock', toolCallId: 'c', state: 'input-available', input: {} } as const;
  expect(toToolCall(typed, true)).toMatchObject({ name: 'clock' });
});
