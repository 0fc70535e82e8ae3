import { shuttingDown } from './shutting-down.ts';

/** A request in progress. */
export interface RunningCall {
  /** It waits for workflows, which continue without it. */
  readonly detaches: boolean;
  /** Aborts its signal. */
  abort(reason: Error): void;
}

/** How long aborted calls may take to end. */
const afterAbortMs = 1_000;

/** The calls in progress of a server, so that a shutdown can wait for them. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  #isStopping = false;
  #isDraining = false;
  #onIdle: (() => void) | undefined;

  /** Whether load balancers are told to send no more requests. */
  get isStopping(): boolean {
    return this.#isStopping || this.#isDraining;
  }

  /** Whether new requests are refused. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** From now on load balancers are told that this server stops. Requests are still accepted. */
  startStopping(): void {
    this.#isStopping = true;
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

  /** Waits for running calls; those that outlast the grace are aborted. Never rejects. */
  async drain(graceMs: number): Promise<void> {
    this.startDraining();
    await this.#whenIdle(graceMs);
    for (const call of this.#calls) call.abort(shuttingDown());
    await this.#whenIdle(afterAbortMs);
  }

  /** Aborts the calls that wait for workflows, which have stopped in this process. */
  abortDetached(): void {
    for (const call of this.#calls) if (call.detaches) call.abort(shuttingDown());
  }

  /** Resolves when no call is running, or after so many milliseconds. */
  async #whenIdle(maxMs: number): Promise<void> {
    if (this.#calls.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    this.#onIdle = resolve;
    await promise;
    clearTimeout(timer);
    this.#onIdle = undefined;
  }
}
