import type { NamedToken } from './auth-provider-harness.ts';
import { forge, hmac, unsigned } from './forge.ts';
import type { HostileContext } from './hostile-tokens.ts';

/** Tokens that claim to need no signature, or name an unknown algorithm. */
export function unsignedTokens({ claims, secret }: HostileContext): readonly NamedToken[] {
  return [
    ...noneInEverySpelling().map((alg) => ({
      name: `not signed, with alg ${JSON.stringify(alg)}`,
      token: forge({ alg, typ: 'JWT' }, claims, unsigned),
    })),
    ...notAlgorithms.map((alg) => ({
      name: `not signed, with alg ${JSON.stringify(alg)}`,
      token: forge({ alg, typ: 'JWT' }, claims, unsigned),
    })),
    ...['none', 'None', 'hs256', 'HS-256', 'HS256 ', '', 'HS1', 'HS2560', null, ['HS256'], { alg: 'HS256' }].map(
      (alg) => ({
        name: `signed with the secret, with alg ${JSON.stringify(alg)}`,
        token: forge({ alg, typ: 'JWT' }, claims, hmac(secret)),
      }),
    ),
    { name: 'signed with the secret, without alg', token: forge({ typ: 'JWT' }, claims, hmac(secret)) },
    { name: 'alg none, with a signature of a blank', token: forge({ alg: 'none' }, claims, () => ' ') },
    { name: 'alg none, without the last dot', token: forge({ alg: 'none' }, claims, unsigned).slice(0, -1) },
    { name: 'HS256, with its signature stripped', token: forge(header, claims, unsigned) },
    { name: 'HS256, without its last part', token: forge(header, claims, unsigned).slice(0, -1) },
    { name: 'HS256, with a signature of zeros', token: forge(header, claims, () => 'A'.repeat(43)) },
    {
      name: 'HS256, with half of its signature',
      token: forge(header, claims, (signed) => hmac(secret)(signed).slice(0, 22)),
    },
    { name: 'HS256, with one letter for a signature', token: forge(header, claims, () => 'A') },
    { name: 'HS256, with the signature of another token', token: forge(header, claims, () => hmac(secret)('e30.e30')) },
    {
      name: 'HS256, with a signature in hex',
      token: forge(header, claims, (signed) => Buffer.from(hmac(secret)(signed), 'base64url').toString('hex')),
    },
    { name: 'HS256, signed with SHA-512', token: forge(header, claims, hmac(secret, 'sha512')) },
    { name: 'HS384, signed with SHA-256', token: forge({ alg: 'HS384', typ: 'JWT' }, claims, hmac(secret)) },
  ];
}

const header = { alg: 'HS256', typ: 'JWT' };

const notAlgorithms = [
  ' none',
  'none ',
  'none\u0000',
  'nonе',
  '',
  'null',
  'undefined',
  null,
  false,
  true,
  0,
  1,
  {},
  [],
  ['none'],
  { none: true },
];

/** `none`, `nonE`, `noNe` and so on: sixteen. */
function noneInEverySpelling(): readonly string[] {
  return Array.from({ length: 16 }, (_, bits) =>
    [...'none'].map((letter, place) => ((bits >> place) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
}
