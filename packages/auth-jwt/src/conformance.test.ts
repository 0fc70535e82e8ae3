import { authProviderCases, hostileTokens, type HostileTokenOptions } from '@halyard/conformance';
import type { AuthProvider } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jwtAuth } from './jwt-auth.ts';
import { jwkOf, JwksServer, keysAnswer } from './testing/jwks-server.ts';
import { ecKeys, pemOf, request, rsaKeys, secret, signed } from './testing/sample-keys.ts';

const audience = 'https://api.example.com';
const issuer = 'https://id.example.com';
const verifyOptions = { audience, issuer };
const server = new JwksServer();
let jwksUri = '';

beforeAll(async () => {
  server.answer = keysAnswer([jwkOf(rsaKeys.publicKey, { kid: 'rsa' }), jwkOf(ecKeys.publicKey, { kid: 'ec' })]);
  jwksUri = await server.open();
});

afterAll(() => server.close());

interface Setting {
  readonly provider: () => AuthProvider;
  readonly sign: (claims: { readonly sub: string }) => string;
  readonly expected?: HostileTokenOptions;
}

const claims = { audience, issuer };
const settings: readonly (readonly [string, Setting])[] = [
  ['a secret', { provider: () => jwtAuth({ secret }), sign: (user) => signed(user) }],
  [
    'a secret, an audience and an issuer',
    {
      provider: () => jwtAuth({ secret, verifyOptions }),
      sign: (user) => signed(user, secret, claims),
      expected: { audience, issuer },
    },
  ],
  [
    'two secrets',
    {
      provider: () => jwtAuth({ secret: ['the new secret, of 32 bytes or more', secret] }),
      sign: (user) => signed(user),
    },
  ],
  [
    'any HMAC, and a tolerance',
    {
      provider: () =>
        jwtAuth({ secret, verifyOptions: { algorithms: ['HS256', 'HS384', 'HS512'], clockTolerance: 60 } }),
      sign: (user) => signed(user, secret, { algorithm: 'HS512' }),
    },
  ],
  [
    'an RSA key',
    {
      provider: () => jwtAuth({ publicKey: pemOf(rsaKeys.publicKey) }),
      sign: (user) => signed(user, rsaKeys.privateKey, { algorithm: 'RS256' }),
      expected: { publicKey: pemOf(rsaKeys.publicKey) },
    },
  ],
  [
    'an EC key, an audience and an issuer',
    {
      provider: () => jwtAuth({ publicKey: pemOf(ecKeys.publicKey), verifyOptions }),
      sign: (user) => signed(user, ecKeys.privateKey, { algorithm: 'ES256', ...claims }),
      expected: { audience, issuer, publicKey: pemOf(ecKeys.publicKey) },
    },
  ],
  [
    'a key set',
    {
      provider: () => jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 }, verifyOptions }),
      sign: (user) => signed(user, rsaKeys.privateKey, { algorithm: 'RS256', keyid: 'rsa', ...claims }),
      expected: { audience, issuer, publicKey: pemOf(rsaKeys.publicKey) },
    },
  ],
];

describe.each(settings)('tokens by %s', (_what, { provider, sign, expected }) => {
  const refusedTokens = hostileTokens(secret, expected);
  it.each(authProviderCases)('$name', async ({ run }) => {
    const harness = {
      provider: provider(),
      validTokens: ['ada', 'bob'].map((subject) => ({ token: sign({ sub: subject }), subject })),
      refusedTokens,
    };
    await expect(run(harness)).resolves.toBeUndefined();
  });
});

describe('hostile tokens', () => {
  const all = hostileTokens(secret, { audience, issuer, publicKey: pemOf(rsaKeys.publicKey) });

  it('are many and all different', () => {
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set(all.map(({ token }) => token)).size).toBeGreaterThan(all.length - 5);
  });

  it('are refused with null, without throwing', async () => {
    const provider = jwtAuth({ secret, verifyOptions });
    for (const { name, token } of all) expect([name, await provider.verifyToken(token, request)]).toEqual([name, null]);
  });

  it('do not each cause a fetch of keys', async () => {
    const now = Date.now();
    const provider = jwtAuth({
      jwksUri,
      jwks: { timeoutMs: 60_000 },
      verifyOptions,
      clock: { now: () => now },
    });
    const before = server.requests;
    for (const { token } of all) await provider.verifyToken(token, request);
    expect(server.requests - before).toBeLessThanOrEqual(2);
  });
});
