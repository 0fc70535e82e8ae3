import type { FastifyRequest, FastifyServerOptions } from 'fastify';

export type LoggerOptions = Exclude<FastifyServerOptions['logger'], boolean | undefined>;

const credentialHeaders = ['authorization', 'x-console-access-key'] as const;
const redacted = '[redacted]';

/**
 * Removes credentials from a server's log: from headers in the fields `req`, `request` and
 * `headers`, and with all values of their queries from URLs.
 */
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
  if (typeof copy['url'] === 'string') copy['url'] = withoutQueryValues(copy['url']);
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

/**
 * A URL with the names in its query, without their values: those are what users search for and whom
 * they mean, and may be credentials. Its fragment is left out.
 */
export function withoutQueryValues(url: string): string {
  const [address = ''] = url.split('#', 1);
  const start = address.indexOf('?');
  if (start === -1) return address;
  const names = address
    .slice(start + 1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0]);
  return `${address.slice(0, start)}?${names.join('&')}`;
}
