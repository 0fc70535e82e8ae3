import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface AuthorizationServer {
  readonly issuer: string;
  /** The `resource` of each request for a token. */
  readonly resources: (string | null)[];
}

/**
 * A small OAuth server that registers every client, and gives a token for every code. It closes at
 * the end of the test.
 */
export async function openAuthorizationServer(token: string): Promise<AuthorizationServer> {
  const resources: (string | null)[] = [];
  let issuer = '';
  const replyTo = async (path: string, request: IncomingMessage): Promise<object | undefined> => {
    switch (path) {
      case '/.well-known/oauth-authorization-server':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        };
      case '/register':
        return { ...(JSON.parse(await text(request)) as object), client_id: 'client-1' };
      case '/token':
        resources.push(new URLSearchParams(await text(request)).get('resource'));
        return { access_token: token, token_type: 'Bearer' };
      default:
        return undefined;
    }
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await replyTo(new URL(request.url ?? '', issuer).pathname, request);
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, resources };
}
