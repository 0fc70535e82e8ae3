import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { expect, it } from 'vitest';
import { jwtAuth, type JwtAuthOptions } from './index.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const secret = 'a secret of more than thirty-two bytes';
const key = createSecretKey(Buffer.from(secret));
const startsAt = 1_800_000_000;

/** A provider whose clock stands at `now` seconds. */
function providerAt(options: JwtAuthOptions = {}) {
  const time = { now: startsAt };
  const provider = jwtAuth({ secret, clock: { now: () => time.now * 1_000 }, ...options });
  return { time, verify: (token: string) => provider.verifyToken(token, nobody) };
}

const nobody = { method: 'GET', path: '/', headers: {}, address: '127.0.0.1' };
const tokenOf = (claims: object): string => jwt.sign({ sub: 'ada', iat: startsAt, ...claims }, key);

it.each([
  ['expires', { exp: startsAt + 10 }, {}, 10],
  ['expires, with clocks that differ', { exp: startsAt + 10 }, { verifyOptions: { clockTolerance: 5 } }, 15],
  ['gets too old', { exp: startsAt + 1_000 }, { verifyOptions: { maxAge: 20 } }, 20],
] as const)('is accepted again until the token %s, and not a second longer', (_, claims, options, seconds) => {
  const { time, verify } = providerAt(options);
  const token = tokenOf(claims);
  for (const second of [0, 1, seconds - 1]) {
    time.now = startsAt + second;
    expect(verify(token)).toMatchObject({ sub: 'ada' });
  }
  time.now = startsAt + seconds;
  expect(verify(token)).toBeNull();
});

it('is refused again when the clock was set back to before the token holds', () => {
  const { time, verify } = providerAt();
  const token = tokenOf({ nbf: startsAt - 5 });
  expect(verify(token)).toMatchObject({ sub: 'ada' });
  time.now = startsAt - 10;
  expect(verify(token)).toBeNull();
});

it('gives each time what the token says, whatever was done to it the last time', () => {
  const { verify } = providerAt();
  const token = tokenOf({ roles: { admin: false } });
  const first = verify(token) as { sub: string; roles: { admin: boolean } };
  first.sub = 'eve';
  first.roles.admin = true;
  const second = verify(token) as { sub: string; roles: { admin: boolean } };
  second.roles.admin = true;
  expect(verify(token)).toMatchObject({ sub: 'ada', roles: { admin: false } });
});

it('takes no other token for one that is known, however alike', () => {
  const { verify } = providerAt();
  const token = tokenOf({});
  expect(verify(token)).not.toBeNull();
  const [header, , signature] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ sub: 'eve', iat: startsAt })).toString('base64url');
  expect(verify(`${header}.${forged}.${signature}`)).toBeNull();
  expect(verify(`${token}x`)).toBeNull();
  expect(verify(token.slice(0, -1))).toBeNull();
});

it('asks mapUser each time: who somebody is may change', () => {
  let isActive = true;
  const { verify } = providerAt({ mapUser: ({ sub }) => (isActive && sub !== undefined ? { id: sub } : null) });
  const token = tokenOf({});
  expect(verify(token)).toEqual({ id: 'ada' });
  isActive = false;
  expect(verify(token)).toBeNull();
});

it('checks a signature anew after a minute, or when its key does not count any more', () => {
  const tokens = new VerifiedTokens();
  const other = createSecretKey(Buffer.from('another secret of more than thirty-two bytes'));
  tokens.add('token', key, { sub: 'ada' }, 0, 3_600_000);
  expect(tokens.find('token', [other, key], 59_999)).toEqual({ sub: 'ada' });
  expect(tokens.find('token', [key], 60_000)).toBeUndefined();

  tokens.add('token', key, { sub: 'ada' }, 0, 3_600_000);
  expect(tokens.find('token', [other], 1)).toBeUndefined();
});

it('keeps no more than a thousand, none that is very long, and none that has ended', () => {
  const tokens = new VerifiedTokens();
  for (let index = 0; index < 5_000; index += 1) tokens.add(`token-${index}`, key, { sub: 'ada' }, 0, 1_000);
  expect(tokens.size).toBe(1_000);
  expect(tokens.find('token-4999', [key], 1)).toEqual({ sub: 'ada' });
  expect(tokens.find('token-0', [key], 1)).toBeUndefined();
  tokens.add('x'.repeat(8_193), key, { sub: 'ada' }, 0, 1_000);
  tokens.add('ended', key, { sub: 'ada' }, 0, 0);
  expect(tokens.find('x'.repeat(8_193), [key], 1)).toBeUndefined();
  expect(tokens.find('ended', [key], 0)).toBeUndefined();
});
