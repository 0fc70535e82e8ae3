import type { ServerResponse } from 'node:http';
import type { EventSource, Stream } from '../define/define-stream.ts';

/** Headers of every SSE answer. */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export interface EventWriterOptions {
  readonly response: ServerResponse;
  readonly source: EventSource<unknown>;
  readonly stream: Pick<Stream, 'encode' | 'encodeFailure' | 'terminator'>;
  /** What the client is told of a failure after the stream started. */
  readonly describe: (error: unknown) => string;
}

/**
 * Carries events from their source to one client.
 *
 * Events that are ready together are one write. While the client does not read, no event is taken from the source. A client that
 * leaves cancels it.
 */
export class EventWriter {
  readonly #response: ServerResponse;
  readonly #source: EventSource<unknown>;
  readonly #stream: EventWriterOptions['stream'];
  readonly #describe: EventWriterOptions['describe'];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor({ describe, response, source, stream }: EventWriterOptions) {
    this.#response = response;
    this.#source = source;
    this.#stream = stream;
    this.#describe = describe;
  }

  /** Resolves when the answer is over, whoever ended it. The head must be written, and may be unsent. */
  async run(): Promise<void> {
    const response = this.#response;
    const { promise, resolve } = Promise.withResolvers<void>();
    response.on('drain', () => this.#wake?.());
    response.on('error', () => {});
    response.once('close', () => {
      if (!this.#hasEnded) this.#source.cancel();
      this.#hasEnded = true;
      this.#wake?.();
      resolve();
    });
    void this.#carry();
    await promise;
  }

  /** Keeps proxies from closing a silent stream. */
  ping(): void {
    if (!this.#hasEnded && !this.#response.writableNeedDrain) this.#response.write(': ping\n\n');
  }

  /** Ends the stream early, telling the client why. */
  stop(message: string): void {
    if (this.#hasEnded) return;
    this.#end(this.#stream.encodeFailure(message));
    this.#source.cancel();
    this.#wake?.();
  }

  async #carry(): Promise<void> {
    // The first events go out with the head in one write, unless they keep the client waiting.
    const head = setImmediate(() => this.#response.flushHeaders());
    try {
      for (let batch = await this.#source.nextBatch(); batch !== undefined; batch = await this.#source.nextBatch()) {
        if (this.#hasEnded) return;
        const frames = this.#encode(batch);
        if (this.#source.isOver === true) {
          clearImmediate(head);
          this.#end(frames + this.#stream.terminator);
          return;
        }
        if (frames === '') continue;
        clearImmediate(head);
        if (!this.#response.write(frames)) await this.#drained();
      }
      this.#end(this.#stream.terminator);
    } catch (error) {
      // Told even when the client is gone: what is our own fault must reach the log.
      const message = this.#describe(error);
      this.#end(this.#stream.encodeFailure(message));
      this.#source.cancel();
    } finally {
      clearImmediate(head);
    }
  }

  #encode(batch: readonly unknown[]): string {
    const { encode } = this.#stream;
    let frames = '';
    for (const event of batch) frames += encode(event);
    return frames;
  }

  async #drained(): Promise<void> {
    if (this.#hasEnded || !this.#response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  #end(last: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (last === '') this.#response.end();
    else this.#response.end(last);
  }
}
