import { generateKeyPairSync } from 'node:crypto';
import type { User } from '@halyard/contracts';
import jwt, { type SignOptions } from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jwtAuth, type JwtAuthOptions } from './jwt-auth.ts';
import type { Refusal } from './refusal.ts';
import { jwkOf, JwksServer, keysAnswer } from './testing/jwks-server.ts';
import { RecordingLogger } from './testing/recording-logger.ts';
import { pemOf, request, rsaKeys, signed } from './testing/sample-keys.ts';

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const expected = { audience: 'api', issuer: 'https://id.example.com' };
const server = new JwksServer();
let jwksUri = '';

beforeAll(async () => {
  server.answer = keysAnswer([jwkOf(rsaKeys.publicKey, { kid: 'a' })]);
  jwksUri = await server.open();
});

afterAll(() => server.close());

const now = Math.floor(Date.now() / 1_000);
const valid = { sub: 'ada', aud: 'api', iss: expected.issuer };
const byKey = (claims: User, options: SignOptions = {}, key = rsaKeys.privateKey): string =>
  signed(claims, key, { algorithm: 'RS256', keyid: 'a', ...options });
const parts = byKey(valid).split('.');

const refused: readonly (readonly [string, string, Refusal])[] = [
  ['no token', 'ada', 'malformed'],
  ['an empty token', '', 'malformed'],
  ['a token that is cut', byKey(valid).slice(0, -1), 'malformed'],
  ['a token for a log-out', byKey(valid, { header: { alg: 'RS256', typ: 'logout+jwt' } }), 'header'],
  ['none', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${parts[1]}.${parts[2]}`, 'algorithm'],
  ['an algorithm that is not accepted', byKey(valid, { algorithm: 'RS384' }), 'algorithm'],
  ['a signature of another key', byKey(valid, {}, otherKey), 'signature'],
  [
    'other claims than the signed ones',
    `${parts[0]}.${byKey({ ...valid, sub: 'eve' }).split('.')[1]}.${parts[2]}`,
    'signature',
  ],
  [
    'an expired token',
    jwt.sign({ ...valid, exp: now - 60 }, rsaKeys.privateKey, { algorithm: 'RS256', keyid: 'a' }),
    'expired',
  ],
  ['an old token', byKey({ ...valid, iat: now - 7_200 }, { expiresIn: '5h' }), 'expired'],
  ['a token of tomorrow', byKey(valid, { notBefore: '20h', expiresIn: '30h' }), 'not yet active'],
  ['another audience', byKey({ ...valid, aud: ['shop', 'web'] }), 'audience'],
  ['no audience', byKey({ ...valid, aud: undefined }), 'audience'],
  ['another issuer', byKey({ ...valid, iss: `${expected.issuer}/` }), 'issuer'],
  ['no issuer', byKey({ ...valid, iss: undefined }), 'issuer'],
  ['no time of issue', byKey(valid, { noTimestamp: true }), 'claims'],
  ['a subject that is an object', withPayload({ ...valid, sub: {} }), 'claims'],
  ['a time that is a text', withPayload({ ...valid, exp: 'tomorrow' }), 'claims'],
];

describe.each<[string, () => JwtAuthOptions]>([
  ['a public key', () => ({ publicKey: pemOf(rsaKeys.publicKey) })],
  ['a key set', () => ({ jwksUri, jwks: { timeoutMs: 60_000 } })],
])('the log of refused tokens with %s', (_what, keys) => {
  const provider = (logger: RecordingLogger, more: JwtAuthOptions = {}) =>
    jwtAuth({ ...keys(), logger, verifyOptions: { ...expected, algorithms: ['RS256'], maxAge: 3_600 }, ...more });

  it.each(refused)('has the reason at debug, and nothing of the token: %s', async (_name, token, reason) => {
    const logger = new RecordingLogger();
    expect(await provider(logger).verifyToken(token, request)).toBeNull();
    expect(logger.details).toEqual([{ provider: 'jwt', reason }]);
    expect(logger.warnings).toEqual([]);
  });

  it('has nothing of accepted tokens', async () => {
    const logger = new RecordingLogger();
    expect(await provider(logger).verifyToken(byKey(valid), request)).toMatchObject({ sub: 'ada' });
    expect(logger.details).toEqual([]);
  });

  it('says that mapUser returned no user', async () => {
    for (const mapUser of [() => null, async () => null]) {
      const logger = new RecordingLogger();
      expect(await provider(logger, { mapUser }).verifyToken(byKey(valid), request)).toBeNull();
      expect(logger.details).toEqual([{ provider: 'jwt', reason: 'user' }]);
    }
  });
});

it('says that no key of the set fits', async () => {
  const logger = new RecordingLogger();
  const provider = jwtAuth({ jwksUri, jwks: { timeoutMs: 60_000 }, logger });
  expect(await provider.verifyToken(byKey(valid, { keyid: 'b' }), request)).toBeNull();
  expect(logger.details).toEqual([{ provider: 'jwt', reason: 'key' }]);
});

it('goes to the log of the request, unless the provider has its own', async () => {
  const [own, ofRequest] = [new RecordingLogger(), new RecordingLogger()];
  const by = { ...request, logger: ofRequest };
  await jwtAuth({ secret: 'x'.repeat(32) }).verifyToken('ada', by);
  expect(ofRequest.details).toHaveLength(1);
  await jwtAuth({ secret: 'x'.repeat(32), logger: own }).verifyToken('ada', by);
  expect([own.details.length, ofRequest.details.length]).toEqual([1, 1]);
});

/** Signed claims that the signing library refuses to write. */
function withPayload(claims: object): string {
  return jwt.sign(JSON.stringify({ ...claims, iat: now }), rsaKeys.privateKey, {
    algorithm: 'RS256',
    header: { alg: 'RS256', kid: 'a' },
  });
}
