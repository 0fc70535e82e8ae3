import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AuthProvider } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JwksOptions } from './jwk-set.ts';
import { jwtAuth } from './jwt-auth.ts';
import { jwkOf, JwksServer, keysAnswer, textAnswer } from './testing/jwks-server.ts';
import { RecordingLogger } from './testing/recording-logger.ts';
import { ecKeys, request, rsaKeys, secret, signed } from './testing/sample-keys.ts';

const newKeys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const oldToken = tokenBy(rsaKeys.privateKey, 'old');
const newToken = tokenBy(newKeys.privateKey, 'new');
const oldJwk = jwkOf(rsaKeys.publicKey, { kid: 'old' });
const newJwk = jwkOf(newKeys.publicKey, { kid: 'new' });
const second = 1_000;

let server: JwksServer;
let uri = '';
let now = 0;
let logger: RecordingLogger;

beforeEach(async () => {
  [server, logger, now] = [new JwksServer(), new RecordingLogger(), 1_750_000_000_000];
  server.answer = keysAnswer([oldJwk]);
  uri = await server.open();
});

afterEach(() => server.close());

describe('keys of a server', () => {
  it('are fetched on first use, once for concurrent requests', async () => {
    const provider = open();
    expect(server.requests).toBe(0);
    const users = await Promise.all(Array.from({ length: 20 }, async () => provider.verifyToken(oldToken, request)));
    expect(users.every((user) => user?.sub === 'ada')).toBe(true);
    expect(server.requests).toBe(1);
  });

  it('are fetched again when they are old', async () => {
    const provider = open();
    await accepted(provider, oldToken);
    now += 599 * second;
    await accepted(provider, oldToken);
    expect(server.requests).toBe(1);
    now += second;
    server.answer = keysAnswer([newJwk]);
    expect(await accepted(provider, oldToken)).toBe(false);
    expect(server.requests).toBe(2);
  });

  it('can be rotated: an unknown key is fetched, and the old one works while it is published', async () => {
    const provider = open();
    expect(await accepted(provider, oldToken)).toBe(true);
    server.answer = keysAnswer([oldJwk, newJwk]);
    now += 30 * second;
    expect(await accepted(provider, newToken)).toBe(true);
    expect(await accepted(provider, oldToken)).toBe(true);
    server.answer = keysAnswer([newJwk]);
    now += 600 * second;
    expect(await accepted(provider, newToken)).toBe(true);
    expect(await accepted(provider, oldToken)).toBe(false);
  });

  it('that are unknown do not cause a fetch for each token', async () => {
    const provider = open();
    await accepted(provider, oldToken);
    for (let index = 0; index < 100; index += 1) {
      expect(await accepted(provider, tokenBy(newKeys.privateKey, `unknown-${index}`))).toBe(false);
    }
    expect(server.requests).toBe(1);
    now += 30 * second;
    const unknown = Array.from({ length: 100 }, async (_, index) =>
      accepted(provider, tokenBy(newKeys.privateKey, `${index}`)),
    );
    expect((await Promise.all(unknown)).some(Boolean)).toBe(false);
    expect(server.requests).toBe(2);
    expect(await accepted(provider, oldToken)).toBe(true);
  });

  it('remain in use while the server is down, for a day at most', async () => {
    const provider = open();
    await accepted(provider, oldToken);
    await server.close();
    now += 86_399 * second;
    expect(await accepted(provider, oldToken)).toBe(true);
    expect(logger.warnings).toHaveLength(1);
    now += second;
    expect(await accepted(provider, oldToken)).toBe(false);
  });

  it('are missing until the server was reached for the first time', async () => {
    server.answer = textAnswer('{}', 503);
    const provider = open();
    expect(await accepted(provider, oldToken)).toBe(false);
    expect(await accepted(provider, oldToken)).toBe(false);
    expect(server.requests).toBe(1);
    server.answer = keysAnswer([oldJwk]);
    now += 30 * second;
    expect(await accepted(provider, oldToken)).toBe(true);
    expect(logger.warnings).toHaveLength(1);
  });

  it('are not awaited longer than the time limit', async () => {
    server.answer = () => {};
    const provider = open({ timeoutMs: 20 });
    expect(await accepted(provider, oldToken)).toBe(false);
    expect(logger.warnings).toHaveLength(1);
  });

  it('are not awaited longer than the time limit when the reply never ends', async () => {
    server.answer = (response) => void response.writeHead(200).write('{"keys":[');
    expect(await accepted(open({ timeoutMs: 20 }), oldToken)).toBe(false);
  });

  it.each<[string, JwksServer['answer']]>([
    ['no JSON', textAnswer('<html>')],
    ['nothing', textAnswer('')],
    ['null', textAnswer('null')],
    ['a list', textAnswer(JSON.stringify([oldJwk]))],
    ['an object without keys', textAnswer('{}')],
    ['keys that are no list', textAnswer(JSON.stringify({ keys: oldJwk }))],
    ['an error', textAnswer(JSON.stringify({ keys: [oldJwk] }), 500)],
    ['a redirect', (response) => void response.writeHead(302, { location: uri }).end()],
    ['more than a megabyte', textAnswer(JSON.stringify({ keys: [oldJwk], pad: 'x'.repeat(1_100_000) }))],
    [
      'half an answer',
      (response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('{"keys":[]}', () => response.destroy()),
    ],
  ])('are not replaced by %s', async (_what, answer) => {
    const provider = open();
    await accepted(provider, oldToken);
    server.answer = answer;
    now += 600 * second;
    expect(await accepted(provider, oldToken)).toBe(true);
    expect(logger.warnings).toHaveLength(1);
  });

  it('are removed when the server publishes none any more', async () => {
    const provider = open();
    await accepted(provider, oldToken);
    server.answer = keysAnswer([]);
    now += 600 * second;
    expect(await accepted(provider, oldToken)).toBe(false);
  });
});

describe('which key is used', () => {
  it('is only the one that the token names', async () => {
    server.answer = keysAnswer([oldJwk, newJwk]);
    const provider = open();
    expect(await accepted(provider, tokenBy(rsaKeys.privateKey, 'new'))).toBe(false);
    expect(await accepted(provider, newToken)).toBe(true);
  });

  it('is the only one that fits, for a token without a key id', async () => {
    const unnamed = signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'RS256' });
    now = Date.now();
    server.answer = keysAnswer([oldJwk, jwkOf(ecKeys.publicKey, { kid: 'ec' })]);
    expect(await accepted(open(), unnamed)).toBe(true);
    server.answer = keysAnswer([oldJwk, newJwk]);
    expect(await accepted(open(), unnamed)).toBe(false);
  });

  it.each<[string, object, boolean]>([
    ['without a name', { kid: undefined }, true],
    ['with a name', {}, true],
    ['without a use', { use: undefined }, true],
    ['with a name that is a number', { kid: 1 }, false],
  ])('for a token without a key id may be a key %s', async (_what, more, isAccepted) => {
    const unnamed = signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'RS256' });
    now = Date.now();
    server.answer = keysAnswer([{ ...oldJwk, ...more }]);
    expect(await accepted(open(), unnamed)).toBe(isAccepted);
  });

  it('is not fetched again for a token without a key id', async () => {
    const unnamed = signed({ sub: 'ada' }, rsaKeys.privateKey, { algorithm: 'RS256' });
    server.answer = keysAnswer([oldJwk, newJwk]);
    const provider = open();
    await accepted(provider, unnamed);
    now += 30 * second;
    await accepted(provider, unnamed);
    expect(server.requests).toBe(1);
  });

  it.each<[string, object]>([
    ['for encryption', { use: 'enc' }],
    ['for signing only', { key_ops: ['sign'] }],
    ['for another algorithm', { alg: 'RS512' }],
    ['for the algorithm none', { alg: 'none' }],
    ['with a name that is a number', { kid: 1 }],
    ['that is broken', { n: '!' }],
    ['that is short', jwkOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey)],
    ['of another kind', { kty: 'OKP' }],
  ])('is never one %s', async (_what, more) => {
    server.answer = keysAnswer([{ ...oldJwk, ...more }, null, 'text', [], newJwk]);
    const provider = open();
    expect(await accepted(provider, oldToken)).toBe(false);
    expect(await accepted(provider, newToken)).toBe(true);
  });

  it('is never a published secret', async () => {
    const token = signed({ sub: 'ada' }, secret, { keyid: 'shared' });
    const shared = { kty: 'oct', kid: 'shared', alg: 'HS256', k: Buffer.from(secret).toString('base64url') };
    server.answer = keysAnswer([shared, { ...oldJwk, kid: 'shared', alg: 'HS256' }]);
    now = Date.now();
    expect(await accepted(open(), token)).toBe(false);
  });

  it('is used for its own algorithm', async () => {
    server.answer = keysAnswer([jwkOf(ecKeys.publicKey, { kid: 'ec', alg: 'ES256', key_ops: ['verify'] })]);
    const provider = open();
    now = Date.now();
    expect(
      await accepted(provider, signed({ sub: 'ada' }, ecKeys.privateKey, { algorithm: 'ES256', keyid: 'ec' })),
    ).toBe(true);
  });
});

/** With a time limit that a busy machine does not reach. */
function open(jwks: JwksOptions = {}): AuthProvider {
  return jwtAuth({ jwksUri: uri, jwks: { timeoutMs: 60_000, ...jwks }, logger, clock: { now: () => now } });
}

async function accepted(provider: AuthProvider, token: string): Promise<boolean> {
  return (await provider.verifyToken(token, request)) !== null;
}

function tokenBy(key: KeyObject, kid: string): string {
  return signed({ sub: 'ada', nbf: 0 }, key, { algorithm: 'RS256', keyid: kid, expiresIn: '100y' });
}
