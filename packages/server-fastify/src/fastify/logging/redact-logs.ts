import type { FastifyRequest, FastifyServerOptions } from 'fastify';

export type LoggerOptions = Exclude<FastifyServerOptions['logger'], boolean | undefined>;

const credentialHeaders = ['authorization', 'x-console-access-key'] as const;
const redacted = '[redacted]';

/** Removes credentials from a server's log: from URLs and from headers in the fields `req`, `request` and `headers`. */
export function redactLogs(options: LoggerOptions): LoggerOptions {
  const describe = options.serializers?.['req'] ?? describeRequest;
  return {
    ...options,
    redact: redaction(options.redact),
    serializers: { ...options.serializers, req: (request: FastifyRequest) => withoutCredentials(describe(request)) },
  };
}

function redaction(own: LoggerOptions['redact']): NonNullable<LoggerOptions['redact']> {
  const paths = ['', 'request.', 'raw.', 'err.request.'].flatMap((holder) =>
    credentialHeaders.map((name) => `${holder}headers["${name}"]`),
  );
  if (own === undefined) return { paths, censor: redacted };
  return Array.isArray(own) ? [...paths, ...own] : { ...own, paths: [...paths, ...own.paths] };
}

/** The fields that Fastify logs of a request. */
function describeRequest({ host, ip, method, socket, url }: FastifyRequest): {
  method: string;
  url: string;
  host: string;
  remoteAddress: string;
  remotePort: number | undefined;
} {
  return { method, url, host, remoteAddress: ip, remotePort: socket.remotePort };
}

function withoutCredentials(fields: object): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...fields };
  if (typeof copy['url'] === 'string') copy['url'] = redactUrl(copy['url']);
  const { headers } = copy;
  if (typeof headers === 'object' && headers !== null) copy['headers'] = withoutHeaders(headers);
  return copy;
}

function withoutHeaders(headers: object): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isCredential(name) ? redacted : (value as unknown)]),
  );
}

function isCredential(name: string): boolean {
  return credentialHeaders.some((header) => header === name.toLowerCase());
}

const secret: ReadonlySet<string> = new Set([
  'access-token',
  'access_token',
  'accesstoken',
  'api-key',
  'api_key',
  'apikey',
  'auth_token',
  'authorization',
  'client_secret',
  'id_token',
  'jwt',
  'key',
  'password',
  'refresh_token',
  'secret',
  'token',
  'x-api-key',
  'x-console-access-key',
]);

/** Replaces the values of keys and tokens in the query of a URL, in any encoding and case. */
export function redactUrl(url: string): string {
  const start = url.search(/[?#]/);
  if (start === -1) return url;
  return url.slice(0, start + 1) + url.slice(start + 1).replaceAll(/[^&;?#]+/g, redactPair);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return pair;
  const name = nameOf(pair.slice(0, equals));
  return name === undefined || secret.has(name) ? `${pair.slice(0, equals)}=${redacted}` : pair;
}

function nameOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).trim().toLowerCase();
  } catch {
    return undefined;
  }
}
