/** The right of one run to read and write its conversation. */
export class ConversationTurn {
  readonly #end: () => Promise<void>;
  #hasEnded = false;
  #isStopped = false;
  #onStop: (() => void) | undefined;

  constructor(end: () => Promise<void>) {
    this.#end = end;
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

  /** Lets the next run begin. Never rejects. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#end();
  }
}
