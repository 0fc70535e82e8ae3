/** Why a run is to end: another one interrupts it, or it has lost its turn. */
export type TurnStop = 'interrupted' | 'lost';

/** The right of one run to read and write its conversation. */
export class ConversationTurn {
  /** When the lease of its stream was requested, in monotonic time. The store granted it later, so that it ends in this process first. */
  readonly leasedAt: number;
  readonly #onEnd: () => void;
  #hasEnded = false;
  #stopped: TurnStop | undefined;
  #onStop: ((why: TurnStop) => void) | undefined;

  constructor(leasedAt: number, onEnd: () => void) {
    this.leasedAt = leasedAt;
    this.#onEnd = onEnd;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Requests that the run ends. */
  stop(why: TurnStop = 'interrupted'): void {
    this.#stopped = why;
    this.#onStop?.(why);
  }

  /** @param listener called at once if the run is to stop already. */
  onStop(listener: (why: TurnStop) => void): void {
    this.#onStop = listener;
    if (this.#stopped !== undefined) listener(this.#stopped);
  }

  /** Lets the next run begin. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd();
  }
}
