import type { StreamStore } from '@halyard/contracts';
import { beatMs, type Pulse } from './pulse.ts';

/** Nobody tells that a writer died. */
const beatsWithoutNews = 1_000 / beatMs;

/** Tells somebody who waits for a turn when to try: after news, but once a beat at most, now and then without, and at once when nobody waits any more. */
export class TurnNews {
  readonly #store: StreamStore;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  #streamId: string | undefined;
  #unwatch: (() => void) | undefined;
  #isStirred = false;
  #beats = 0;
  #wake: (() => void) | undefined;

  constructor(store: StreamStore, pulse: Pulse, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
    this.#leave = pulse.join(() => this.#beat());
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Of this stream from now on. */
  watch(streamId: string): void {
    if (streamId === this.#streamId) return;
    this.#unwatch?.();
    this.#streamId = streamId;
    this.#unwatch = this.#store.watch(streamId, () => this.stir());
  }

  stir(): void {
    this.#isStirred = true;
    if (this.#beats > 0) this.#wake?.();
  }

  async next(): Promise<void> {
    if (this.#signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    this.#isStirred = false;
    this.#beats = 0;
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#leave();
    this.#unwatch?.();
  }

  readonly #onAbort = (): void => this.#wake?.();

  #beat(): void {
    this.#beats += 1;
    if (this.#isStirred || this.#beats >= beatsWithoutNews) this.#wake?.();
  }
}
