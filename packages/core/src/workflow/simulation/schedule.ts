import type { Random } from './random.ts';

interface Held {
  readonly process: string;
  readonly what: string;
  readonly open: () => void;
}

/** Delays what processes wait for and lets one thing continue at a time, in random order. */
export class Schedule {
  readonly #random: Random;
  #held: Held[] = [];
  /** What happened so far, for debugging a seed. */
  readonly trace: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get heldCount(): number {
    return this.#held.length;
  }

  note(what: string): void {
    this.trace.push(what);
  }

  /** Resolves when it is its turn. */
  hold(process: string, what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.push({ process, what, open: resolve });
    return promise;
  }

  openOne(): void {
    const [held] = this.#held.splice(this.#random.below(this.#held.length), 1);
    if (held === undefined) return;
    this.note(`${held.process} ${held.what}`);
    held.open();
  }

  /** Resolves when it is its turn, or when the signal aborts. */
  async holdUntil(process: string, what: string, signal: AbortSignal | undefined): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => aborted.resolve(), { once: true });
    await Promise.race([this.hold(process, what), aborted.promise]);
  }

  /** Drops everything that a dead process waits for. */
  drop(process: string): void {
    this.#held = this.#held.filter((held) => held.process !== process);
  }

  /** Resolves when nothing can continue except what is delayed. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
