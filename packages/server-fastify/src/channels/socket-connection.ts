import type { WebSocket } from 'ws';
import type { Connection } from '../define/define-channel.ts';
import type { Limits } from '../limits.ts';
import { closeCodes } from './close-codes.ts';
import { failureMessage } from './failure-message.ts';

export interface SocketConnectionOptions {
  readonly limits: Pick<Limits, 'webSocketBufferBytes' | 'webSocketMessageBytes'>;
  /** Told what a channel threw. */
  readonly report: (error: unknown) => void;
}

/** A connection over a socket that is open. */
export class SocketConnection implements Connection {
  readonly #socket: WebSocket;
  readonly #options: SocketConnectionOptions;
  #onMessage: ((text: string) => void) | undefined;
  #hasAnswered = true;

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
    return this.#socket.bufferedAmount;
  }

  send(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    // Asked before the text is added, so that one long text to a client that reads is no reason.
    if (this.bufferedBytes >= this.#options.limits.webSocketBufferBytes) {
      this.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      return false;
    }
    this.#socket.send(text);
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

  /** Gives the client up without a word. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Asks whether the client is there, and gives it up when it has not answered since it was asked last. */
  ping(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#hasAnswered) {
      this.terminate();
      return;
    }
    this.#hasAnswered = false;
    this.#socket.ping();
  }

  /** Does what a channel wants done; what it throws is a fault of ours, and ends this connection only. */
  attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.report(error);
      this.close(closeCodes.internalError, 'internal error');
    }
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // Who closes listens no longer; what was under way when it did is dropped.
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // Checked by the protocol already, unless the app brought a server of its own with a limit of its own.
    if (data.length > this.#options.limits.webSocketMessageBytes) {
      this.close(closeCodes.messageTooBig, 'message is too long');
      return;
    }
    if (isBinary) this.send(failureMessage('message must be text, not binary'));
    else this.attempt(() => this.#onMessage?.(data.toString()));
  }
}
