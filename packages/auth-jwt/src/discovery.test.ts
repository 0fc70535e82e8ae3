import { isHalyardError } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jwtAuth, type JwtAuthOptions } from './jwt-auth.ts';
import { jwkOf, JwksServer, keysAnswer, textAnswer } from './testing/jwks-server.ts';
import { RecordingLogger } from './testing/recording-logger.ts';
import { request, rsaKeys, signed } from './testing/sample-keys.ts';

let server: JwksServer;
let logger: RecordingLogger;
let issuer = '';
let paths: string[];

beforeEach(async () => {
  [server, logger, paths] = [new JwksServer(), new RecordingLogger(), []];
  issuer = `${new URL(await server.open()).origin}/realms/shop`;
  publish({ issuer, jwks_uri: `${issuer}/keys` });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

describe('the key set of an issuer', () => {
  it('is the one that its metadata names', async () => {
    expect(await user(tokenOf(issuer))).toMatchObject({ sub: 'ada', iss: issuer });
    expect(paths).toEqual(['/realms/shop/.well-known/openid-configuration', '/realms/shop/keys']);
  });

  it('is discovered with a slash at the end of the issuer, too', async () => {
    const withSlash = `${issuer}/`;
    publish({ issuer: withSlash, jwks_uri: `${issuer}/keys` });
    expect(await user(tokenOf(withSlash), { issuer: withSlash })).toMatchObject({ sub: 'ada' });
    expect(await user(tokenOf(issuer), { issuer: withSlash })).toBeNull();
    expect(paths[0]).toBe('/realms/shop/.well-known/openid-configuration');
  });

  it('is discovered again with each fetch, so that its address may change', async () => {
    let now = Date.now();
    const provider = jwtAuth({ issuer, jwks: { timeoutMs: 60_000 }, logger, clock: { now: () => now } });
    expect(await provider.verifyToken(tokenOf(issuer), request)).not.toBeNull();
    publish({ issuer, jwks_uri: `${issuer}/new-keys` });
    now += 600_000;
    expect(await provider.verifyToken(tokenOf(issuer), request)).not.toBeNull();
    expect(paths.at(-1)).toBe('/realms/shop/new-keys');
    expect(paths).toHaveLength(4);
  });

  it.each<[string, () => object, RegExp]>([
    ['another issuer', () => ({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }), /has the issuer ".*shop\/", not/],
    ['no issuer', () => ({ jwks_uri: `${issuer}/keys` }), /has the issuer undefined/],
    ['no address of keys', () => ({ issuer }), /names no jwks_uri/],
    ['an unsafe address of keys', () => ({ issuer, jwks_uri: 'file:///etc/keys.json' }), /must be an https address/],
  ])('is not taken from metadata with %s', async (_what, metadata, fault) => {
    publish(metadata());
    const warn = vi.spyOn(logger, 'warn');
    expect(await user(tokenOf(issuer))).toBeNull();
    expect(warn).toHaveBeenCalledWith(
      { err: expect.objectContaining({ message: expect.stringMatching(fault) }) },
      `could not fetch the keys at ${new URL(issuer).origin}`,
    );
    expect(paths).toEqual(['/realms/shop/.well-known/openid-configuration']);
  });

  it('is asked for no more often than a key set, while its metadata is unreachable', async () => {
    server.answer = textAnswer('{}', 503);
    const provider = jwtAuth({ issuer, jwks: { timeoutMs: 60_000 }, logger, clock: { now: () => 1_800_000_000_000 } });
    for (let time = 0; time < 10; time += 1) await provider.verifyToken(tokenOf(issuer), request);
    expect(server.requests).toBe(1);
  });
});

describe('tokens with a discovered key set', () => {
  it('must be of the issuer, unless other issuers are set', async () => {
    const other = tokenOf('https://another.example.com');
    expect(await user(other)).toBeNull();
    expect(logger.details).toEqual([{ provider: 'jwt', reason: 'issuer' }]);
    const verifyOptions = { issuer: [issuer, 'https://another.example.com'] };
    expect(await user(other, { verifyOptions })).toMatchObject({ sub: 'ada' });
  });
});

it.each<[string, JwtAuthOptions]>([
  ['an issuer with an address of keys', { issuer: 'https://id.example.com', jwksUri: 'https://id.example.com/jwks' }],
  ['an issuer with a secret', { issuer: 'https://id.example.com', secret: 'x'.repeat(32) }],
  ['an issuer that is not an address', { issuer: 'id.example.com' }],
  ['an issuer with a password', { issuer: 'https://ada:secret@id.example.com' }],
  ['an issuer with a query', { issuer: 'https://id.example.com/?tenant=1' }],
  [
    'an undefined issuer in verifyOptions',
    { issuer: 'https://id.example.com', verifyOptions: { issuer: undefined as never } },
  ],
])('refuses %s', (_what, options) => {
  expect(() => jwtAuth(options)).toThrow(
    expect.toSatisfy((error) => isHalyardError(error) && error.code === 'INVALID_CONFIGURATION'),
  );
});

it('refuses an issuer over plain http in production, except on this machine', () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(() => jwtAuth({ issuer: 'http://id.internal' })).toThrow('The issuer of jwtAuth is not https');
  expect(() => jwtAuth({ issuer })).not.toThrow();
});

function publish(metadata: object): void {
  server.answer = (response, path) => {
    paths.push(path);
    const isMetadata = path.endsWith('/.well-known/openid-configuration');
    const answer = isMetadata
      ? textAnswer(JSON.stringify(metadata))
      : keysAnswer([jwkOf(rsaKeys.publicKey, { kid: 'a' })]);
    answer(response, path);
  };
}

function tokenOf(iss: string): string {
  return signed({ sub: 'ada', iss }, rsaKeys.privateKey, { algorithm: 'RS256', keyid: 'a' });
}

async function user(token: string, options: JwtAuthOptions = {}) {
  return jwtAuth({ issuer, jwks: { timeoutMs: 60_000 }, logger, ...options }).verifyToken(token, request);
}
