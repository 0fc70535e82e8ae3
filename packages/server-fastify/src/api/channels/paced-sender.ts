import type { Clock } from '@halyard/contracts';
import type { Connection } from '../define/define-channel.ts';
import { closeCodes } from './protocol.ts';

export interface PacedSenderOptions {
  readonly clock: Clock;
  /** The bytes that may be buffered for a client that does not read. */
  readonly bufferBytes: number;
}

/** How soon a blocked sender tries again. */
const retryMs = 5;
/** A client that takes nothing for so long does not read. */
const stalledMs = 1_000;
/** A client that reads may be behind by this many buffers. */
const maxBuffersBehind = 16;

/**
 * Sends texts as fast as the client reads them: a large burst does not close the connection. A
 * client that does not read is closed (1013).
 */
export class PacedSender {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #bufferBytes: number;
  #queue: string[] = [];
  #queuedLength = 0;
  #progressAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connection: Connection, { bufferBytes, clock }: PacedSenderOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#bufferBytes = bufferBytes;
    connection.onClose(() => this.#close());
  }

  send(texts: readonly string[]): void {
    if (this.#isClosed || texts.length === 0) return;
    if (this.#queue.length === 0) this.#progressAt = this.#clock.now();
    for (const text of texts) {
      this.#queue.push(text);
      this.#queuedLength += text.length;
    }
    if (this.#timer === undefined) this.#flush();
  }

  #flush(): void {
    this.#timer = undefined;
    let sent = 0;
    for (const text of this.#queue) {
      if (this.#connection.bufferedBytes >= this.#bufferBytes / 2) break;
      if (!this.#connection.send(text)) {
        this.#close();
        return;
      }
      sent += 1;
      this.#queuedLength -= text.length;
    }
    if (sent > 0) this.#progressAt = this.#clock.now();
    this.#queue = sent === this.#queue.length ? [] : this.#queue.slice(sent);
    if (this.#queue.length === 0) return;
    if (this.#isTooMuch()) {
      this.#connection.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      this.#close();
      return;
    }
    this.#timer = setTimeout(() => this.#flush(), retryMs).unref();
  }

  #isTooMuch(): boolean {
    const behind = this.#queuedLength + this.#connection.bufferedBytes;
    if (behind < this.#bufferBytes) return false;
    return behind >= this.#bufferBytes * maxBuffersBehind || this.#clock.now() - this.#progressAt >= stalledMs;
  }

  #close(): void {
    this.#isClosed = true;
    this.#queue = [];
    clearTimeout(this.#timer);
  }
}
