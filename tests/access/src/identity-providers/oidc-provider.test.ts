import { jwtAuth, type JwtAuthOptions } from '@halyard/auth-jwt';
import type { Clock, Logger } from '@halyard/contracts';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { OpenProvider, signingKey } from './open-provider.ts';

const audience = 'https://api.example.com';
const request = { method: 'GET', path: '/agents', headers: {}, address: '127.0.0.1' };
const [first, second, ec, edwards] = await Promise.all([
  signingKey('RS256', 'first'),
  signingKey('RS256', 'second'),
  signingKey('ES256', 'ec'),
  signingKey('EdDSA', 'edwards'),
]);
const provider = new OpenProvider(audience);

beforeAll(() => provider.start());
beforeEach(() => provider.publish(first, ec, edwards));
afterAll(() => provider.stop());

interface Verifier {
  /** The subject of a token, or the reason why it was refused. */
  readonly verify: (token: string) => Promise<unknown>;
  readonly warnings: unknown[];
  /** Moves the clock on. */
  readonly pass: (ms: number) => void;
}

/** `jwtAuth` as docs/access.md shows it for an OpenID provider. */
function verifier(options: JwtAuthOptions = {}): Verifier {
  let offset = 0;
  let refused: unknown;
  const warnings: unknown[] = [];
  const clock = { now: () => Date.now() + offset } as Clock;
  const logger: Logger = {
    debug: (fields) => {
      refused = 'reason' in fields ? fields.reason : undefined;
    },
    info: () => {},
    warn: (fields) => void warnings.push(fields),
    error: (fields) => void warnings.push(fields),
  };
  const jwks = { timeoutMs: 100_000 };
  const auth = jwtAuth({ issuer: provider.issuer, jwks, verifyOptions: { audience }, clock, logger, ...options });
  return {
    verify: async (token) => (await auth.verifyToken(token, request))?.sub ?? refused,
    warnings,
    pass: (ms) => {
      offset += ms;
    },
  };
}

it.each(['RS256', 'ES256', 'EdDSA'] as const)('discovers the keys, and accepts tokens with %s', async (algorithm) => {
  const { verify, warnings } = verifier();
  expect(await verify(await provider.issue(algorithm))).toBe('shop');
  expect(warnings).toEqual([]);
});

it('accepts a new key while the old one is still published, and no longer after its withdrawal', async () => {
  const { pass, verify } = verifier();
  const old = await provider.issue();
  expect(await verify(old)).toBe('shop');

  provider.publish(second, first);
  const next = await provider.issue();
  pass(30_000);
  expect([await verify(next), await verify(old)]).toEqual(['shop', 'shop']);

  provider.publish(second);
  pass(600_000);
  expect([await verify(old), await verify(next)]).toEqual(['key', 'shop']);
});

it('keeps the known keys while the provider is down, and takes the new ones when it is back', async () => {
  const { pass, verify, warnings } = verifier();
  const token = await provider.issue();
  expect(await verify(token)).toBe('shop');

  await provider.stop();
  pass(600_000);
  expect(await verify(token)).toBe('shop');
  expect(warnings).toHaveLength(1);

  await provider.start();
  provider.publish(second);
  const next = await provider.issue();
  pass(30_000);
  expect([await verify(token), await verify(next)]).toEqual(['key', 'shop']);
});

it('accepts the first tokens when a provider that was down at the start is back', async () => {
  const { pass, verify } = verifier();
  const token = await provider.issue();
  await provider.stop();
  expect(await verify(token)).toBe('key');
  await provider.start();
  pass(30_000);
  expect(await verify(token)).toBe('shop');
});

it('refuses tokens for another API, and those of another tenant with the same keys', async () => {
  const tenant = new OpenProvider(audience);
  await tenant.start();
  onTestFinished(() => tenant.stop());
  tenant.publish(first);
  const { verify } = verifier();
  expect(await verify(await provider.issue('RS256', 'https://other.example.com'))).toBe('audience');
  expect(await verify(await tenant.issue())).toBe('issuer');
});

it.each([
  ['with a slash', () => `${provider.issuer}/`],
  ['with another host', () => provider.issuer.replace('127.0.0.1', 'localhost')],
])('says which issuer the provider has, where the option differs: %s', async (_, issuer) => {
  const { verify, warnings } = verifier({ issuer: issuer() });
  expect(await verify(await provider.issue())).toBe('key');
  expect(warnings).toMatchObject([
    { err: { message: expect.stringContaining(`"${provider.issuer}", not "${issuer()}"`) } },
  ]);
});

it('refuses a token of a clock that is ahead by more than the tolerance', async () => {
  const token = await provider.issue();
  const strict = verifier();
  strict.pass(3_601_000);
  expect(await strict.verify(token)).toBe('expired');
  const tolerant = verifier({ verifyOptions: { audience, clockTolerance: 10 } });
  tolerant.pass(3_601_000);
  expect(await tolerant.verify(token)).toBe('shop');
});
