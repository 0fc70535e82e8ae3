/** The part of a request that may carry credentials. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly isWebSocket: boolean;
}

/** What a request shows for itself, none of it verified. */
export interface Credentials {
  readonly token: string | undefined;
  /** What was sent as the console key, whatever it is. */
  readonly consoleKey: unknown;
  /** Asks to be let in as a developer, and does not come from another site's page. */
  readonly hasDevBypass: boolean;
}

/**
 * Reads the credentials of a request: the token from the Authorization header, the console key from its header or, without one, from
 * `?key=`, the dev bypass from its header. Browsers cannot send headers with a WebSocket: there the token may be `?token=`, and the
 * bypass is `?dev=true`.
 */
export function readCredentials(source: CredentialSource): Credentials {
  const { headers, query } = source;
  return {
    token: tokenOf(source),
    consoleKey: headers['x-console-access-key'] ?? query['key'],
    hasDevBypass: asDeveloper(source),
  };
}

function tokenOf({ headers, isWebSocket, query }: CredentialSource): string | undefined {
  const { authorization } = headers;
  const token = typeof authorization === 'string' ? /^bearer +(\S.*)$/i.exec(authorization)?.[1]?.trimEnd() : undefined;
  if (token !== undefined || !isWebSocket) return token;
  return typeof query['token'] === 'string' && query['token'] !== '' ? query['token'] : undefined;
}

function asDeveloper({ headers, isWebSocket, query }: CredentialSource): boolean {
  const asks = isWebSocket ? query['dev'] === 'true' : headers['x-service-dev'] === 'true';
  return asks && !isFromAnotherSite(headers);
}

/** A page of another site must not use what its visitor can reach. Browsers say whose page it is; other clients say nothing. */
function isFromAnotherSite(headers: CredentialSource['headers']): boolean {
  const { host, origin } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  if (origin === undefined) return false;
  if (typeof origin !== 'string' || typeof host !== 'string' || !URL.canParse(origin)) return true;
  const { host: originHost, protocol } = new URL(origin);
  const own = `${protocol}//${host}`;
  return originHost === '' || !URL.canParse(own) || new URL(own).host !== originHost;
}
