import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createServerWithInternals, type HalyardServer } from '../create-server.ts';
import { consoleKey, provider } from '../testing/credentials.ts';
import { exchange, unreachableLimits } from '../testing/serve.ts';

const secret = 'only for those who may';
let server: HalyardServer;
let port = 0;

beforeAll(async () => {
  vi.stubEnv('NODE_ENV', 'production');
  server = await createServerWithInternals(
    {
      logger: 'silent',
      limits: unreachableLimits,
      signals: false,
      enableSwaggerUI: true,
      secret: 'x'.repeat(32),
      auth: { provider, consoleKey, publicRoutes: ['GET /open', '/open/*', 'GET /shop/:id'], rejectedPerMinute: false },
    },
    {},
  );
  const answer = (): string => secret;
  server.app.get('/open', () => 'open');
  server.app.get('/open/:id', () => 'open');
  server.app.get('/shop/:id', () => 'open');
  server.app.get('/shop/till', answer);
  server.app.get('/private', answer);
  server.app.post('/private', answer);
  server.app.get('/files/*', answer);
  server.app.all('/any', answer);
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  port = Number(new URL(origin).port);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const paths: readonly string[] = [
  // The plain path, and other spellings of it.
  '/private',
  '/private/',
  '//private',
  '/private//',
  '/./private',
  '/open/../private',
  '/open/..%2fprivate',
  '/open/%2e%2e/private',
  '/open/%2e%2e%2fprivate',
  '/open/..;/private',
  '/open/..%5cprivate',
  String.raw`/open\..\private`,
  '/open/%252e%252e/private',
  '/%70rivate',
  '/%50rivate',
  '/privat%65',
  '/private%2f',
  '/private%2F',
  '/private%20',
  '/private%00',
  '/private%00.css',
  '/private%0a',
  '/private%0d%0a',
  '/private.',
  '/private.json',
  '/PRIVATE',
  '/Private',
  '/%EF%BD%90rivate',
  '/pr%C4%B1vate',
  '/priv%61te?x=/open',
  '/private;/open',
  '/private;a=b',
  '/private?/open',
  '/private#/open',
  '/private%3f/open',
  '/private%23/open',
  '/open%2f..%2fprivate',
  '/open/%2fprivate/../../private',
  '/shop/till',
  '/shop/%74ill',
  '/shop/t%69ll',
  '/shop//till',
  '/shop/./till',
  '/shop/till?id=1',
  '/healthz/../private',
  '/healthz%2f..%2fprivate',
  '/healthz;/../private',
  '/files/',
  '/files/open',
  '/files/../open',
  '/files/..%2fopen',
  '/files//etc',
  '/any',
  '/%61ny',
  // The server's own.
  '/agents',
  '/%61gents',
  '/agents/',
  '/agents?',
  '/agents?key',
  '/agents?key=',
  '/agents?key=undefined',
  '/agents?key=null',
  '/agents?key[]=',
  '/agents?key=a&key=b',
  '/agents?dev=true',
  '/agents?token=true',
  '/agents?x-console-access-key=a',
  '/doc',
  '/do%63',
  '/',
  '/?',
  '/ui',
  '/ui/',
  '/ui/json',
  '/ui/static/swagger-ui.css',
  '/ui/static/../json',
  '/ui/static/..%2fjson',
  '/ui/static/%2e%2e/json',
  '/ui/./json',
  '/observability/status',
  '/%zz',
  '/%',
  '*',
];

const requests: readonly (readonly [string, string])[] = [
  ...paths.map((path) => [`GET ${path}`, ''] as const),
  ...['/private', '/agents', '/shop/till', '/any'].flatMap((path) => [
    [`HEAD ${path}`, ''] as const,
    [`OPTIONS ${path}`, ''] as const,
    [`TRACE ${path}`, ''] as const,
    [`GET http://127.0.0.1${path}`, ''] as const,
    [`GET http://127.0.0.1/open/..${path}`, ''] as const,
    [`GET HTTP://open.example${path}`, ''] as const,
    [`get ${path}`, ''] as const,
    [`POST ${path}`, 'x-http-method-override: GET\r\ncontent-length: 0\r\n'] as const,
    [`POST ${path}?_method=GET`, 'x-method-override: GET\r\ncontent-length: 0\r\n'] as const,
    [`GET ${path}`, 'x-original-url: /open\r\nx-rewrite-url: /open\r\nx-forwarded-prefix: /open\r\n'] as const,
    [`GET ${path}`, 'x-forwarded-for: 127.0.0.1\r\nx-forwarded-host: localhost\r\n'] as const,
    [`GET ${path}`, 'x-service-dev: true\r\n'] as const,
    [`GET ${path}?dev=true`, 'upgrade: websocket\r\n'] as const,
    [`GET ${path}`, 'x-console-access-key:\r\n'] as const,
    [`GET ${path}`, 'authorization: Bearer\r\n'] as const,
    [`GET ${path}`, 'authorization: Bearer null\r\n'] as const,
    [`GET ${path}`, 'accept-version: 1\r\n'] as const,
  ]),
];

it('has many hostile paths', () => {
  expect(paths.length).toBeGreaterThan(60);
});

it.each(requests)('refuses %j with the headers %j', async (line, headers) => {
  const answer = await exchange(
    port,
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close${headers.startsWith('upgrade') ? ', upgrade' : ''}\r\n${headers}\r\n`,
  );
  expect(answer).not.toContain(secret);
  const [, status = ''] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
  const isOpen = answer.endsWith('\r\n\r\nopen');
  // The router decides which route is open: a segment with an encoded slash is still one segment.
  expect(isOpen ? '401' : status).toMatch(/^40[01]$/);
});
