/** A request that is being answered. */
export interface RunningCall {
  /** What it waits for goes on without it. */
  readonly detaches: boolean;
  /** The server waits no longer: end now. */
  giveUp(): void;
}

/** How long calls that were given up may take to say so. */
const lastWordsMs = 1_000;

/** Everything a server is doing, so that it can stop without breaking off what nearly is done. */
export class RunningWork {
  readonly #calls = new Set<RunningCall>();
  #isDraining = false;
  #onIdle: (() => void) | undefined;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** From now on requests are refused. */
  startDraining(): void {
    this.#isDraining = true;
  }

  add(call: RunningCall): void {
    this.#calls.add(call);
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#onIdle?.();
  }

  /** Waits for what runs; after the grace it is given up. Resolves in any case. */
  async drain(graceMs: number): Promise<void> {
    this.startDraining();
    await this.#idleWithin(graceMs);
    for (const call of this.#calls) call.giveUp();
    await this.#idleWithin(lastWordsMs);
  }

  /** What they wait for has stopped here: nothing will come of it any more. */
  giveUpDetached(): void {
    for (const call of this.#calls) if (call.detaches) call.giveUp();
  }

  async #idleWithin(ms: number): Promise<void> {
    if (this.#calls.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
    this.#onIdle = undefined;
  }
}
