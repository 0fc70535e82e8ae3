import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jwtAuth } from './jwt-auth.ts';
import { JwksServer, keysAnswer } from './testing/jwks-server.ts';
import { RecordingLogger } from './testing/recording-logger.ts';
import { request } from './testing/sample-keys.ts';

const algorithms = [
  'EdDSA',
  'Ed25519',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;
const server = new JwksServer();
let jwksUri = '';

beforeAll(async () => {
  jwksUri = await server.open();
});

afterAll(() => server.close());

it.each(algorithms)('accepts tokens with %s by default, with and without the algorithm in the key', async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  const token = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg, kid: 'a' }).sign(privateKey);
  for (const more of [{ alg }, {}]) {
    server.answer = keysAnswer([{ ...jwk, kid: 'a', ...more }]);
    const provider = jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 } });
    expect(await provider.verifyToken(token, request)).toEqual({ sub: 'ada' });
  }
});

it('accepts only the algorithms that are set', async () => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA');
  server.answer = keysAnswer([await exportJWK(publicKey)]);
  const token = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
  const logger = new RecordingLogger();
  const set = (only: 'EdDSA' | 'RS256') =>
    jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 }, verifyOptions: { algorithms: [only] }, logger });
  expect(await set('RS256').verifyToken(token, request)).toBeNull();
  expect(logger.details).toEqual([{ provider: 'jwt', reason: 'algorithm' }]);
  expect(await set('EdDSA').verifyToken(token, request)).toEqual({ sub: 'ada' });
});

it('tries each key of the same id, and counts no unusable key for a token without an id', async () => {
  const [first, second] = [await generateKeyPair('EdDSA'), await generateKeyPair('EdDSA')];
  const jwks = await Promise.all([first, second].map(async ({ publicKey }) => exportJWK(publicKey)));
  const sign = async (kid?: string) => {
    const header = kid === undefined ? { alg: 'EdDSA' } : { alg: 'EdDSA', kid };
    return new SignJWT({ sub: 'ada' }).setProtectedHeader(header).sign(second.privateKey);
  };
  server.answer = keysAnswer(jwks.map((jwk) => ({ ...jwk, kid: 'same' })));
  const provider = jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 } });
  expect(await provider.verifyToken(await sign('same'), request)).toEqual({ sub: 'ada' });
  expect(await provider.verifyToken(await sign(), request)).toBeNull();

  server.answer = keysAnswer([{ ...jwks[0], x: '!' }, jwks[1]]);
  const other = jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 } });
  expect(await other.verifyToken(await sign(), request)).toEqual({ sub: 'ada' });
});
