import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isHalyardError, type User } from '@halyard/contracts';
import jwt from 'jsonwebtoken';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { jwtAuth, type JwtAuthOptions } from './jwt-auth.ts';
import { RecordingLogger } from './testing/recording-logger.ts';
import { ecKeys, pemOf, request, rsaKeys, secret, signed } from './testing/sample-keys.ts';

const otherSecret = 'another secret, of 32 bytes or more';

afterEach(() => vi.unstubAllEnvs());

describe('the user', () => {
  it('is the claims of the token', async () => {
    const user = await verify({ secret }, signed({ sub: 'ada', role: 'admin' }));
    expect(user).toMatchObject({ sub: 'ada', role: 'admin', exp: expect.any(Number) });
  });

  it('has the id of `sub`: a claim `id` counts only through mapUser', async () => {
    const token = signed({ sub: 'bob', id: 'ada' });
    for (let time = 0; time < 2; time += 1) {
      const user = await verify({ secret }, token);
      expect(user).toMatchObject({ sub: 'bob' });
      expect(user).not.toHaveProperty('id');
    }
    expect(await verify({ secret }, signed({ id: 'ada' }))).not.toHaveProperty('id');
    const mapUser = ({ id, sub }: User): User => ({ id: `${id}/${sub}` });
    expect(await verify({ secret, mapUser }, token)).toEqual({ id: 'ada/bob' });
  });

  it('is what mapUser returns, synchronously or as a promise', async () => {
    const mapUser = (claims: User): User => ({ id: String(claims.sub), tenantId: claims['org'] });
    const token = signed({ sub: 'ada', org: 'acme' });
    expect(await verify({ secret, mapUser }, token)).toEqual({ id: 'ada', tenantId: 'acme' });
    expect(await verify({ secret, mapUser: async (claims) => mapUser(claims) }, token)).toEqual({
      id: 'ada',
      tenantId: 'acme',
    });
  });

  it('is returned synchronously when nothing is asynchronous', () => {
    expect(jwtAuth({ secret }).verifyToken(signed({ sub: 'ada' }), request)).toMatchObject({ sub: 'ada' });
    expect(jwtAuth({ secret, mapUser: () => ({ id: 'ada' }) }).verifyToken(signed({}), request)).toEqual({ id: 'ada' });
    expect(jwtAuth({ secret }).verifyToken('a.b.c', request)).toBeNull();
  });

  it('may come from a thenable that is not a promise', async () => {
    class Query {
      // oxlint-disable-next-line unicorn/no-thenable -- some databases return such objects
      then(resolve: (user: User) => void): void {
        resolve({ id: 'ada' });
      }
    }
    expect(await verify({ secret, mapUser: () => new Query() as never }, signed({ sub: 'ada' }))).toEqual({
      id: 'ada',
    });
  });

  it('is null when mapUser returns null or anything but a user', async () => {
    for (const result of [null, undefined, 'ada', true, ['ada'], { id: {} }]) {
      expect(await verify({ secret, mapUser: () => result as never }, signed({ sub: 'ada' }))).toBeNull();
    }
  });

  it('is not computed by mapUser for an invalid token', async () => {
    const mapUser = (): never => {
      throw new Error('asked');
    };
    expect(await verify({ secret, mapUser }, signed({ sub: 'ada' }, otherSecret))).toBeNull();
    await expect(verify({ secret, mapUser }, signed({ sub: 'ada' }))).rejects.toThrow('asked');
  });

  it('has string ids, also when the token has numbers', async () => {
    expect(await verify({ secret }, signed({ sub: 42 as never }))).toMatchObject({ sub: '42' });
  });
});

it.each([' ', '\n', '\t', '\r\n'])('refuses a token with %j around it', async (blank) => {
  const token = signed({ sub: 'ada' });
  expect(await verify({ secret }, token)).not.toBeNull();
  expect(await verify({ secret }, `${blank}${token}`)).toBeNull();
  expect(await verify({ secret }, `${token}${blank}`)).toBeNull();
});

it.each(['JWT', 'application/jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', undefined])(
  'accepts a token of the type %s',
  async (typ) => {
    const token = signed({ sub: 'ada' }, secret, { header: { alg: 'HS256', typ } });
    expect(await verify({ secret }, token)).toMatchObject({ sub: 'ada' });
  },
);

it('accepts blanks around the JSON of the payload', async () => {
  const token = jwt.sign(' \n{ "sub": "ada" } ', secret);
  expect(await verify({ secret }, token)).toEqual({ sub: 'ada' });
});

describe('the times of a token', () => {
  const at = (seconds: number): Pick<JwtAuthOptions, 'clock'> => ({ clock: { now: () => seconds * 1_000 } });
  const token = jwt.sign({ sub: 'ada', iat: 1_000, nbf: 1_000, exp: 2_000 }, secret);

  it.each([
    [999, false],
    [1_000, true],
    [1_999, true],
    [2_000, false],
  ])('are compared with the clock: %i s', async (seconds, valid) => {
    expect((await verify({ secret, ...at(seconds) }, token)) !== null).toBe(valid);
  });

  it.each([
    [989, false],
    [990, true],
    [2_009, true],
    [2_010, false],
  ])('may differ by the tolerance: %i s', async (seconds, valid) => {
    const verifyOptions = { clockTolerance: 10 };
    expect((await verify({ secret, verifyOptions, ...at(seconds) }, token)) !== null).toBe(valid);
  });

  it('include the time of issue, which maxAge requires', async () => {
    const verifyOptions = { maxAge: 100 };
    expect(await verify({ secret, verifyOptions, ...at(1_099) }, token)).not.toBeNull();
    expect(await verify({ secret, verifyOptions, ...at(1_100) }, token)).toBeNull();
    const untimed = jwt.sign({ sub: 'ada' }, secret, { noTimestamp: true });
    expect(await verify({ secret, verifyOptions, ...at(1_000) }, untimed)).toBeNull();
    expect(await verify({ secret, ...at(1_000) }, untimed)).not.toBeNull();
  });
});

describe('audiences and issuers', () => {
  it.each([
    ['one', 'a', 'a', true],
    ['one of many in the options', ['a', 'b'], 'b', true],
    ['one of many in the token', 'a', ['x', 'a'], true],
    ['another', 'a', 'b', false],
    ['none of many', ['a', 'b'], ['x', 'y'], false],
  ])('%s', async (_what, audience, aud, valid) => {
    const user = await verify({ secret, verifyOptions: { audience } }, signed({ sub: 'ada', aud }));
    expect(user !== null).toBe(valid);
  });

  it('are required where they are set, and arbitrary otherwise', async () => {
    expect(
      await verify({ secret, verifyOptions: { issuer: ['a', 'b'] } }, signed({ sub: 'ada', iss: 'b' })),
    ).not.toBeNull();
    expect(await verify({ secret, verifyOptions: { issuer: 'a' } }, signed({ sub: 'ada' }))).toBeNull();
    expect(await verify({ secret }, signed({ sub: 'ada', iss: 'any', aud: 'any' }))).not.toBeNull();
  });
});

describe('algorithms', () => {
  it('is HS256 for a secret, unless set', async () => {
    const token = signed({ sub: 'ada' }, secret, { algorithm: 'HS384' });
    expect(await verify({ secret }, token)).toBeNull();
    expect(await verify({ secret, verifyOptions: { algorithms: ['HS384'] } }, token)).not.toBeNull();
    expect(await verify({ secret, verifyOptions: { algorithms: ['HS384'] } }, signed({ sub: 'ada' }))).toBeNull();
  });

  it('is the default of the public key’s kind, unless set', async () => {
    const [rsa, ec] = [pemOf(rsaKeys.publicKey), pemOf(ecKeys.publicKey)];
    const rs256 = signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'RS256' });
    const ps256 = signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'PS256' });
    const es256 = signed({ sub: 'ada' }, ecKeys.privateKey, { algorithm: 'ES256' });
    expect(await verify({ publicKey: rsa }, rs256)).not.toBeNull();
    expect(await verify({ publicKey: rsa }, ps256)).toBeNull();
    expect(await verify({ publicKey: rsa, verifyOptions: { algorithms: ['PS256'] } }, ps256)).not.toBeNull();
    expect(await verify({ publicKey: ec }, es256)).not.toBeNull();
    expect(await verify({ publicKey: [rsaKeys.publicKey, Buffer.from(ec)] }, es256)).not.toBeNull();
  });

  it.each([
    ['P-384', 'ES384'],
    ['P-521', 'ES512'],
  ] as const)('fits the curve of the key: %s has %s', async (namedCurve, algorithm) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
    expect(await verify({ publicKey }, signed({ sub: 'ada' }, privateKey, { algorithm }))).not.toBeNull();
  });

  it.each([
    ['sha256', 'PS256'],
    ['sha384', 'PS384'],
    ['sha512', 'PS512'],
  ] as const)('is one with PSS for a key that allows nothing else: %s has %s', async (hash, algorithm) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', {
      modulusLength: 2_048,
      hashAlgorithm: hash,
      mgf1HashAlgorithm: hash,
    });
    expect(await verify({ publicKey }, signed({ sub: 'ada' }, privateKey, { algorithm }))).not.toBeNull();
    expect(() => jwtAuth({ publicKey, verifyOptions: { algorithms: ['RS256'] } })).toThrow('does not fit the key');
  });
});

describe('keys', () => {
  it('may be several secrets, each of which is accepted', async () => {
    const both = { secret: [otherSecret, Buffer.from(secret)] };
    expect(await verify(both, signed({ sub: 'ada' }))).not.toBeNull();
    expect(await verify(both, signed({ sub: 'ada' }, otherSecret))).not.toBeNull();
    expect(await verify(both, signed({ sub: 'ada' }, `${secret}!`))).toBeNull();
  });

  it('are tried only if they fit the algorithm of the token', async () => {
    const verifySignature = vi.spyOn(jwt, 'verify');
    onTestFinished(() => verifySignature.mockRestore());
    const token = signed({ sub: 'ada' }, ecKeys.privateKey, { algorithm: 'ES256' });
    expect(await verify({ publicKey: [rsaKeys.publicKey, ecKeys.publicKey] }, token)).not.toBeNull();
    expect(verifySignature).toHaveBeenCalledOnce();
  });

  it('are read from JWT_SECRET when none is set', async () => {
    vi.stubEnv('JWT_SECRET', otherSecret);
    expect(await verify({}, signed({ sub: 'ada' }, otherSecret))).not.toBeNull();
    expect(await verify({ secret }, signed({ sub: 'ada' }, otherSecret))).toBeNull();
  });

  it.each(['production', 'Production', ' prod '])('that are short are refused when NODE_ENV is %j', (name) => {
    vi.stubEnv('NODE_ENV', name);
    expect(() => jwtAuth({ secret: 'x'.repeat(31) })).toThrow(/has 31 bytes/);
    expect(() => jwtAuth({ secret: [secret, 'short'] })).toThrow(/has 5 bytes/);
    expect(() => jwtAuth({ secret: 'x'.repeat(32) })).not.toThrow();
    expect(() => jwtAuth({ secret: 'ü'.repeat(16) })).not.toThrow();
  });

  it('that are short cause a warning elsewhere, which does not contain the secret', async () => {
    const logger = new RecordingLogger();
    expect(await verify({ secret: 'short', logger }, signed({ sub: 'ada' }, 'short'))).not.toBeNull();
    expect(logger.warnings).toEqual([expect.stringContaining('has 5 bytes')]);
  });
});

describe('options', () => {
  it('returns publicRoutes and defaultPrivate with the provider', () => {
    const provider = jwtAuth({ secret, publicRoutes: ['GET /hello'], defaultPrivate: false });
    expect(provider).toMatchObject({ type: 'jwt', publicRoutes: ['GET /hello'], defaultPrivate: false });
    expect(Object.keys(jwtAuth({ secret }))).toEqual(['type', 'useLogger', 'verifyToken']);
  });

  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey;
  const weakPss = generateKeyPairSync('rsa-pss', {
    modulusLength: 1_024,
    hashAlgorithm: 'sha256',
    mgf1HashAlgorithm: 'sha256',
  }).publicKey;
  const pssWithoutHash = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey;
  const pssWithTwoHashes = generateKeyPairSync('rsa-pss', {
    modulusLength: 2_048,
    hashAlgorithm: 'sha256',
    mgf1HashAlgorithm: 'sha1',
  }).publicKey;
  const ed25519 = generateKeyPairSync('ed25519').publicKey;
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
  const among = (key: KeyObject): object => ({
    publicKey: [rsaKeys.publicKey, key],
    verifyOptions: { algorithms: ['RS256'] },
  });
  const publicKey = pemOf(rsaKeys.publicKey);
  const privateKey = rsaKeys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  it.each<[string, object]>([
    ['no key', {}],
    ['a secret and a public key', { secret, publicKey }],
    ['a public key and a key set', { publicKey, jwksUri: 'https://id.example.com/jwks' }],
    ['an empty secret', { secret: '' }],
    ['a secret of blanks', { secret: ' \n' }],
    ['a secret that is a number', { secret: 123 }],
    ['no secrets', { secret: [] }],
    ['an empty secret among others', { secret: [secret, ''] }],
    ['a public key as secret', { secret: publicKey }],
    ['a private key as secret', { secret: Buffer.from(privateKey) }],
    ['a private key as public one', { publicKey: privateKey }],
    ['the bytes of a private key as public one', { publicKey: new Uint8Array(Buffer.from(privateKey)) }],
    ['a private key object as public one', { publicKey: rsaKeys.privateKey }],
    ['a secret as public key', { publicKey: createSecretKey(Buffer.from(secret)) }],
    ['a text as public key', { publicKey: secret }],
    ['no public keys', { publicKey: [] }],
    ['a short RSA key', { publicKey: weak }],
    ['a key for PSS without a hash', { publicKey: pssWithoutHash }],
    ['a key for PSS with two hashes', { publicKey: pssWithTwoHashes }],
    ['a key of another kind', { publicKey: ed25519 }],
    ['a short RSA key among others', among(weak)],
    ['a short key for PSS among others', among(weakPss)],
    ['a key of another kind among others', among(ed25519)],
    ['a key on another curve among others', among(otherCurve)],
    ['ES384 with a key on P-256', { publicKey: ecKeys.publicKey, verifyOptions: { algorithms: ['ES384'] } }],
    ['an invalid address', { jwksUri: 'jwks.json' }],
    ['a file of keys', { jwksUri: 'file:///etc/jwks.json' }],
    ['an address with a password', { jwksUri: 'https://user:password@id.example.com/jwks' }],
    ['an address with a user name', { jwksUri: 'https://user@id.example.com/jwks' }],
    ['an address with only a password', { jwksUri: 'https://:password@id.example.com/jwks' }],
    ['an endless cache time', { jwksUri: 'https://id.example.com/jwks', jwks: { cacheMs: Number.POSITIVE_INFINITY } }],
    ['an invalid cache time', { jwksUri: 'https://id.example.com/jwks', jwks: { cacheMs: -1 } }],
    ['an unknown option', { secret, secretOrKey: secret }],
    ['none', { secret, verifyOptions: { algorithms: ['none'] } }],
    ['None with another', { secret, verifyOptions: { algorithms: ['HS256', 'None'] } }],
    ['no algorithms', { secret, verifyOptions: { algorithms: [] } }],
    ['a text for algorithms', { secret, verifyOptions: { algorithms: 'HS256' } }],
    ['a set for algorithms', { secret, verifyOptions: { algorithms: new Set(['HS256']) } }],
    ['RS256 with a secret', { secret, verifyOptions: { algorithms: ['RS256'] } }],
    ['HS256 with a public key', { publicKey, verifyOptions: { algorithms: ['HS256'] } }],
    ['HS256 and RS256 with a public key', { publicKey, verifyOptions: { algorithms: ['RS256', 'HS256'] } }],
    ['ES256 with an RSA key', { publicKey, verifyOptions: { algorithms: ['ES256'] } }],
    ['HS256 with a key set', { jwksUri: 'https://id.example.com/jwks', verifyOptions: { algorithms: ['HS256'] } }],
    ['an option that ignores expiry', { secret, verifyOptions: { ignoreExpiration: true } }],
    ['an undefined audience', { secret, verifyOptions: { audience: undefined } }],
    ['an empty audience', { secret, verifyOptions: { audience: '' } }],
    ['no audiences', { secret, verifyOptions: { audience: [] } }],
    ['an expression as audience', { secret, verifyOptions: { audience: /a/g } }],
    ['an empty issuer', { secret, verifyOptions: { issuer: ['a', ' '] } }],
    ['a tolerance below 0', { secret, verifyOptions: { clockTolerance: -1 } }],
    ['a tolerance that is not a number', { secret, verifyOptions: { clockTolerance: Number.NaN } }],
    ['a string as maximum age', { secret, verifyOptions: { maxAge: '1h' } }],
  ])('refuses %s', (_what, options) => {
    vi.stubEnv('JWT_SECRET', undefined);
    expect(() => jwtAuth(options as JwtAuthOptions)).toThrow(
      expect.toSatisfy((error) => isHalyardError(error) && error.code === 'INVALID_CONFIGURATION'),
    );
  });

  it('names missing and unknown options', () => {
    vi.stubEnv('JWT_SECRET', undefined);
    expect(() => jwtAuth({ secret: [] })).toThrow('secret of jwtAuth is an empty list');
    expect(() => jwtAuth({ publicKey: [] })).toThrow('publicKey of jwtAuth is an empty list');
    expect(() => jwtAuth()).toThrow('JWT_SECRET');
    expect(() => jwtAuth({ secretOrKey: secret } as JwtAuthOptions)).toThrow(
      /jwtAuth.*secretOrKey|secretOrKey.*jwtAuth/,
    );
    for (const name of ['audience', 'issuer', 'clockTolerance', 'maxAge'])
      expect(() => jwtAuth({ secret, verifyOptions: { [name]: -1 } })).toThrow(`verifyOptions.${name} `);
    const unknown = { secret, verifyOptions: { ignoreExpiration: true } } as JwtAuthOptions;
    expect(() => jwtAuth(unknown)).toThrow(/ignoreExpiration.*verifyOptions|verifyOptions.*ignoreExpiration/);
  });

  it('keeps the reason why a public key could not be read', () => {
    expect(() => jwtAuth({ publicKey: secret })).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
  });

  it('emits its warnings as warnings of the process without a logger, with their reason', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    jwtAuth({ secret: 'short' });
    await verify(
      { jwksUri: 'http://127.0.0.1:1/jwks' },
      signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'RS256' }),
    );
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/has 5 bytes.*Production refuses it$/), 'HalyardAuthWarning'],
      ['could not fetch the keys at http://127.0.0.1:1: fetch failed: bad port', 'HalyardAuthWarning'],
    ]);
  });

  it('refuses keys over plain http in production, except from this machine', () => {
    const logger = new RecordingLogger();
    jwtAuth({ jwksUri: 'http://id.internal/jwks', logger });
    expect(logger.warnings).toHaveLength(1);
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => jwtAuth({ jwksUri: 'http://id.internal/jwks' })).toThrow(/not https/);
    expect(() => jwtAuth({ jwksUri: 'http://127.0.0.1.attacker.example/jwks' })).toThrow(/not https/);
    for (const host of ['127.0.0.1:3000', '127.10.20.30', 'localhost', '[::1]'])
      jwtAuth({ jwksUri: `http://${host}/jwks`, logger });
    jwtAuth({ jwksUri: 'https://id.example.com/jwks', jwks: { cooldownMs: 0 }, logger });
    expect(logger.warnings).toHaveLength(1);
  });
});

async function verify(options: JwtAuthOptions, token: string): Promise<User | null> {
  return jwtAuth(options).verifyToken(token, request);
}

it('names the issuers of its tokens', () => {
  const issuersOf = (issuer?: string | readonly string[]) =>
    jwtAuth({ secret, ...(issuer !== undefined && { verifyOptions: { issuer } }) }).issuers;
  expect(issuersOf()).toBeUndefined();
  expect(issuersOf('https://id.example.com')).toEqual(['https://id.example.com']);
  expect(issuersOf(['https://a.example.com', 'b'])).toEqual(['https://a.example.com', 'b']);
});
