import { createHmac, createPublicKey, createSecretKey, type JsonWebKey, verify } from 'node:crypto';
import { hostileTokens } from '@halyard/conformance';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { ecKeys, pemOf, rsaKeys, secret } from './testing/sample-keys.ts';

const audience = 'https://api.example.com';
const issuer = 'https://id.example.com';
const rsa = pemOf(rsaKeys.publicKey);
const claims = { audience: [audience] as [string], issuer: [issuer] as [string] };
const key = createSecretKey(Buffer.from(secret));

/**
 * A mistake of a verifier, the token that must reveal it, and the verifier, which throws or returns
 * false for a refused token.
 */
type Mistake = readonly [mistake: string, foundBy: string, accepts: (token: string) => unknown];

const mistakes: readonly Mistake[] = [
  ['reads tokens and verifies nothing', 'HS256, with its signature stripped', (token) => jwt.decode(token)],
  [
    'takes none for an algorithm',
    'not signed, with alg "none"',
    (token) =>
      ['none', key].some((one) =>
        accepted(() => jwt.verify(token, one === 'none' ? '' : one, { algorithms: ['HS256', 'none'] })),
      ),
  ],
  [
    'refuses none in one spelling only',
    'not signed, with alg "nOnE"',
    (token) => {
      const { alg } = headerOf(token);
      return alg !== 'none' && (String(alg).toLowerCase() === 'none' || jwt.verify(token, key));
    },
  ],
  [
    'leaves checks to the library alone, and overlooks crit',
    'crit names an extension',
    (token) => jwt.verify(token, key, claims),
  ],
  [
    'leaves checks to the library alone, and reads JSON in JSON',
    'the payload is JSON in JSON',
    (token) => jwt.verify(token, key, claims),
  ],
  [
    'leaves checks to the library alone, and logs in by a log-out',
    'is for a log-out',
    (token) => jwt.verify(token, key, claims),
  ],
  [
    'does not check when tokens end',
    'expired long ago',
    (token) => jwt.verify(token, key, { ...claims, ignoreExpiration: true }),
  ],
  [
    'does not check when tokens begin',
    'not valid yet',
    (token) => jwt.verify(token, key, { ...claims, ignoreNotBefore: true }),
  ],
  ['does not check audiences', 'aud is "another"', (token) => jwt.verify(token, key, { issuer: claims.issuer })],
  ['wants an audience only where there is one', 'no aud', (token) => jwt.verify(token, key, { issuer: claims.issuer })],
  [
    'compares only the start of audiences',
    `aud is "${audience}.attacker.example"`,
    (token) => jwt.verify(token, key, { ...claims, audience: /^https:\/\/api\.example\.com/ }),
  ],
  ['does not check issuers', 'iss is "another"', (token) => jwt.verify(token, key, { audience: claims.audience })],
  [
    'takes any algorithm for a public key',
    'HS256 with the public key as it is for a secret',
    (token) => signedBy(token, rsa),
  ],
  [
    'trusts a key that a token brings',
    'signed with RSA, whose key it brings as jwk',
    (token) =>
      verify(
        'sha256',
        signedPart(token),
        createPublicKey({ key: headerOf(token)['jwk'] as JsonWebKey, format: 'jwk' }),
        signatureOf(token),
      ),
  ],
  [
    'trusts a certificate that a token brings',
    'signed with RSA, whose certificate it brings',
    (token) =>
      verify(
        'sha256',
        signedPart(token),
        createPublicKey({
          key: Buffer.from(String((headerOf(token)['x5c'] as unknown[])[0]), 'base64'),
          format: 'der',
          type: 'spki',
        }),
        signatureOf(token),
      ),
  ],
  [
    'has an empty secret for unknown keys',
    'signed with an empty secret, with the kid "/dev/null"',
    (token) => signedBy(token, new Map([['known', secret]]).get(String(headerOf(token)['kid'])) ?? ''),
  ],
  [
    'finds keys among the properties of Object.prototype',
    'signed with an empty secret, with the kid "__proto__"',
    (token) =>
      signedBy(
        token,
        ({ known: secret } as Record<string, unknown>)[String(headerOf(token)['kid'])] === Object.prototype
          ? ''
          : secret,
      ),
  ],
  ['has a secret that is guessed', 'signed with the secret "secret"', (token) => signedBy(token, 'secret')],
  [
    'compares as much of a signature as there is',
    'HS256, with half of its signature',
    (token) => hmacOf(token, secret).startsWith(token.split('.')[2] ?? '?'),
  ],
  [
    'overlooks bits that are left over',
    'bits left over in the signature',
    (token) => Buffer.from(hmacOf(token, secret), 'base64url').equals(signatureOf(token)),
  ],
  [
    'overlooks what follows the third part',
    'a part too many',
    (token) => jwt.verify(token.split('.').slice(0, 3).join('.'), key),
  ],
];

const tokens = hostileTokens(secret, { audience, issuer, publicKey: rsa });

it.each(mistakes)('contains a token that reveals a verifier that %s', (_mistake, foundBy, accepts) => {
  const token = tokens.find(({ name }) => name === foundBy)?.token;
  expect(token).toBeDefined();
  expect(accepted(() => accepts(token ?? ''))).toBe(true);
});

it('contains no token that a plain verifier with another key accepts', () => {
  const accepting = tokens.filter(({ token }) => accepted(() => jwt.verify(token, ecKeys.publicKey)));
  expect(accepting.map(({ name }) => name)).toEqual([]);
});

function accepted(verifies: () => unknown): boolean {
  try {
    return Boolean(verifies());
  } catch {
    return false;
  }
}

function headerOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

function signedPart(token: string): Buffer {
  return Buffer.from(token.split('.').slice(0, 2).join('.'));
}

function signatureOf(token: string): Buffer {
  return Buffer.from(token.split('.')[2] ?? '', 'base64url');
}

function hmacOf(token: string, by: string): string {
  return createHmac('sha256', by).update(signedPart(token)).digest('base64url');
}

function signedBy(token: string, by: string): boolean {
  return hmacOf(token, by) === token.split('.')[2];
}
