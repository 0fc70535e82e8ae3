import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Agent } from '@halyard/core';
import type { McpServer } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { beforeEach, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';
import { serve } from '../testing/serve.ts';

/** As of a proxy that terminates TLS. */
const forwarded = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'api.example.org',
  'x-forwarded-proto': 'https',
};
const trusting = { trustProxy: 'loopback' };

beforeEach(() => {
  // In development, a server without `auth` refuses requests of proxies.
  vi.stubEnv('NODE_ENV', 'production');
});

afterEach(() => vi.unstubAllEnvs());

const shop: McpServer = {
  id: 'shop',
  name: 'shop',
  version: '1',
  description: '',
  transport: 'streamable-http',
  workflows: [],
  listTools: async () => [],
  handle: async () => new Response(),
  close: async () => {},
};

interface Written {
  /** The address where the server listens. */
  readonly origin: string;
  readonly card: string;
  readonly mcp: string;
  readonly mcpList: string;
  readonly landing: string;
  /** `servers` of the OpenAPI document, and of the one that the explorer reads. */
  readonly documented: string;
  readonly explored: string;
}

/** The addresses that a server writes for a request with these headers. */
async function written(
  options: ServerOptions,
  headers: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
): Promise<Written> {
  const agents = [new Agent({ id: 'helper', model: scriptedModel('ok') })];
  const { close, port } = await serve([], {
    agents,
    mcpServers: [shop],
    host: '127.0.0.1',
    enableSwaggerUI: true,
    console: false,
    ...options,
  });
  onTestFinished(close);
  const origin = `http://${host}:${port}`;
  const { prefix = '' } = options;
  const read = async (path: string): Promise<string> => (await fetch(`${origin}${prefix}${path}`, { headers })).text();
  const find = async (path: string, pattern: RegExp): Promise<string> => pattern.exec(await read(path))?.[1] ?? '';
  return {
    origin,
    card: await find('/agents/helper/card', /"documentationUrl":"(.*?)\/doc"/),
    mcp: await find('/mcp/servers/shop', /"url":"(.*?)\/mcp\/shop"/),
    mcpList: await find('/mcp/servers', /"url":"(.*?)\/mcp\/shop"/),
    landing: await find(prefix === '' ? '/' : '', /curl -N (.*?)\/agents\/helper/),
    documented: await find('/doc', /"servers":\[\{"url":"(.*?)"/),
    explored: await find('/ui/json', /"servers":\[\{"url":"(.*?)"/),
  };
}

/** The address of the document in the card of an agent, for a request with this `Host`. */
async function cardWithHost(port: number, host: string): Promise<string | undefined> {
  const call = request({ host: '127.0.0.1', port, path: '/agents/helper/card', headers: { host } }).end();
  const [reply] = (await once(call, 'response')) as [IncomingMessage];
  return /"documentationUrl":"(.*?)"/.exec(await readText(reply))?.[1];
}

function everywhere(url: string): Pick<Written, 'card' | 'landing' | 'mcp' | 'mcpList'> {
  return { card: url, mcp: url, mcpList: url, landing: url };
}

describe('the addresses that a server writes', () => {
  it('are where it listens, without a proxy', async () => {
    const { origin, ...found } = await written({});
    expect(found).toEqual({ ...everywhere(origin), documented: '/', explored: '/' });
  });

  it('are those by which a program on this computer has called the server', async () => {
    const { origin, ...found } = await written({}, {}, 'localhost');
    expect(found).toEqual({ ...everywhere(origin), documented: '/', explored: '/' });
    expect(new URL(origin).hostname).toBe('localhost');
  });

  it('are where it listens, whatever other name a request has sent', async () => {
    const agents = [new Agent({ id: 'helper', model: scriptedModel('ok') })];
    const { close, origin, port } = await serve([], { agents, host: '127.0.0.1' });
    onTestFinished(close);
    const hosts = [
      'evil.example',
      'localhost.evil.example',
      `127.0.0.1.evil.example:${port}`,
      'localhost@evil.example',
    ];
    for (const host of hosts) expect([host, await cardWithHost(port, host)]).toEqual([host, `${origin}/doc`]);
    expect(await cardWithHost(port, 'localhost:1')).toBe('http://localhost:1/doc');
  });

  it.each<[string, ServerOptions, Readonly<Record<string, string>>]>([
    ['`publicUrl`', { publicUrl: 'https://api.example.org' }, {}],
    ['`publicUrl` with a slash', { publicUrl: 'https://api.example.org/' }, {}],
    [
      '`publicUrl`, whatever is forwarded',
      { publicUrl: 'https://api.example.org', ...trusting },
      { ...forwarded, 'x-forwarded-host': 'other.example.org' },
    ],
  ])('are %s', async (_what, options, headers) => {
    const expected = { ...everywhere('https://api.example.org'), documented: 'https://api.example.org', explored: '/' };
    expect(await written(options, headers)).toMatchObject(expected);
  });

  it('have the path of `publicUrl` before the prefix of the server', async () => {
    const found = await written({ publicUrl: 'https://example.org:8443/shop/ai', prefix: '/v1' });
    const root = 'https://example.org:8443/shop/ai';
    expect(found).toMatchObject({ ...everywhere(`${root}/v1`), documented: root, explored: '/shop/ai' });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['host and protocol', {}, 'https://api.example.org'],
    ['a port', { 'x-forwarded-host': 'api.example.org:8443' }, 'https://api.example.org:8443'],
    ['an IPv6 address', { 'x-forwarded-host': '[2001:db8::1]:8443' }, 'https://[2001:db8::1]:8443'],
    [
      'the last of several proxies',
      { 'x-forwarded-host': 'evil.example, api.example.org', 'x-forwarded-proto': 'http, https' },
      'https://api.example.org',
    ],
  ])('are those of a trusted proxy: %s', async (_what, more, expected) => {
    const found = await written(trusting, { ...forwarded, ...more });
    expect(found).toMatchObject({ ...everywhere(expected), documented: '/', explored: '/' });
  });

  it('are those of a trusted proxy that passes `Host` on', async () => {
    const { 'x-forwarded-host': _, ...headers } = forwarded;
    const { origin, ...found } = await written(trusting, headers);
    expect(found).toMatchObject(everywhere(origin.replace('http:', 'https:')));
  });

  it.each<[string, ServerOptions, Readonly<Record<string, string>>]>([
    ['without `trustProxy`', {}, {}],
    ['by a proxy that is not trusted', { trustProxy: '198.51.100.1' }, {}],
    ['with a host that is markup', trusting, { 'x-forwarded-host': '"><script>alert(1)</script>' }],
    ['with a host that has a path', trusting, { 'x-forwarded-host': 'api.example.org/evil' }],
    ['with a host that has a user', trusting, { 'x-forwarded-host': 'api.example.org@evil.example' }],
    ['with a port that is none', trusting, { 'x-forwarded-host': 'api.example.org:99999' }],
    ['with a scheme of a script', trusting, { 'x-forwarded-proto': 'javascript' }],
  ])('are where it listens, for a request that is forwarded %s', async (_what, options, more) => {
    const { origin, ...found } = await written(options, { ...forwarded, ...more });
    expect(found).toEqual({ ...everywhere(origin), documented: '/', explored: '/' });
  });
});

/** The links, scripts and styles of a page, and its base. */
function referencesIn(page: string): readonly string[] {
  return [...page.matchAll(/<(?:a|script|link|base)\s[^>]*?(?:href|src)="(\/[^"]*)"/g)].map(([, url = '']) => url);
}

/** The landing page, the explorer, and the console if it is built. */
async function openPages(options: ServerOptions, headers: Readonly<Record<string, string>> = {}) {
  const agents = [new Agent({ id: 'helper', model: scriptedModel('ok') })];
  const links = [{ title: 'Status', url: '/healthz', agents: ['helper'] }];
  const server = await serve([], { agents, enableSwaggerUI: true, host: '127.0.0.1', links, ...options });
  onTestFinished(server.close);
  const { prefix = '' } = options;
  const fetchWith = async (path: string, sent: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${server.origin}${path}`, { headers: sent });
  const get = async (path: string): Promise<Response> => fetchWith(path, headers);
  const pages = { landing: prefix === '' ? '/' : prefix, explorer: `${prefix}/ui`, console: `${prefix}/console` };
  const texts = await Promise.all(Object.values(pages).map(async (path) => (await get(path)).text()));
  return { fetchWith, get, references: texts.map(referencesIn), texts };
}

describe('the pages', () => {
  it('load everything below the prefix of the server', async () => {
    const { get, references } = await openPages({ prefix: '/api' });
    expect(references.slice(0, 2).map((list) => list.length > 0)).toEqual([true, true]);
    for (const url of references.flat().filter((reference) => !reference.startsWith('/healthz'))) {
      expect(url).toMatch(/^\/api(?:\/|$)/);
      expect([url, (await get(url)).status]).toEqual([url, 200]);
    }
  });

  it.each(['/shop/ai', '/shop/ai/', '/a.b_c~d-1'])(
    'load everything below the path %s that a proxy strips',
    async (stripped) => {
      const { get, references } = await openPages(trusting, { ...forwarded, 'x-forwarded-prefix': stripped });
      const path = stripped.replace(/\/$/, '');
      expect(references.slice(0, 2).map((list) => list.length > 0)).toEqual([true, true]);
      for (const url of references.flat()) {
        expect(url.startsWith(path)).toBe(true);
        expect([url, (await get(url.slice(path.length) || '/')).status]).toEqual([url, 200]);
      }
    },
  );

  it('load everything below the path of `publicUrl` and the prefix', async () => {
    const { references } = await openPages({ publicUrl: 'https://example.org/shop', prefix: '/v1' });
    const own = references.flat().filter((url) => !url.startsWith('/shop/healthz'));
    expect(own.length).toBeGreaterThan(10);
    expect(own.every((url) => /^\/shop\/v1(?:\/|$)/.test(url))).toBe(true);
  });

  it('get the path in the OpenAPI document of the explorer, too', async () => {
    const { get } = await openPages(trusting, { ...forwarded, 'x-forwarded-prefix': '/ai' });
    for (const path of ['/doc', '/ui/json']) {
      expect(await (await get(path)).json()).toMatchObject({ servers: [{ url: '/ai' }] });
    }
  });

  it('ignore a value that is no plain path, and a path that no trusted proxy has sent', async () => {
    const { texts } = await openPages(trusting, forwarded);
    const hostile = [
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '/a//evil.example',
      'https://evil.example',
      'evil',
      '/..',
      '/a/../b',
      '/./a',
      '/%2e%2e',
      '/"><script>alert(1)</script>',
      "/'onload='alert(1)",
      '/a b',
      '/a?b=c',
      '/a#b',
      '/a, /b',
      '/a;b',
      '/$&',
      '/',
      '',
      `/${'a'.repeat(300)}`,
    ];
    const withoutPort = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, 'here');
    const server = await openPages(trusting);
    for (const prefix of hostile) {
      const headers = { ...forwarded, 'x-forwarded-prefix': prefix };
      const found = await Promise.all(
        ['/', '/ui', '/console'].map(async (path) => (await server.fetchWith(path, headers)).text()),
      );
      expect([prefix, found.map(withoutPort)]).toEqual([prefix, texts.map(withoutPort)]);
    }
    for (const options of [{}, { trustProxy: '198.51.100.1' }]) {
      const plain = await openPages(options, forwarded);
      const sent = await openPages(options, { ...forwarded, 'x-forwarded-prefix': '/ai' });
      expect(sent.texts.map(withoutPort)).toEqual(plain.texts.map(withoutPort));
    }
  });
});

it.each([
  'api.example.org',
  '/ai',
  '',
  'ftp://example.org',
  'https://ada:secret@example.org',
  'https://example.org/?a=1',
  'https://example.org/#a',
  'https://example.org//other.example',
  'https://example.org/a b',
  'https://example.org/"onload',
])('refuses %j as `publicUrl`', async (publicUrl) => {
  await expect(createServer({ publicUrl })).rejects.toThrow(/The option `publicUrl` must be an http\(s\) URL/);
});
