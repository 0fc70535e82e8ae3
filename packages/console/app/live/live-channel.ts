import { currentCredential } from '../access/credential.ts';
import { apiUrl } from '../api/client.ts';

const firstRetryMs = 500;
const longestRetryMs = 10_000;

export type ChannelState = 'connecting' | 'open' | 'lost';

/**
 * A WebSocket of the server that connects again by itself. `onOpen` is called after each connection: what happened in between must be
 * read from the API.
 */
export class LiveChannel {
  readonly #path: string;
  readonly #query: Readonly<Record<string, string>>;
  readonly #onMessage: (message: unknown) => void;
  readonly #onState: (state: ChannelState) => void;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(options: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly onMessage: (message: unknown) => void;
    readonly onState: (state: ChannelState) => void;
  }) {
    this.#path = options.path;
    this.#query = options.query ?? {};
    this.#onMessage = options.onMessage;
    this.#onState = options.onState;
    this.#connect();
    addEventListener('online', this.#connectNow);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    removeEventListener('online', this.#connectNow);
    this.#socket?.close();
  }

  readonly #connectNow = (): void => {
    if (this.#socket !== undefined || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  #connect(): void {
    this.#onState('connecting');
    const url = new URL(this.#path, apiUrl);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    for (const [name, value] of Object.entries({ ...this.#query, ...credentialQuery() }))
      url.searchParams.set(name, value);
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener('open', () => {
      this.#retryMs = firstRetryMs;
      this.#onState('open');
    });
    socket.addEventListener('message', ({ data }) => this.#onMessage(JSON.parse(String(data))));
    socket.addEventListener('close', () => this.#retry());
  }

  #retry(): void {
    this.#socket = undefined;
    if (this.#isClosed) return;
    this.#onState('lost');
    this.#timer = setTimeout(() => this.#connect(), this.#retryMs * (0.5 + Math.random()));
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }
}

/** Browsers send no headers with the handshake of a WebSocket. */
function credentialQuery(): Record<string, string> {
  const credential = currentCredential();
  if (credential === undefined) return { dev: 'true' };
  return credential.kind === 'key' ? { key: credential.value } : { token: credential.value };
}
