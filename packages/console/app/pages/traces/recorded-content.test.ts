import { expect, it } from 'vitest';
import { inputOf, messagesOf, parsed, spanPreview, questionIn } from './recorded-content.ts';
import type { Span } from './span-rows.ts';

const span = (attributes: Span['attributes']): Span => ({ attributes }) as Partial<Span> as Span;
const text = (role: string, content: unknown): { role: string; parts: { type: string; content: unknown }[] } => ({
  role,
  parts: [{ type: 'text', content }],
});

it('reads JSON, and keeps a text that was cut off', () => {
  expect(['{"a":1}', '"b"', '{"a', 5, undefined].map(parsed)).toEqual([{ a: 1 }, 'b', '{"a', 5, undefined]);
});

it('reads messages, also those that were cut off, and of anything else none', () => {
  expect(messagesOf(JSON.stringify([text('user', 'Hi')]))).toEqual([text('user', 'Hi')]);
  expect(messagesOf('[{"role":"us')).toEqual([text('cut off', '[{"role":"us')]);
  expect([undefined, null, '{}', 7].map(messagesOf)).toEqual([[], [], [], []]);
});

it('shows the arguments of a tool before the input of a workflow', () => {
  expect(inputOf(span({ 'gen_ai.tool.call.arguments': '{"a":1}', 'halyard.input': '2' }))).toEqual({ a: 1 });
  expect(inputOf(span({ 'halyard.input': '2' }))).toBe(2);
  expect(inputOf(span({}))).toBeUndefined();
});

it('finds the last question of the user', () => {
  expect(questionIn([])).toBeUndefined();
  expect(questionIn([text('user', 'One'), text('user', 'Two'), text('assistant', 'Three')])).toBe('Two');
  expect(questionIn([text('user', 'One'), { ...text('user', 'Likes tea'), name: 'notes' }])).toBe('One');
  expect(questionIn([text('user', '')])).toBeUndefined();
  expect(questionIn([text('user', { not: 'text' })])).toBeUndefined();
  expect(questionIn([{ role: 'user', parts: [{ type: 'blob' }, { type: 'text', content: 'What is this?' }] }])).toBe(
    'What is this?',
  );
});

it('previews the question, else the input, in at most 200 characters', () => {
  const input = { 'halyard.input': '{"sku":"lamp"}' };
  expect(spanPreview(span({ ...input, 'gen_ai.input.messages': JSON.stringify([text('user', 'Hi')]) }))).toBe('Hi');
  expect(spanPreview(span(input))).toBe('{"sku":"lamp"}');
  expect(spanPreview(span({ 'halyard.input': '"plain"' }))).toBe('plain');
  expect(spanPreview(span({}))).toBeUndefined();
  expect(spanPreview(span({ 'halyard.input': 'x'.repeat(500) }))).toHaveLength(200);
  expect(questionIn([text('user', 'x'.repeat(500))])).toHaveLength(200);
});
