import { describe, expect, it } from 'vitest';
import { type RecordedCall, recordedCall } from './recorded-call.ts';

type Span = Parameters<typeof recordedCall>[0];
type Attributes = Span['attributes'];

const callOf = (attributes: Attributes, status: Span['status'] = { code: 1 }): RecordedCall =>
  recordedCall({ spanId: 's', status, attributes } as Partial<Span> as Span);
const sent = (...messages: readonly object[]): Attributes => ({ 'gen_ai.input.messages': JSON.stringify(messages) });
const text = (content: string): object => ({ type: 'text', content });

it('has the messages of the user and of the model, and not the instructions', () => {
  const { loss, messages } = callOf(
    sent(
      { role: 'system', parts: [text('Be kind')] },
      { role: 'user', parts: [text('Hi')] },
      { role: 'assistant', parts: [text('Hello')] },
    ),
  );
  expect(messages).toEqual([
    { id: 's-0', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { id: 's-1', role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
  ]);
  expect(loss).toBeUndefined();
});

it('joins calls of tools with their results, and the steps of an answer', () => {
  const call = (id: string): object => ({ type: 'tool_call', id, name: 'clock', arguments: { zone: id } });
  const result = (id: string, response: unknown): object => ({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id, response }],
  });
  const { messages } = callOf(
    sent(
      { role: 'user', parts: [text('Time?')] },
      {
        role: 'assistant',
        parts: [{ type: 'reasoning', content: 'Hm' }, call('a'), call('b'), call('c'), call('open')],
      },
      result('a', { type: 'json', value: { hour: 3 } }),
      result('b', { type: 'error-text', value: 'broken' }),
      result('c', 'plain'),
      { role: 'assistant', parts: [text('Three')] },
    ),
  );
  const tool = (id: string): object => ({
    type: 'dynamic-tool',
    toolCallId: id,
    toolName: 'clock',
    input: { zone: id },
  });
  expect(messages).toHaveLength(2);
  expect(messages[1]?.parts).toEqual([
    { type: 'reasoning', text: 'Hm', state: 'done' },
    { ...tool('a'), state: 'output-available', output: { hour: 3 } },
    { ...tool('b'), state: 'output-error', errorText: 'broken' },
    { ...tool('c'), state: 'output-available', output: 'plain' },
    { type: 'step-start' },
    { type: 'text', text: 'Three' },
  ]);
});

it('shows an error that is not a text as JSON', () => {
  const { messages } = callOf(
    sent(
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'x' }] },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'a', response: { type: 'error-json', value: { code: 7 } } }],
      },
    ),
  );
  expect(messages[0]?.parts[0]).toMatchObject({ state: 'output-error', errorText: '{"code":7}' });
});

it('has files by their address', () => {
  const { messages } = callOf(
    sent({
      role: 'user',
      parts: [{ type: 'uri', uri: 'https://example.com/a.png', mime_type: 'image/png' }, { type: 'uri' }],
    }),
  );
  expect(messages[0]?.parts).toEqual([
    { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
    { type: 'file', mediaType: 'application/octet-stream', url: '' },
  ]);
});

it('has the settings that were recorded, also 0', () => {
  expect(callOf({}).settings).toEqual({});
  expect(
    callOf({
      'gen_ai.request.temperature': 0,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.top_p': 0.5,
      'gen_ai.request.frequency_penalty': 1,
      'gen_ai.request.presence_penalty': 2,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.model': 'm',
    }).settings,
  ).toEqual({
    temperature: 0,
    maxOutputTokens: 100,
    topP: 0.5,
    frequencyPenalty: 1,
    presencePenalty: 2,
    seed: 7,
    stopSequences: ['END'],
  });
});

it('has the instructions, and the error of a call that failed', () => {
  expect(callOf({ 'gen_ai.system_instructions': JSON.stringify([text('One'), text('Two')]) }).instructions).toBe(
    'One\n\nTwo',
  );
  expect(callOf({ 'gen_ai.system_instructions': '[{"cut' }).instructions).toBeUndefined();
  expect(callOf({}, { code: 2, message: 'No quota' }).error).toBe('No quota');
  expect(callOf({}, { code: 2 }).error).toBe('failed');
  expect(callOf({}, { code: 1, message: 'fine' }).error).toBeUndefined();
});

describe('names lost parts', () => {
  it.each<readonly [string, Attributes, RegExp]>([
    ['no messages', {}, /records no contents/],
    ['messages that were cut off', { 'gen_ai.input.messages': '[{"role":' }, /too long/],
    ['a part that was cut off', sent({ role: 'user', parts: ['…'] }), /too long/],
    ['a file', sent({ role: 'user', parts: [{ type: 'blob' }] }), /files/],
    ['a file by its id', sent({ role: 'user', parts: [{ type: 'file' }] }), /files/],
  ])('of %s', (_case, attributes, loss) => {
    expect(callOf(attributes).loss).toMatch(loss);
  });
});
