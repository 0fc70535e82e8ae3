import { expect, it } from 'vitest';
import { cutText } from './cut-text.ts';

it.each([
  ['a short text', 'abc', 5, 'abc'],
  ['a text of exactly the length', 'abcde', 5, 'abcde'],
  ['a longer text', 'abcdefgh', 5, 'abcde'],
  ['a text with other scripts', 'äöü€漢字', 5, 'äöü€漢'],
  ['half of a surrogate pair', 'abcd😀', 5, 'abcd\ud83d'],
  ['a negative length', 'abc', -1, ''],
])('cuts %s', (_, text, maxLength, cut) => {
  expect(cutText(text, maxLength)).toBe(cut);
});
