import { type Clock, type StreamChunks, type StreamStore, UnavailableError } from '@halyard/contracts';
import type { EventSource } from '../define/define-stream.ts';
import type { Pulse } from './pulse.ts';

export interface AnswerFollowerOptions {
  readonly store: StreamStore;
  readonly pulse: Pulse;
  readonly clock: Clock;
}

/** Nobody tells that a writer died: a stream that is silent is looked at. */
const silenceMs = 3_000;
/** Chunks of one read at most. */
const mostChunks = 256;
/** Characters that are handed out at once, unless one chunk alone has more: what a reader that is behind makes the process hold. */
const mostText = 64 * 1024;

/**
 * The chunks of a kept answer to its last, each the text of a UI message chunk, whoever writes it.
 *
 * Nothing is read that was not asked for. An answer whose writer is gone ends with an error (`ANSWER_LOST`).
 */
export class AnswerFollower implements EventSource<string> {
  readonly #id: string;
  readonly #options: AnswerFollowerOptions;
  readonly #leave: () => void;
  readonly #unwatch: () => void;
  #after: number;
  #limit = mostChunks;
  #readAt = 0;
  #isStirred = false;
  #isClosed = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** @param after how many chunks it leaves out. */
  constructor(id: string, after: number, options: AnswerFollowerOptions) {
    this.#id = id;
    this.#after = after;
    this.#options = options;
    this.#leave = options.pulse.join(() => this.#beat());
    this.#unwatch = options.store.watch(id, () => this.#stir());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async nextBatch(): Promise<readonly string[] | undefined> {
    while (!this.#isClosed) {
      const found = await this.#read();
      const batch = this.#firstOf(found.chunks);
      if (found.status === 'ended' && batch.length === found.chunks.length && batch.length < this.#limit) {
        this.#isOver = batch.length > 0;
        this.cancel();
        return this.#isOver ? batch : undefined;
      }
      if (batch.length > 0) {
        // Of long chunks no more is read than will be handed out.
        this.#limit = batch.length < found.chunks.length ? batch.length : mostChunks;
        return batch;
      }
      if (found.status === 'lost') throw this.#lost();
      await this.#stirred();
    }
    return undefined;
  }

  /** Stops reading; the answer goes on. */
  cancel(): void {
    this.#isClosed = true;
    this.#leave();
    this.#unwatch();
    this.#wake?.();
  }

  async #read(): Promise<StreamChunks> {
    const { clock, store } = this.#options;
    this.#isStirred = false;
    this.#readAt = clock.now();
    const found = await store.read(this.#id, { after: this.#after, limit: this.#limit });
    if (found === undefined) throw this.#lost();
    return found;
  }

  #firstOf(chunks: readonly string[]): readonly string[] {
    let length = 0;
    const tooMuch = chunks.findIndex((chunk, at) => {
      length += chunk.length;
      return at > 0 && length > mostText;
    });
    const batch = tooMuch === -1 ? chunks : chunks.slice(0, tooMuch);
    this.#after += batch.length;
    return batch;
  }

  #lost(): UnavailableError {
    this.cancel();
    return new UnavailableError('ANSWER_LOST', 'The answer broke off: nobody gives it any more');
  }

  async #stirred(): Promise<void> {
    if (this.#isStirred || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  #stir(): void {
    this.#isStirred = true;
    this.#wake?.();
  }

  #beat(): void {
    if (this.#wake !== undefined && this.#options.clock.now() - this.#readAt >= silenceMs) this.#stir();
  }
}
