import type { AuthProvider } from '@halyard/contracts';
import { createTool } from '@halyard/core';
import type { ServerOptions } from '@halyard/server-fastify';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { expect, it, onTestFinished } from 'vitest';
import { mcpServer } from './mcp-server.ts';
import { openAuthorizationServer } from './testing/authorization-server.ts';
import { openServer } from './testing/open-server.ts';

const whoAmI = createTool({
  name: 'whoAmI',
  description: 'Who calls',
  input: { type: 'object' } as const,
  execute: (_, { userId }) => userId ?? 'nobody',
});
const shop = mcpServer({ id: 'shop', version: '1', tools: [whoAmI] });
const message = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

function provider(issuers?: readonly string[]): AuthProvider {
  return {
    type: 'test',
    ...(issuers !== undefined && { issuers }),
    verifyToken: (token) => (token === 'token of ada' ? { id: 'ada' } : null),
  };
}

function serve(issuers?: readonly string[], more: ServerOptions = {}): Promise<string> {
  return openServer({ mcpServers: [shop], auth: { provider: provider(issuers) }, ...more });
}

/** A client's own storage, as the SDK asks for it. */
class SignIn implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1/callback';
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], client_name: 'test' };
  askedAt: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.askedAt = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

// The client refuses metadata of another address than it was given.
it.each(['127.0.0.1', 'localhost'])('leads the official client at %s to the authorization server', async (host) => {
  const authorization = await openAuthorizationServer('token of ada');
  const url = new URL('/mcp/shop', await serve([authorization.issuer]));
  url.hostname = host;
  const authProvider = new SignIn();
  const open = () => new StreamableHTTPClientTransport(url, { authProvider });
  const connect = async (transport: StreamableHTTPClientTransport): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(transport);
    return client;
  };

  const transport = open();
  await expect(connect(transport)).rejects.toThrow(UnauthorizedError);
  expect(authProvider.askedAt?.origin).toBe(authorization.issuer);
  expect(authProvider.askedAt?.searchParams.get('resource')).toBe(url.href);
  await transport.finishAuth('code');
  expect(authorization.resources).toEqual([url.href]);

  const client = await connect(open());
  expect(await client.callTool({ name: 'whoAmI' })).toMatchObject({ content: [{ text: 'ada' }] });
});

it.each(['', '/api'])('publishes the metadata, below the prefix "%s"', async (prefix) => {
  const issuer = 'https://id.example.com/';
  const origin = await serve([issuer, 'not a URL', 'urn:issuer'], { prefix });
  const base = `${origin}${prefix}`;
  const metadata = `${base}/.well-known/oauth-protected-resource`;
  for (const [path, resource] of [
    ['', base],
    ['/mcp/shop', `${base}/mcp/shop`],
    ['/mcp/unknown', `${base}/mcp/unknown`],
  ] as const) {
    const reply = await fetch(`${metadata}${path}`);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
  }
  const challenge = `Bearer resource_metadata="${metadata}/mcp/shop"`;
  const wrong = { ...message, headers: { ...message.headers, authorization: 'Bearer wrong' } };
  for (const init of [message, wrong, { method: 'GET' }, { method: 'DELETE' }]) {
    const refused = await fetch(`${base}/mcp/shop`, init);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, challenge]);
  }
  const odd = await fetch(`${base}/mcp/a%22,%20b%0d%0ac`, message);
  expect(odd.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}/mcp/a%22%2C%20b%0D%0Ac"`);
  const agents = await fetch(`${base}/api/memory/conversations`);
  expect(agents.headers.get('www-authenticate')).toBe('Bearer');
});

it('names the metadata in legacy mode, where only calls need a token', async () => {
  const auth = { mode: 'legacy', provider: provider(['https://id.example.com']) } as const;
  const origin = await openServer({ mcpServers: [shop], auth });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoAmI', arguments: {} } };
  const refused = await fetch(`${origin}/mcp/shop`, { ...message, body: JSON.stringify(call) });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp/shop"`,
  ]);
});

it.each([
  ['names no issuer', undefined],
  ['names none that is a URL', ['my-app']],
])('has no metadata if the provider %s', async (_, issuers) => {
  const origin = await serve(issuers);
  for (const path of ['', '/mcp/shop']) {
    const reply = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
    expect([reply.status, reply.headers.get('x-error-code')]).toEqual([404, 'RESOURCE_METADATA_NOT_FOUND']);
  }
  expect((await fetch(`${origin}/mcp/shop`, message)).headers.get('www-authenticate')).toBe('Bearer');
});
