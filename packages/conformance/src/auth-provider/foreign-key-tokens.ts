import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { NamedToken } from './auth-provider-harness.ts';
import { byKey, forge, hmac } from './forge.ts';
import type { HostileContext } from './hostile-tokens.ts';

/** Tokens signed with a key that is not the provider's. Many of them contain that key. */
export function foreignKeyTokens(context: HostileContext): readonly NamedToken[] {
  const { claims } = context;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const [ecJwk, rsaJwk] = [ec.publicKey.export({ format: 'jwk' }), rsa.publicKey.export({ format: 'jwk' })];
  const [es256, rs256] = [byKey(ec.privateKey, 'sha256'), byKey(rsa.privateKey, 'sha256')];
  const own = 'a secret of the attacker, who has picked it';
  const octets = { kty: 'oct', k: Buffer.from(own).toString('base64url') };
  const x5c = [rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')];
  const url = 'https://attacker.example/jwks.json';

  const withHmac: readonly (readonly [string, object])[] = [
    ['with another secret', {}],
    ['with a secret that it brings as jwk', { jwk: octets }],
    ['with a secret that it leads to by jku', { jku: url }],
    ['with a secret that it leads to by x5u', { x5u: url }],
    ['with a secret in an own member', { secret: own, key: own, k: octets.k }],
  ];
  const withRsa: readonly (readonly [string, object])[] = [
    ['with RSA', {}],
    ['with RSA, whose key it brings as jwk', { jwk: rsaJwk }],
    ['with RSA, whose key it brings as jwk and names', { jwk: { ...rsaJwk, kid: 'own' }, kid: 'own' }],
    ['with RSA, whose key it leads to by jku', { jku: url, kid: 'own' }],
    ['with RSA, whose key it leads to on this machine', { jku: 'http://127.0.0.1/jwks.json', kid: 'own' }],
    ['with RSA, whose key it leads to by x5u', { x5u: url }],
    ['with RSA, whose certificate it brings', { x5c }],
    ['with RSA, whose certificate it brings and names', { x5c, x5t: 'AAAA', 'x5t#S256': 'AAAA' }],
  ];
  return [
    ...withHmac.map(([name, more]) => ({
      name: `signed ${name}`,
      token: forge({ alg: 'HS256', typ: 'JWT', ...more }, claims, hmac(own)),
    })),
    ...withRsa.map(([name, more]) => ({
      name: `signed ${name}`,
      token: forge({ alg: 'RS256', typ: 'JWT', ...more }, claims, rs256),
    })),
    { name: 'signed with EC', token: forge({ alg: 'ES256', typ: 'JWT' }, claims, es256) },
    { name: 'signed with EC, containing its key', token: forge({ alg: 'ES256', jwk: ecJwk }, claims, es256) },
    { name: 'signed with EC in DER', token: forge({ alg: 'ES256' }, claims, byKey(ec.privateKey, 'sha256', 'der')) },
    {
      name: 'signed with EC, with zeros for both numbers',
      token: forge({ alg: 'ES256' }, claims, () => 'A'.repeat(86)),
    },
    { name: 'signed with RSA, declared as HS256', token: forge({ alg: 'HS256' }, claims, rs256) },
    { name: 'signed with EC, declared as RS256', token: forge({ alg: 'RS256' }, claims, es256) },
    { name: 'signed with RSA, declared as ES256', token: forge({ alg: 'ES256' }, claims, rs256) },
    { name: 'signed with RSA, declared as PS256', token: forge({ alg: 'PS256' }, claims, rs256) },
    ...guessedSecrets.map((secret) => ({
      name: `signed with the secret ${JSON.stringify(secret)}`,
      token: forge({ alg: 'HS256', typ: 'JWT' }, claims, hmac(secret)),
    })),
    ...guessedKids.map((kid) => ({
      name: `signed with an empty secret, with the kid ${JSON.stringify(kid).slice(0, 50)}`,
      token: forge({ alg: 'HS256', typ: 'JWT', kid }, claims, hmac('')),
    })),
    ...swappedTokens(context),
  ];
}

const guessedSecrets = ['', 'secret', 'null', 'undefined', '\u0000', '[object Object]'];

/** Names of files, of columns, and of fields of Object.prototype. */
const guessedKids: readonly unknown[] = [
  ['/dev/null', '../../../../dev/null', 'file:///dev/null', 'https://attacker.example/key', '', '0', '*'],
  ["x' UNION SELECT '' -- ", "' OR 1=1 --", '| echo', '$(echo)', '\u0000', '__proto__', 'constructor', 'toString'],
  [null, 0, true, [], ['a'], {}, { toString: 'a' }, 'k'.repeat(4_096)] as unknown[],
].flat();

/**
 * A public key as the secret of an HMAC: accepted by providers that allow any algorithm with any
 * key.
 */
function swappedTokens({ claims, publicKey }: HostileContext): readonly NamedToken[] {
  if (publicKey === undefined) return [];
  const key = createPublicKey(publicKey);
  const forms: readonly (readonly [string, string | Uint8Array])[] = [
    ['as it is', publicKey],
    ['trimmed', publicKey.trim()],
    ['with an end of line', `${publicKey.trim()}\n`],
    ['with ends of lines of Windows', publicKey.replaceAll(/\r?\n/g, '\r\n')],
    ['without its frame', publicKey.replaceAll(/-----[^-]+-----|\s/g, '')],
    ['in DER', key.export({ format: 'der', type: 'spki' })],
    ['as JWK', JSON.stringify(key.export({ format: 'jwk' }))],
    ...(key.asymmetricKeyType === 'rsa'
      ? ([['in PKCS #1', key.export({ format: 'pem', type: 'pkcs1' })]] as const)
      : []),
  ];
  return forms.flatMap(([form, secret]) =>
    (['HS256', 'HS384', 'HS512'] as const).map((alg) => ({
      name: `${alg} with the public key ${form} for a secret`,
      token: forge({ alg, typ: 'JWT' }, claims, hmac(secret, `sha${alg.slice(2)}`)),
    })),
  );
}
