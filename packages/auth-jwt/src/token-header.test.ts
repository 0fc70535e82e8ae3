import { expect, it } from 'vitest';
import { readHeader } from './token-header.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const head = encoded('{"alg":"HS256"} ');
const payload = encoded('{"sub":"ada"}');
const token = `${head}.${payload}.QQ`;
const tokenWith = (header: unknown): string => `${encoded(JSON.stringify(header))}.${payload}.QQ`;

it('reads the algorithm and the id of the key', () => {
  expect(readHeader(token)).toEqual({ alg: 'HS256', kid: undefined });
  const header = { alg: 'ES512', kid: 'first', typ: 'JWT', more: 1 };
  expect(readHeader(tokenWith(header))).toEqual({ alg: 'ES512', kid: 'first' });
});

it.each<[string, unknown, string]>([
  ['an unknown algorithm', tokenWith({ alg: 'none' }), 'algorithm'],
  ['a list of algorithms', tokenWith({ alg: ['HS256'] }), 'algorithm'],
  ['a number as the id of the key', tokenWith({ alg: 'HS256', kid: 1 }), 'header'],
  ['a type of another purpose', tokenWith({ alg: 'HS256', typ: 'logout+jwt' }), 'header'],
  ['a key of its own', tokenWith({ alg: 'HS256', jwk: {} }), 'header'],
  ['null as header', tokenWith(null), 'algorithm'],
  ['a list as header', tokenWith([{ alg: 'HS256' }]), 'algorithm'],
  ['a text as header', tokenWith('HS256'), 'malformed'],
  ['a header that is cut off', `${encoded('{"alg":"HS256"')}.${payload}.QQ`, 'malformed'],
  ['a part more at the start', `${head}.${token}`, 'malformed'],
  ['a part more at the end', `${token}.${payload}`, 'malformed'],
  // Decoders ignore the last bits of these parts.
  ['another encoding of the same header', token.replace('IA.', 'IB.'), 'malformed'],
  ['another encoding of the same payload', token.replace('fQ.', 'fR.'), 'malformed'],
  ['another encoding of the same signature', token.replace('.QQ', '.QR'), 'malformed'],
  ['a token in a list', [token], 'malformed'],
])('refuses %s', (_what, refused, reason) => {
  expect(refused).not.toBe(token);
  expect(readHeader(refused)).toBe(reason);
});

it('reads tokens of at most 16 384 characters', () => {
  const longest = `${head}.${payload}.`.padEnd(16_384, 'A');
  expect(readHeader(longest)).toMatchObject({ alg: 'HS256' });
  expect(readHeader(`${longest}AA`)).toBe('malformed');
});
