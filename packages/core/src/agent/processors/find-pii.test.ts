import { expect, it } from 'vitest';
import { endOfSettledText, findPii, piiTypes } from './find-pii.ts';

const found = (text: string): readonly string[] =>
  findPii(text, piiTypes).map(({ end, start, type }) => `${type} ${text.slice(start, end)}`);

it.each([
  // The shortest and the longest numbers, and digits whose double has two digits, or is 9.
  ['4222222222222', ['card 4222222222222']],
  ['6205500000000000004', ['card 6205500000000000004']],
  ['6205 5000 0000 0000 004', ['card 6205 5000 0000 0000 004']],
  ['4999999999999004', ['card 4999999999999004']],
  ['NO9386011117947', ['iban NO9386011117947']],
  ['LC14 BOSL 1234 5678 9012 3456 7890 1234', ['iban LC14 BOSL 1234 5678 9012 3456 7890 1234']],
  ['(555)123-4567', ['phone (555)123-4567']],
  ['015123456789', ['phone 015123456789']],
  ['0151/23456789', ['phone 0151/23456789']],
])('finds %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
  expect(found(`Of ${text}, today`)).toEqual(expected);
});

it.each([
  // Numbers with the right check digits: no card begins with 1, or has 11 or 20 digits.
  '122000000000003',
  '79927398713',
  '66666666666666666666',
  // Inside a longer word or number.
  'xNO9386011117947',
  '1NO9386011117947',
  'x0151/23456789',
  '0151/23456789x',
])('finds nothing in %s', (text) => {
  expect(found(text)).toEqual([]);
});

it('finds each range once, as the first of the types, in the order of the text', () => {
  const text = 'a@b.co 4111 1111 1111 1111 a@c.co';
  expect(findPii(text, ['email', 'card'])).toEqual([
    { type: 'email', start: 0, end: 6 },
    { type: 'card', start: 7, end: 26 },
    { type: 'email', start: 27, end: 33 },
  ]);
  expect(findPii(text, ['card'])).toHaveLength(1);
});

it('settles a text up to the beginning of a match that more text may change', () => {
  const settled = (text: string): string => text.slice(0, endOfSettledText(text, piiTypes));
  expect(settled('Hello there, ')).toBe('Hello there, ');
  expect(settled('Write to a@b')).toBe('Write to ');
  expect(settled('Call +49 151')).toBe('Call ');
  expect(settled('Call (')).toBe('Call ');
  expect(settled('Pay DE89 3704')).toBe('Pay ');
  expect(settled(`${'x '.repeat(300)}a@b`)).toBe('x '.repeat(300));
});
