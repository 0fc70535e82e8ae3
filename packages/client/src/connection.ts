import createApi, { type Client, defaultPathSerializer } from 'openapi-fetch';
import type { ClientOptions, FetchInit, Renewable } from './client-options.ts';
import { apiError, ApiError, ClientError, ConnectionError, UnexpectedReplyError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { paths } from './schema.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * The HTTP API, typed from its document: `api.GET('/agents')`. Throws the errors of the client's
 * methods, so `error` is never set.
 */
export type Api = Client<paths>;

/** Longer waits are left to the caller, who reads them from the error. */
const longestRetryAfterMs = 30_000;

const notInHeaders = /[^\t\u0020-\u007e\u0080-\u00ff]/;

/** How requests reach one server: its address, credentials and retries. */
export class Connection {
  readonly baseUrl: string;
  readonly reconnects: number;
  readonly api: Api;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
    this.reconnects = options.reconnects ?? 10;
    this.api = createApi<paths>({
      baseUrl: this.baseUrl,
      fetch: (request) => this.#forward(request),
      pathSerializer: pathWithIds,
    });
  }

  /** The headers with the credentials. @throws ClientError for a value that no header can have */
  async headers(): Promise<Record<string, string>> {
    const { consoleKey, headers, token } = this.#options;
    const [key, others, bearer] = await Promise.all([readValue(consoleKey), readValue(headers), readValue(token)]);
    const all = {
      ...others,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(key !== undefined && { 'x-console-access-key': key }),
    };
    // The error of `fetch` would contain the value, which may be a credential.
    for (const [name, value] of Object.entries(all))
      if (notInHeaders.test(value.trim()))
        throw new ClientError(`The header ${name} has a line break, or another character that no header can have`);
    return all;
  }

  /**
   * Opens a WebSocket. Browsers send no headers with its handshake, so the credentials are in the
   * query.
   */
  async openSocket(path: string, query: Readonly<Record<string, string>>): Promise<WebSocket> {
    const { consoleKey, token, WebSocket: Socket = globalThis.WebSocket } = this.#options;
    const [key, bearer] = await Promise.all([readValue(consoleKey), readValue(token)]);
    const fields = { ...query, ...(key !== undefined && { key }), ...(bearer !== undefined && { token: bearer }) };
    const search = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const base = this.baseUrl === '' || this.baseUrl.startsWith('/') ? pageOrigin() + this.baseUrl : this.baseUrl;
    return new Socket(`${base.replace(/^http/, 'ws')}${path}${search.length > 0 ? `?${search.join('&')}` : ''}`);
  }

  async #forward(request: Request): Promise<Response> {
    const body = await request.text();
    return this.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(body !== '' && { body }),
      signal: request.signal,
    });
  }

  /**
   * Sends a request, and again while the server cannot be reached or asks for it, unless it may
   * have begun something.
   *
   * @throws ApiError, UnexpectedReplyError, ConnectionError, ClientError, the reason of the signal
   */
  async send(url: string, init: FetchInit): Promise<Response> {
    const { retries = 2 } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#sendOnce(url, init);
      } catch (error) {
        throwIfAborted(init.signal);
        const waitMs = attempt < retries ? retryMs(error, init, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(waitMs, init.signal);
      }
    }
  }

  async #sendOnce(url: string, init: FetchInit): Promise<Response> {
    const { fetch: send = globalThis.fetch } = this.#options;
    const headers = { ...init.headers, ...(await this.headers()) };
    throwIfAborted(init.signal);
    let response: Response;
    try {
      // Halyard redirects nowhere. A redirect to another host would get the console key and the
      // body.
      response = await send(url, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      throwIfAborted(init.signal);
      throw new ConnectionError(`The server at ${this.baseUrl || 'the origin of the page'} cannot be reached`, {
        cause: error,
      });
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && (response.status === 204 || type.startsWith('text/event-stream'))) return response;
    const body = await readBody(response, init.signal);
    if (!response.ok) throw toError(response, body);
    // Everything else comes from a proxy, such as a page that asks to log in.
    if (!type.startsWith('application/json') || parse(body) === undefined)
      throw new UnexpectedReplyError(response.status, body.slice(0, 1000));
    return new Response(body, response);
  }
}

/**
 * The path of a request. `fetch` resolves the segments `.` and `..`, also if they are encoded, and
 * an empty one is another path.
 *
 * @throws ClientError for an id with which the request would reach another route
 */
const pathWithIds: typeof defaultPathSerializer = (pathname, parameters) => {
  for (const [name, id] of Object.entries(parameters))
    if (['', '.', '..'].includes(String(id)))
      throw new ClientError(`${name} must not be ${JSON.stringify(id)}: it would change the path of the request`);
  return defaultPathSerializer(pathname, parameters);
};

/** @throws ConnectionError when the reply breaks off. */
async function readBody(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throwIfAborted(signal);
    throw new ConnectionError('The connection broke', { cause: error });
  }
}

function toError({ headers, status }: Response, body: string): Error {
  const code = headers.get('x-error-code');
  const message = code === null ? undefined : messageIn(body);
  if (code === null || message === undefined) return new UnexpectedReplyError(status, body.slice(0, 1000));
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return apiError({
    status,
    code,
    message,
    requestId: headers.get('x-request-id') ?? undefined,
    executionId: headers.get('x-execution-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

function messageIn(body: string): string | undefined {
  const failure = parse(body) as { readonly error?: unknown } | null | undefined;
  return typeof failure?.error === 'string' ? failure.error : undefined;
}

/** JSON; undefined for other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** When to send a request again; undefined: not at all. */
function retryMs(error: unknown, { method }: FetchInit, attempt: number): number | undefined {
  if (error instanceof ApiError) {
    const { code, retryAfterMs = 0, status } = error;
    // With other codes, the server may have begun something.
    const isRefused = status === 429 || code === 'OVERLOADED' || (status === 503 && method === 'GET');
    return isRefused && retryAfterMs > 0 && retryAfterMs <= longestRetryAfterMs ? retryAfterMs : undefined;
  }
  // Whether it reached the server is not known, so only what changes nothing is repeated.
  return error instanceof ConnectionError && method === 'GET' ? backoffMs(attempt) : undefined;
}

function readValue<Value>(renewable: Renewable<Value> | undefined): Value | Promise<Value> | undefined {
  return typeof renewable === 'function' ? (renewable as () => Value | Promise<Value>)() : renewable;
}

function pageOrigin(): string {
  return (globalThis as { readonly location?: { readonly origin: string } }).location?.origin ?? '';
}
