import type { StreamStore } from '@halyard/contracts';
import { beatMs, type Pulse } from './pulse.ts';

/** Who waits, as far as that matters: whether somebody still does. */
export interface Waiting {
  readonly isOver: boolean;
  whenOver(act: () => void): void;
}

/** Nobody tells that a writer died. */
const beatsWithoutNews = 1_000 / beatMs;

/** Tells somebody who waits for a turn when to try: after news, but once a beat at most, now and then without, and at once when nobody waits any more. */
export class TurnNews {
  readonly #store: StreamStore;
  readonly #waiting: Waiting;
  readonly #leave: () => void;
  #streamId: string | undefined;
  #unwatch: (() => void) | undefined;
  #isStirred = false;
  #beats = 0;
  #wake: (() => void) | undefined;

  constructor(store: StreamStore, pulse: Pulse, waiting: Waiting) {
    this.#store = store;
    this.#waiting = waiting;
    this.#leave = pulse.join(() => this.#beat());
    waiting.whenOver(() => this.#wake?.());
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
    if (this.#waiting.isOver) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    this.#isStirred = false;
    this.#beats = 0;
  }

  close(): void {
    this.#leave();
    this.#unwatch?.();
  }

  #beat(): void {
    this.#beats += 1;
    if (this.#isStirred || this.#beats >= beatsWithoutNews) this.#wake?.();
  }
}
