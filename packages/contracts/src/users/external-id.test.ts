import { expect, it } from 'vitest';
import { isExternalId } from './external-id.ts';

const longest = '𝒳'.repeat(256);

it.each([
  'ada',
  'auth0|507f1f77bcf86cd799439011',
  'ada+tag@example.org',
  'org/7',
  'a%2Fb',
  '用户',
  '...',
  ' ',
  '../ada',
  'a?b#c',
  longest,
])('accepts %j', (id) => {
  expect(isExternalId(id)).toBe(true);
});

it.each(['', '.', '..', 'a\0', 'a\n', '\t', 'a\u007f', '\u0085a', '\ud800', 'a\udc00', `${longest}a`, 'x'.repeat(257)])(
  'refuses %j',
  (id) => {
    expect(isExternalId(id)).toBe(false);
  },
);
