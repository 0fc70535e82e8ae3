import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { ConnectionError, UnexpectedReplyError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import { parseEvent } from './read-events.ts';
import type { components } from './schema.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

type Schemas = components['schemas'];

interface Success<Type extends string, Data> {
  readonly type: Type;
  readonly success: true;
  readonly data: Data;
}

interface Failure {
  readonly type: 'ERROR';
  readonly success: false;
  readonly error: string;
}

interface SpanEvent {
  readonly type: 'span:start' | 'span:end' | 'span:error';
  readonly span: Schemas['Span'];
  readonly timestamp: string;
}

type Pong = { readonly type: 'PONG'; readonly success: true };

/** A request that no longer waits. */
export interface SettledApproval extends Pick<Schemas['Approval'], 'conversationId' | 'executionId' | 'id'> {
  /** The decision. Null: the request has ended without one, or asks others now. */
  readonly approved: boolean | null;
  /** The user who has answered; null for an operator without a name, and without an answer. */
  readonly answeredBy: string | null;
  readonly reason: string | null;
  /** Nobody has answered in time. */
  readonly expired: boolean;
}

/** The messages of each channel. */
export interface ChannelMessages {
  '/ws': Success<'CONNECTION_TEST', Readonly<Record<string, unknown>>> | Success<'ECHO', unknown> | Failure;
  '/ws/approvals':
    | Success<'CONNECTION_SUCCESS', Readonly<Record<string, unknown>>>
    | Success<'APPROVAL_REQUESTED', Schemas['Approval']>
    | Success<'APPROVAL_SETTLED', SettledApproval>
    | Pong
    | Failure;
  '/ws/logs':
    | { readonly type: 'initial' | 'update'; readonly logs: readonly Schemas['LogEntry'][]; readonly timestamp: string }
    | Failure;
  '/ws/observability':
    | Success<'CONNECTION_SUCCESS' | 'OBSERVABILITY_CHANGE', Readonly<Record<string, unknown>>>
    | Success<'OBSERVABILITY_EVENT', SpanEvent>
    | Success<'OBSERVABILITY_LOG', Schemas['LogRecord']>
    | Pong
    | Failure;
}

export interface ChannelOptions extends CallOptions {
  /** The query of the channel, such as `level` of `/ws/logs`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /**
   * Called for each connection, the later ones too: read the state again that may have changed in
   * between.
   */
  readonly onOpen?: (() => void) | undefined;
  /** Called when the connection is lost, before it is opened again. */
  readonly onLost?: ((error: ConnectionError) => void) | undefined;
  /** How many messages are kept for a reader that is slow. Default 10 000. */
  readonly bufferedMessages?: number | undefined;
}

/**
 * Close codes after which another attempt ends the same way: the client itself sent something that
 * is not accepted.
 */
const finalCodes: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1009]);

/**
 * A WebSocket of the server. `for await` connects, and connects again when the connection is lost:
 * messages of the time in between are missing. A reader that leaves closes it.
 */
export class Channel<Message> implements AsyncIterable<Message> {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #options: ChannelOptions;
  #socket: WebSocket | undefined;

  constructor(connection: Connection, path: string, options: ChannelOptions) {
    this.#connection = connection;
    this.#path = path;
    this.#options = options;
  }

  /** Sends a message as JSON. @throws ConnectionError while it is not connected */
  send(message: unknown): void {
    if (this.#socket?.readyState !== 1) throw new ConnectionError(`The channel ${this.#path} is not connected`);
    this.#socket.send(JSON.stringify(message));
  }

  /**
   * @throws ConnectionError after too many attempts in a row, or when the reader is too slow; the
   * reason of the signal
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    const { onLost, query = {}, signal } = this.#options;
    const { reconnects } = this.#connection;
    for (let failures = 0; ; failures += 1) {
      throwIfAborted(signal);
      const socket = await this.#connection.openSocket(this.#path, query);
      this.#socket = socket;
      const inbox = new Inbox(socket, this.#options);
      try {
        for await (const text of inbox.read()) {
          failures = 0;
          yield parseEvent<Message>(text, 101);
        }
      } finally {
        inbox.close();
        this.#socket = undefined;
      }
      const lost = new ConnectionError(`The channel ${this.#path} was closed (${inbox.closeCode})`);
      if (finalCodes.has(inbox.closeCode) || failures >= reconnects) throw lost;
      onLost?.(lost);
      await pause(backoffMs(failures), signal);
    }
  }
}

/** The texts that a socket has received and nobody has read. */
class Inbox {
  closeCode = 1006;
  readonly #socket: WebSocket;
  readonly #signal: AbortSignal | undefined;
  readonly #texts: string[] = [];
  #isClosed = false;
  #failure: Error | undefined;
  #wake = (): void => {};
  readonly #onAbort = (): void => this.#end();

  constructor(socket: WebSocket, { bufferedMessages = 10_000, onOpen, signal }: ChannelOptions) {
    this.#socket = socket;
    this.#signal = signal;
    socket.addEventListener('open', () => onOpen?.());
    socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
      if (typeof data !== 'string') return this.#fail(new UnexpectedReplyError(101, ''));
      if (this.#texts.length >= bufferedMessages)
        return this.#fail(new ConnectionError(`${bufferedMessages} messages were not read`));
      this.#texts.push(data);
      this.#wake();
    });
    socket.addEventListener('close', ({ code }) => {
      this.closeCode = code;
      this.#end();
    });
    // A close event follows.
    socket.addEventListener('error', () => {});
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    // Its events are over when the address may not be called at all, such as one with the port of
    // another protocol.
    if (socket.readyState === 3) this.#end();
  }

  async *read(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      throwIfAborted(this.#signal);
      const text = this.#texts.shift();
      if (text !== undefined) yield text;
      else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#socket.close();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.close();
    this.#end();
  }

  #end(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
