import type { StoredMessage } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { summaryMessage } from '../../conversation/summary.ts';
import { conversationRecord } from './conversation-record.ts';
import { textTokens } from './estimate-tokens.ts';
import type { Exchange } from './exchanges.ts';

function message(role: 'user' | 'assistant', ...parts: readonly object[]): StoredMessage {
  return { id: role, role, parts, createdAt: 0 } as unknown as StoredMessage;
}

const text = (value: string) => ({ type: 'text', text: value });
const asked = (question: string, ...answer: readonly object[]): Exchange => [
  message('user', text(question)),
  message('assistant', ...answer),
];

const linesIn = (record: string): readonly unknown[] =>
  record === '' ? [] : record.split('\n').map((line) => JSON.parse(line) as unknown);

describe('the record of a conversation', () => {
  it('has a line for each text, file and call', () => {
    const { exchanges, text: record } = conversationRecord(
      undefined,
      [
        asked(
          'Hi',
          { type: 'step-start' },
          text(''),
          text('Let me see.'),
          { type: 'reasoning', text: 'Hm.' },
          { type: 'file', mediaType: 'image/png', url: 'data:,' },
          { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'data:,' },
          { type: 'tool-look', toolCallId: '1', state: 'output-available', input: { at: 1 }, output: 'seen' },
          { type: 'tool-look', toolCallId: '2', state: 'output-error', input: 'x', errorText: 'dark' },
          { type: 'dynamic-tool', toolName: 'zoom', toolCallId: '3', state: 'input-available', input: undefined },
        ),
      ],
      1000,
    );
    expect(exchanges).toBe(1);
    expect(linesIn(record)).toEqual([
      { from: 'user', text: 'Hi' },
      { from: 'assistant', text: 'Let me see.' },
      { from: 'assistant', file: 'image/png' },
      { from: 'assistant', file: 'a.png' },
      { from: 'tool', name: 'look', input: '{"at":1}', result: 'seen' },
      { from: 'tool', name: 'look', input: 'x', error: 'dark' },
      { from: 'tool', name: 'zoom', input: '' },
    ]);
  });

  it('begins with the summary so far, which takes room', () => {
    const summary = summaryMessage('s', 'It was about tea.', [message('user')]);
    const { text: record } = conversationRecord(summary, [asked('Hi')], 1000);
    expect(linesIn(record)).toEqual([
      { from: 'summary so far', text: 'It was about tea.' },
      { from: 'user', text: 'Hi' },
    ]);
    const two = [asked('x'.repeat(100)), asked('y'.repeat(100))];
    expect(conversationRecord(undefined, two, 45).exchanges).toBe(2);
    expect(conversationRecord(summary, two, 45).exchanges).toBe(1);
  });

  it('has as many whole exchanges as fit, and the first in any case', () => {
    const line = textTokens(JSON.stringify({ from: 'user', text: 'question' }));
    const all = [asked('question'), asked('question'), asked('question')];
    expect(conversationRecord(undefined, all, 3 * line).exchanges).toBe(3);
    expect(conversationRecord(undefined, all, 3 * line - 1).exchanges).toBe(2);
    expect(conversationRecord(undefined, all, 1).exchanges).toBe(1);
    expect(conversationRecord(undefined, [], 1)).toEqual({ text: '', exchanges: 0 });
  });

  it('has the beginning of long texts, half as much of the first exchange until it fits', () => {
    const long = asked('q'.repeat(1000));
    const textOf = (maxTokens: number): string =>
      (linesIn(conversationRecord(undefined, [long], maxTokens).text)[0] as { text: string }).text;
    expect(textOf(2000)).toBe('q'.repeat(1000));
    expect(textOf(400)).toBe(`${'q'.repeat(200)} […]`);
    expect(textOf(50)).toBe(`${'q'.repeat(40)} […]`);
    const later = conversationRecord(undefined, [asked('Hi'), long], 400);
    expect(linesIn(later.text)).toEqual([
      { from: 'user', text: 'Hi' },
      { from: 'user', text: `${'q'.repeat(200)} […]` },
    ]);
  });

  it('has the question and the end of an answer of very many calls', () => {
    const calls = Array.from({ length: 50 }, (_, index) => ({
      type: 'tool-look',
      toolCallId: String(index),
      state: 'input-available',
      input: String(index),
    }));
    const maxTokens = 60;
    const { exchanges, text: record } = conversationRecord(undefined, [asked('Look!', ...calls)], maxTokens);
    const [question, ...rest] = linesIn(record) as { text?: string; input?: string }[];
    expect(exchanges).toBe(1);
    expect(question).toEqual({ from: 'user', text: 'Look!' });
    expect(rest.map(({ input }) => Number(input))).toEqual(
      Array.from({ length: rest.length }, (_, index) => 50 - rest.length + index),
    );
    const tokens = record.split('\n').reduce((sum, line) => sum + textTokens(line), 0);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    expect(tokens).toBeGreaterThan(maxTokens - 15);
  });
});
