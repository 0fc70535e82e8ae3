/**
 * A header or credential; a function is called before each request, so that it can renew an expired
 * value.
 */
export type Renewable<Value> = Value | (() => Value | Promise<Value>);

export interface ClientOptions {
  /**
   * The address of the server with its prefix, such as `https://api.example.com/ai`. Default, in a
   * browser: the origin of the page.
   */
  readonly baseUrl?: string | undefined;
  /** The token of a user. */
  readonly token?: Renewable<string | undefined> | undefined;
  /**
   * Opens the routes of the console. It is a secret of operators: never send it to the browsers of
   * users.
   */
  readonly consoleKey?: Renewable<string | undefined> | undefined;
  /** Sent with each HTTP request. */
  readonly headers?: Renewable<Readonly<Record<string, string>>> | undefined;
  /**
   * How often a request is sent again that could not reach the server, or that it refused with
   * `Retry-After` before it began anything. Default 2.
   */
  readonly retries?: number | undefined;
  /**
   * How many attempts in a row a stream or channel makes to connect again. Default 10, in about a
   * minute.
   */
  readonly reconnects?: number | undefined;
  /** Default: the global `fetch`. In React Native: `fetch` of `expo/fetch`, which streams. */
  readonly fetch?: FetchFunction | undefined;
  /** Default: the global `WebSocket`. */
  readonly WebSocket?: typeof WebSocket | undefined;
}

/** The part of `fetch` that the client uses. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Always `manual` where the client calls `fetch`: a redirect is an `UnexpectedReplyError`. */
  readonly redirect?: 'manual';
  readonly signal?: AbortSignal;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it throws the reason of the signal, and its connection is closed. */
  readonly signal?: AbortSignal | undefined;
}
