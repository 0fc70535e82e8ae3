import { Agent, type McpServer } from '@halyard/core';
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
async function written(options: ServerOptions, headers: Readonly<Record<string, string>> = {}): Promise<Written> {
  const agents = [new Agent({ id: 'helper', model: scriptedModel('ok') })];
  const { close, origin } = await serve([], {
    agents,
    mcpServers: [shop],
    host: '127.0.0.1',
    enableSwaggerUI: true,
    console: false,
    ...options,
  });
  onTestFinished(close);
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

function everywhere(url: string): Pick<Written, 'card' | 'landing' | 'mcp' | 'mcpList'> {
  return { card: url, mcp: url, mcpList: url, landing: url };
}

describe('the addresses that a server writes', () => {
  it('are where it listens, without a proxy', async () => {
    const { origin, ...found } = await written({});
    expect(found).toEqual({ ...everywhere(origin), documented: '/', explored: '/' });
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
