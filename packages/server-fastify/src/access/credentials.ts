import { isFromAnotherSite } from './another-site.ts';

/** The part of a request that may carry credentials. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly isWebSocket: boolean;
}

/** The credentials of a request, not verified. */
export interface Credentials {
  readonly token: string | undefined;
  /** The value that was sent as the console key, of any type. */
  readonly consoleKey: unknown;
  /** Whether the request asks for the dev bypass and does not come from a page of another site. */
  readonly hasDevBypass: boolean;
}

/**
 * Reads the credentials of a request: the token from `Authorization`, the console key from
 * `x-console-access-key` or `?key=`, and the dev bypass from `x-service-dev`. Browsers cannot send
 * headers with a WebSocket: there the token may be `?token=`, and the bypass is `?dev=true`.
 */
export function readCredentials(source: CredentialSource): Credentials {
  const { headers, query } = source;
  return {
    token: readToken(source),
    consoleKey: headers['x-console-access-key'] ?? query['key'],
    hasDevBypass: hasDevBypass(source),
  };
}

function readToken({ headers, isWebSocket, query }: CredentialSource): string | undefined {
  const { authorization } = headers;
  const token = typeof authorization === 'string' ? /^bearer +(\S.*)$/i.exec(authorization)?.[1]?.trimEnd() : undefined;
  if (token !== undefined || !isWebSocket) return token;
  return typeof query['token'] === 'string' && query['token'] !== '' ? query['token'] : undefined;
}

function hasDevBypass({ headers, isWebSocket, query }: CredentialSource): boolean {
  const isRequested = isWebSocket ? query['dev'] === 'true' : headers['x-service-dev'] === 'true';
  // A page of another site must not reach a developer's local server.
  return isRequested && !isFromAnotherSite(headers, typeof headers['host'] === 'string' ? headers['host'] : undefined);
}
