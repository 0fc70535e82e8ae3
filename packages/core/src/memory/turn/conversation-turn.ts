/** The right of one run to read and write its conversation. */
export class ConversationTurn {
  /** When the lease of its stream was requested, in monotonic time. The store granted it later, so that it ends in this process first. */
  readonly leasedAt: number;
  readonly #onEnd: () => void;
  #hasEnded = false;
  #isStopped = false;
  #onStop: (() => void) | undefined;

  constructor(leasedAt: number, onEnd: () => void) {
    this.leasedAt = leasedAt;
    this.#onEnd = onEnd;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Requests that the run ends: another one interrupts it, or the turn is lost. */
  stop(): void {
    this.#isStopped = true;
    this.#onStop?.();
  }

  /** @param listener called at once if the run is to stop already. */
  onStop(listener: () => void): void {
    this.#onStop = listener;
    if (this.#isStopped) listener();
  }

  /** Lets the next run begin. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd();
  }
}
