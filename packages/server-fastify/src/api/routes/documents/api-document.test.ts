import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createServer, type HalyardServer } from '../../../create-server.ts';

let server: HalyardServer;
beforeAll(async () => {
  server = await createServer({
    logger: false,
    console: false,
    trustProxy: 'loopback',
    cors: { origin: ['https://app.example.org'] },
  });
});
afterAll(() => server.close());

function load(headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') {
  return server.app.inject({ method, url: '/doc', headers });
}

describe('the coding of /doc', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0, br;q=0', undefined],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=none', undefined],
    [',;=,', undefined],
  ])('for `accept-encoding: %s` is %s', async (accepted, coding) => {
    const plain = await load();
    const reply = await load(accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-encoding']).toBe(coding);
    expect(decoded(reply.rawPayload, coding)).toBe(plain.body);
    expect(reply.headers['content-length']).toBe(String(reply.rawPayload.length));
    expect(reply.headers.etag).toBe(plain.headers.etag);
    expect(reply.headers.vary).toMatch(/(^|, )accept-encoding$/);
  });

  it('makes it much smaller', async () => {
    const [plain, ...compressed] = await Promise.all(
      ['identity', 'gzip', 'br'].map((accepted) => load({ 'accept-encoding': accepted })),
    );
    for (const { rawPayload } of compressed)
      expect(rawPayload.length * 5).toBeLessThan(plain?.rawPayload.length ?? Number.NaN);
  });
});

describe('the ETag of /doc', () => {
  it.each([
    ['itself', (tag: string) => tag],
    ['its strong form', (tag: string) => tag.replace('W/', '')],
    ['a list', (tag: string) => `"other", ${tag}`],
    ['anything', () => '*'],
  ])('saves the body where the client has %s', async (_, toHeader) => {
    const { headers } = await load();
    for (const method of ['GET', 'HEAD'] as const) {
      const asked = { 'if-none-match': toHeader(String(headers.etag)), 'accept-encoding': 'br' };
      const reply = await load(asked, method);
      expect(reply).toMatchObject({ statusCode: 304, body: '' });
      expect(reply.headers).toMatchObject({
        etag: headers.etag,
        vary: headers.vary,
        'cache-control': 'private, no-cache',
      });
      expect(reply.headers).not.toHaveProperty('content-encoding');
    }
  });

  it.each(['"other"', 'W/"other"', 'nonsense', ''])('sends the document to a client that has %s', async (tag) => {
    const reply = await load({ 'if-none-match': tag });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toHaveProperty('openapi');
  });

  it('differs where the document does', async () => {
    // In development, a server without `auth` refuses requests of proxies.
    vi.stubEnv('NODE_ENV', 'production');
    const proxy = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-prefix': '/ai' };
    const [own, forwarded, again] = [await load(), await load(proxy), await load()];
    vi.unstubAllEnvs();
    expect(forwarded.json()).toMatchObject({ servers: [{ url: '/ai' }] });
    expect(forwarded.headers.etag).not.toBe(own.headers.etag);
    expect(again.headers.etag).toBe(own.headers.etag);
  });
});

it('keeps the Vary header of the reply for other sites', async () => {
  const { headers } = await load({ origin: 'https://app.example.org' });
  expect(headers.vary).toBe('Origin, accept-encoding');
});

function decoded(body: Buffer, coding: string | undefined): string {
  if (coding === 'br') return brotliDecompressSync(body).toString();
  return (coding === 'gzip' ? gunzipSync(body) : body).toString();
}
