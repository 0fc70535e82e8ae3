import type { Clock } from '@halyard/contracts';
import type { Connection } from '../define/define-channel.ts';
import { closeCodes } from './close-codes.ts';

export interface PacedSenderOptions {
  readonly clock: Clock;
  /** As much may wait for a client that takes nothing. */
  readonly bufferBytes: number;
}

/** How soon it is looked whether the client has taken something. */
const retryMs = 5;
/** A client that takes nothing for so long does not read. */
const patienceMs = 1_000;
/** A client that reads may be behind by this many times what one that does not may. */
const greatestBurst = 16;

/**
 * Sends texts as fast as the client takes them, so that much at once is no reason to close a connection whose client reads. One that does not read is closed
 * (1013).
 */
export class PacedSender {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #bufferBytes: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  #movedAt = 0;
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
    if (this.#waiting.length === 0) this.#movedAt = this.#clock.now();
    for (const text of texts) {
      this.#waiting.push(text);
      this.#waitingLength += text.length;
    }
    if (this.#timer === undefined) this.#sendWhatFits();
  }

  #sendWhatFits(): void {
    this.#timer = undefined;
    let sent = 0;
    for (const text of this.#waiting) {
      if (this.#connection.bufferedBytes >= this.#bufferBytes / 2) break;
      if (!this.#connection.send(text)) {
        this.#close();
        return;
      }
      sent += 1;
      this.#waitingLength -= text.length;
    }
    if (sent > 0) this.#movedAt = this.#clock.now();
    this.#waiting = sent === this.#waiting.length ? [] : this.#waiting.slice(sent);
    if (this.#waiting.length === 0) return;
    if (this.#isTooMuch()) {
      this.#connection.close(closeCodes.tryAgainLater, 'too much is waiting to be read');
      this.#close();
      return;
    }
    this.#timer = setTimeout(() => this.#sendWhatFits(), retryMs).unref();
  }

  #isTooMuch(): boolean {
    const behind = this.#waitingLength + this.#connection.bufferedBytes;
    if (behind < this.#bufferBytes) return false;
    return behind >= this.#bufferBytes * greatestBurst || this.#clock.now() - this.#movedAt >= patienceMs;
  }

  #close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    clearTimeout(this.#timer);
  }
}
