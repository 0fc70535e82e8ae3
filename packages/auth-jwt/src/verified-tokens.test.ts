import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it, onTestFinished, vi } from 'vitest';
import { jwtAuth, type JwtAuthOptions } from './index.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const secret = 'a secret of more than thirty-two bytes';
const key = createSecretKey(Buffer.from(secret));
const startsAt = 1_800_000_000;

/** A provider whose clock reads `now` seconds. */
function providerAt(options: JwtAuthOptions = {}) {
  const time = { now: startsAt };
  const provider = jwtAuth({ secret, clock: { now: () => time.now * 1_000 }, ...options });
  return { time, verify: (token: string) => provider.verifyToken(token, request) };
}

const request = { method: 'GET', path: '/', headers: {}, address: '127.0.0.1' };
const tokenOf = (claims: object): string => jwt.sign({ sub: 'ada', iat: startsAt, ...claims }, key);

it.each([
  ['expires', { exp: startsAt + 10 }, {}, 10],
  ['expires, with clocks that differ', { exp: startsAt + 10 }, { verifyOptions: { clockTolerance: 5 } }, 15],
  ['gets too old', { exp: startsAt + 1_000 }, { verifyOptions: { maxAge: 20 } }, 20],
] as const)('accepts a cached token until it %s, and not a second longer', (_, claims, options, seconds) => {
  const { time, verify } = providerAt(options);
  const token = tokenOf(claims);
  for (const second of [0, 1, seconds - 1]) {
    time.now = startsAt + second;
    expect(verify(token)).toMatchObject({ sub: 'ada' });
  }
  time.now = startsAt + seconds;
  expect(verify(token)).toBeNull();
});

it('refuses a cached token when the clock is set back to before the token is valid', () => {
  const { time, verify } = providerAt();
  const token = tokenOf({ nbf: startsAt - 5 });
  expect(verify(token)).toMatchObject({ sub: 'ada' });
  time.now = startsAt - 10;
  expect(verify(token)).toBeNull();
});

it('returns a fresh copy of the claims each time', () => {
  const { verify } = providerAt();
  const token = tokenOf({ roles: { admin: false } });
  const first = verify(token) as { sub: string; roles: { admin: boolean } };
  first.sub = 'eve';
  first.roles.admin = true;
  const second = verify(token) as { sub: string; roles: { admin: boolean } };
  second.roles.admin = true;
  expect(verify(token)).toMatchObject({ sub: 'ada', roles: { admin: false } });
});

it('does not confuse a similar token with a cached one', () => {
  const { verify } = providerAt();
  const token = tokenOf({});
  expect(verify(token)).not.toBeNull();
  const [header, , signature] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ sub: 'eve', iat: startsAt })).toString('base64url');
  expect(verify(`${header}.${forged}.${signature}`)).toBeNull();
  expect(verify(`${token}x`)).toBeNull();
  expect(verify(token.slice(0, -1))).toBeNull();
});

it('calls mapUser each time, because the user may change', () => {
  let isActive = true;
  const { verify } = providerAt({ mapUser: ({ sub }) => (isActive && sub !== undefined ? { id: sub } : null) });
  const token = tokenOf({});
  expect(verify(token)).toEqual({ id: 'ada' });
  isActive = false;
  expect(verify(token)).toBeNull();
});

it('verifies a signature again after a minute, or when its key is no longer accepted', () => {
  const tokens = new VerifiedTokens();
  const other = createSecretKey(Buffer.from('another secret of more than thirty-two bytes'));
  tokens.add('token', key, { sub: 'ada' }, 0, 3_600_000);
  expect(tokens.find('token', [other, key], 59_999)).toEqual({ sub: 'ada' });
  expect(tokens.find('token', [key], 60_000)).toBeUndefined();
  expect(tokens.size).toBe(0);

  tokens.add('token', key, { sub: 'ada' }, 0, 3_600_000);
  expect(tokens.find('token', [other], 1)).toBeUndefined();
});

it('stores at most a thousand tokens and no very long one, and finds no expired one', () => {
  const tokens = new VerifiedTokens();
  for (let index = 0; index < 5_000; index += 1) tokens.add(`token-${index}`, key, { sub: 'ada' }, 0, 1_000);
  expect(tokens.size).toBe(1_000);
  expect(tokens.find('token-4999', [key], 1)).toEqual({ sub: 'ada' });
  expect(tokens.find('token-0', [key], 1)).toBeUndefined();
  for (const length of [8_192, 8_193]) tokens.add('x'.repeat(length), key, { sub: 'ada' }, 0, 1_000);
  tokens.add('expired', key, { sub: 'ada' }, 0, 0);
  expect(tokens.find('x'.repeat(8_192), [key], 1)).toEqual({ sub: 'ada' });
  expect(tokens.find('x'.repeat(8_193), [key], 1)).toBeUndefined();
  expect(tokens.find('expired', [key], 0)).toBeUndefined();
});

it.each([
  ['expires', { exp: startsAt + 10 }, {}, 9],
  ['expires, with clocks that differ', { exp: startsAt + 10 }, { verifyOptions: { clockTolerance: 5 } }, 14],
  ['gets too old', { exp: startsAt + 1_000 }, { verifyOptions: { maxAge: 20 } }, 19],
  ['has been cached for a minute', {}, {}, 59],
] as const)('verifies the signature of a token once until it %s', (_, claims, options, seconds) => {
  const verifySignature = vi.spyOn(jwt, 'verify');
  onTestFinished(() => verifySignature.mockRestore());
  const { time, verify } = providerAt(options);
  const token = tokenOf(claims);
  for (const second of [0, 1, seconds]) {
    time.now = startsAt + second;
    expect(verify(token)).toMatchObject({ sub: 'ada' });
  }
  expect(verifySignature).toHaveBeenCalledOnce();
});

it('verifies the signature of a token without times once', () => {
  const verifySignature = vi.spyOn(jwt, 'verify');
  onTestFinished(() => verifySignature.mockRestore());
  const { verify } = providerAt();
  const token = jwt.sign({ sub: 'ada' }, key, { noTimestamp: true });
  for (const _ of [1, 2]) expect(verify(token)).toEqual({ sub: 'ada' });
  expect(verifySignature).toHaveBeenCalledOnce();
});
