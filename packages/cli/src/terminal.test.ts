import { expect, it } from 'vitest';
import { plain, plainJson } from './terminal.ts';

it('keeps the lines of a text, and nothing that commands the terminal', () => {
  expect(plain('a\u001B[31mb\u001B[0m\r\n\tc\u0007\u009B2Jd\u007F')).toBe('ab\n\tcd');
});

it('escapes characters that JSON need not escape and a terminal obeys, without changing the value', () => {
  const record = { text: 'a\u009B2Jb\u007F\u0085' };
  const shown = plainJson(JSON.stringify(record), { isTTY: true });
  expect(shown).toBe(String.raw`{"text":"a\u009b2Jb\u007f\u0085"}`);
  expect(JSON.parse(shown)).toEqual(record);
  expect(plainJson(JSON.stringify(record), { isTTY: false })).toBe(JSON.stringify(record));
});
