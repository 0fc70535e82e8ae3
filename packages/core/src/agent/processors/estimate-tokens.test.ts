import type { Message } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../model/providers/model-port.ts';
import { estimateStoredTokens, estimateTokens, textTokens } from './estimate-tokens.ts';
import { splitIntoExchanges } from './exchanges.ts';

it.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['äöü', 2],
  ['日本語', 3],
])('counts the text %j as %i tokens', (text, tokens) => {
  expect(textTokens(text)).toBe(tokens);
});

describe('a message of a prompt', () => {
  const tokensOf = (part: object): number =>
    estimateTokens({ role: 'assistant', content: [part] } as unknown as PromptMessage) - 4;

  it('has four tokens more than its content', () => {
    expect(estimateTokens({ role: 'system', content: 'abcd' })).toBe(5);
    expect(estimateTokens({ role: 'assistant', content: [] })).toBe(4);
  });

  it.each<[string, object, number]>([
    ['a text', { type: 'text', text: 'abcdefgh' }, 2],
    ['reasoning', { type: 'reasoning', text: 'abcdefgh' }, 2],
    ['a call', { type: 'tool-call', toolName: 'look', input: { a: 1 } }, 1 + 2],
    ['a call without input', { type: 'tool-call', toolName: 'look', input: undefined }, 1],
    ['a result', { type: 'tool-result', toolName: 'look', output: { type: 'text', value: 'x' } }, 1 + 7],
    [
      'content of a tool',
      {
        type: 'tool-result',
        toolName: 'look',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'abcd' },
            { type: 'file-data', data: 'AQID' },
          ],
        },
      },
      1 + 1 + 1000,
    ],
    ['a file', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } }, 1000],
    ['a text file', { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'abcd' } }, 1],
    ['a file of reasoning', { type: 'reasoning-file', mediaType: 'a/b', data: { type: 'data', data: '' } }, 1000],
    ['anything else', { type: 'custom', kind: 'p.thing' }, 4],
  ])('with %s', (_, part, tokens) => {
    expect(tokensOf(part)).toBe(tokens);
  });
});

it.each<[object, number]>([
  [{ type: 'text', text: 'abcdefgh' }, 2],
  [{ type: 'reasoning', text: 'abcd' }, 1],
  [{ type: 'tool-look', toolCallId: 'c', state: 'input-available', input: {} }, 4 + 19],
  [{ type: 'file', mediaType: 'a/b', url: 'data:,' }, 1000],
  [{ type: 'reasoning-file', mediaType: 'a/b', url: 'data:,' }, 1000],
  [{ type: 'step-start' }, 4],
])('counts the stored part %j', (part, tokens) => {
  const message = { id: 'm', role: 'assistant', parts: [part] } as unknown as Message;
  expect(estimateStoredTokens(message)).toBe(4 + tokens);
});

it('separates exchanges by the messages of the user', () => {
  const messages = ['assistant', 'user', 'assistant', 'assistant', 'user', 'user'].map(
    (role, index) => ({ id: String(index), role, parts: [], createdAt: index }) as never,
  );
  const ids = splitIntoExchanges(messages).map((exchange) => exchange.map(({ id }) => id).join(''));
  expect(ids).toEqual(['0', '123', '4', '5']);
  expect(splitIntoExchanges([])).toEqual([]);
});
