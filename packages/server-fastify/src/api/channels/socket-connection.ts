import type { WebSocket } from 'ws';
import type { ServerLimits } from '../../admission/limits.ts';
import type { Connection } from '../define/define-channel.ts';
import { closeCodes, failureMessage } from './protocol.ts';

/**
 * The memory that a queued message takes in addition to its bytes. Without it, short messages could
 * take many times the limit.
 */
const overheadBytes = 1_024;

export interface SocketConnectionOptions {
  readonly limits: Pick<ServerLimits, 'webSocketBufferBytes' | 'webSocketMessageBytes'>;
  /** Called with errors that a channel threw. */
  readonly report: (error: unknown) => void;
}

/** A connection over an open socket. */
export class SocketConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #options: SocketConnectionOptions;
  #onMessage: ((text: string) => void) | undefined;
  #hasAnswered = true;
  #queued = 0;

  constructor(socket: WebSocket, options: SocketConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
    socket.on('message', (data, isBinary) => {
      this.#hasAnswered = true;
      if (Buffer.isBuffer(data)) this.#receive(data, isBinary);
    });
  }

  get bufferedBytes(): number {
    const { bufferedAmount } = this.#socket;
    // Messages that the network has taken at once are counted until the next turn.
    return bufferedAmount === 0 ? 0 : bufferedAmount + this.#queued * overheadBytes;
  }

  send(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    // Checked before the text is added: one long text does not close the connection of a client
    // that reads.
    if (this.bufferedBytes >= this.#options.limits.webSocketBufferBytes) {
      this.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      return false;
    }
    this.#queued += 1;
    this.#socket.send(text, () => {
      this.#queued -= 1;
    });
    return true;
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
  }

  onClose(listener: () => void): void {
    if (this.#socket.readyState === this.#socket.CLOSED) listener();
    else this.#socket.once('close', () => this.attempt(listener));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Destroys the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Pings the client; terminates the connection when the last ping has no pong. */
  ping(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#hasAnswered) {
      this.terminate();
      return;
    }
    this.#hasAnswered = false;
    this.#socket.ping();
  }

  /** Calls a channel. An error that it throws is logged, and closes this connection only. */
  attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.report(error);
      this.close(closeCodes.internalError, 'internal error');
    }
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // Messages that arrive after we closed are dropped.
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // The protocol has checked it, unless the app brought its own WebSocket server.
    if (data.length > this.#options.limits.webSocketMessageBytes) {
      this.close(closeCodes.messageTooBig, 'message is too long');
      return;
    }
    if (isBinary) this.send(failureMessage('message must be text, not binary'));
    else this.attempt(() => this.#onMessage?.(data.toString()));
  }
}
