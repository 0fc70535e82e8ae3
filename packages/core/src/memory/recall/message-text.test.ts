import type { MessagePart } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { embeddableText, messageText } from './message-text.ts';

it.each([
  [' tea \n', 'tea'],
  ['', ''],
  ['te\ud83da', 'te\ufffda'],
  ['x'.repeat(6_000), 'x'.repeat(6_000)],
  ['x'.repeat(6_001), 'x'.repeat(6_000)],
  [`${'x'.repeat(5_998)}😀`, `${'x'.repeat(5_998)}😀`],
  [`${'x'.repeat(5_998)}😀y`, `${'x'.repeat(5_998)}😀`],
  [`${'x'.repeat(5_999)}😀`, 'x'.repeat(5_999)],
])('embeds the beginning of a text (row %#)', (text, embedded) => {
  expect(embeddableText(text)).toBe(embedded);
});

it('is the text of a message alone, each part on a line', () => {
  const parts = [
    { type: 'step-start' },
    { type: 'text', text: 'Tea' },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'and maths ' },
    { type: 'text' },
  ] as MessagePart[];
  expect(messageText({ parts })).toBe('Tea\nand maths');
  expect(messageText({ parts: [] })).toBe('');
});
