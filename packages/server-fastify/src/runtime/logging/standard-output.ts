import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const fileDescriptor = 1;
/** How much waits for a reader that stalls. Further lines are dropped. */
const maxWaitingBytes = 8 * 1024 * 1024;
const retryMs = 50;
/** How often, and how long each time, the end of the process waits for a reader that stalls. */
const exitWaits = 100;
const exitWaitMs = 10;
/** The reader is slow, or the disk is full. */
const temporary: ReadonlySet<unknown> = new Set(['EAGAIN', 'EBUSY', 'ENOSPC', 'EDQUOT']);

/**
 * Writes lines to the standard output without ever waiting for its reader. Lines that a pipe does
 * not take at once are written later, and when the process ends, until the reader has stalled for a
 * second. Nothing more is written once the reader is gone.
 *
 * Pino's own stream blocks the process while a reader stalls. If it is asynchronous, it loses up to
 * 16 KB when the process ends while the reader is slow.
 */
export class StandardOutput implements DestinationStream {
  readonly #onExit = (): void => this.#writeBeforeExit();
  /** Waits to be written before `#lines`. */
  #unwritten: Buffer = Buffer.alloc(0);
  #lines: string[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isReaderGone = false;
  #isDropping = false;

  constructor() {
    // The first access makes a pipe non-blocking.
    void process.stdout;
  }

  write(line: string): void {
    if (this.#isReaderGone) return;
    if (this.#waitingBytes + line.length > maxWaitingBytes) {
      this.#warnOfDropping();
      return;
    }
    this.#lines.push(line);
    this.#waitingBytes += line.length;
    if (this.#timer === undefined) this.#writeOrRetry();
  }

  #writeOrRetry(): void {
    const wasWaiting = this.#timer !== undefined;
    const isDone = this.#writeWaiting();
    this.#timer = isDone ? undefined : setTimeout(() => this.#writeOrRetry(), retryMs).unref();
    if (wasWaiting && isDone) process.off('exit', this.#onExit);
    if (!wasWaiting && !isDone) process.on('exit', this.#onExit);
  }

  /** @returns whether nothing waits any more. */
  #writeWaiting(): boolean {
    try {
      while (this.#waitingBytes > 0) {
        if (this.#unwritten.length === 0) this.#takeLines();
        const written = writeSync(fileDescriptor, this.#unwritten);
        this.#unwritten = this.#unwritten.subarray(written);
        this.#waitingBytes -= written;
      }
      this.#isDropping = false;
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && temporary.has(error.code)) return false;
      this.#isReaderGone = true;
      this.#unwritten = Buffer.alloc(0);
      this.#lines = [];
      return true;
    }
  }

  #takeLines(): void {
    this.#unwritten = Buffer.from(this.#lines.join(''));
    this.#waitingBytes = this.#unwritten.length;
    this.#lines = [];
  }

  #writeBeforeExit(): void {
    const never = new Int32Array(new SharedArrayBuffer(4));
    for (let waits = 0; waits < exitWaits; waits += 1) {
      const waitingBytes = this.#waitingBytes;
      if (this.#writeWaiting()) return;
      if (this.#waitingBytes < waitingBytes) waits = 0;
      Atomics.wait(never, 0, 0, exitWaitMs);
    }
  }

  #warnOfDropping(): void {
    if (this.#isDropping) return;
    this.#isDropping = true;
    process.emitWarning('The standard output is not read, so lines of the log are dropped', 'HalyardLogWarning');
  }
}
