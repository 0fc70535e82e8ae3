import { createHmac } from 'node:crypto';

/** The key with which the own target signs tokens, and the claims that it expects in them. */
export const secret = 'what the tokens of the attacked server are signed with';
export const audience = 'https://api.example.com';
export const issuer = 'https://id.example.com/';
export const consoleKey = 'Console-Key-Of-The-Attacks';

/** In the year 2100, in seconds. */
const farAway = 4_102_444_800;

/** A token of the own target; `claims` and `alg` may make it invalid. */
export function signToken(
  claims: object,
  { alg = 'HS256', key = secret }: { alg?: string; key?: string } = {},
): string {
  const payload = { aud: audience, iss: issuer, exp: farAway, ...claims };
  const head = [{ alg, typ: 'JWT' }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }[alg];
  return `${head}.${hash === undefined ? '' : createHmac(hash, key).update(head).digest('base64url')}`;
}
