import { createHmac } from 'node:crypto';
import { jwtAuth } from '@halyard/auth-jwt';
import { hostileTokens } from '@halyard/conformance';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type HalyardServer } from '../create-server.ts';
import { exchange, unreachableLimits } from '../testing/serve.ts';

const secret = 'what the tokens of this server are signed with';
const reached = 'only for those who may';
const audience = 'https://api.example.com';
const issuer = 'https://id.example.com/';
let server: HalyardServer;
let port = 0;

beforeAll(async () => {
  server = await createServer({
    logger: 'silent',
    limits: unreachableLimits,
    signals: false,
    auth: { provider: jwtAuth({ secret, verifyOptions: { audience, issuer } }), rejectedPerMinute: false },
  });
  server.app.get('/private', () => reached);
  port = Number(new URL(await server.listen({ port: 0 })).port);
});
afterAll(() => server.close());

const answerTo = (token: string): Promise<string> =>
  exchange(port, `GET /private HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`);

it('accepts a token that was signed with the secret', async () => {
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { sub: 'ada', aud: audience, iss: issuer },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = createHmac('sha256', secret).update(parts.join('.')).digest('base64url');
  expect(await answerTo([...parts, signature].join('.'))).toContain(reached);
});

it('refuses all hostile tokens over HTTP', async () => {
  const tokens = hostileTokens(secret, { audience, issuer });
  expect(tokens.length).toBeGreaterThan(200);
  const deviations: string[] = [];
  let refused = 0;
  for (const { name, token } of tokens) {
    // The server stops reading a header that is too large, so the reply may be lost with the
    // connection.
    const answer = await answerTo(token).catch((error: unknown) => {
      if (token.length > 8_192) return 'HTTP/1.1 431';
      throw error;
    });
    // The parser refuses invalid headers.
    const isRefused = /^HTTP\/1\.1 (?:400|401|431)/.test(answer) && !answer.includes(reached);
    if (!isRefused) deviations.push(`${name}: ${answer.slice(0, 60)}`);
    if (answer.startsWith('HTTP/1.1 401')) refused += 1;
  }
  expect(deviations).toEqual([]);
  expect(refused).toBeGreaterThan(150);
});
