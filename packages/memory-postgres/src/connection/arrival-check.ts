/**
 * How often to check that notifications still arrive. A connection may be dead without an error,
 * such as behind a firewall that has forgotten it.
 */
const checkMs = 30_000;
/** How long the notification of a check may take. */
const patienceMs = 5_000;

export interface ArrivalCheckOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /**
   * Sends a notification to this process, over another connection than the listening one. Rejects
   * when it was not sent.
   */
  readonly send: (check: number) => Promise<void>;
  /** Called when notifications begin to arrive. */
  readonly onArriving: () => void;
  /** Called when they no longer arrive, although the connection is open. */
  readonly onSilence: () => void;
}

/**
 * Checks that notifications arrive while the connection that listens is idle: behind a pooler that
 * shares the sessions of the database they do not, although `LISTEN` succeeds. That they arrive
 * also proves that the session belongs to this connection alone.
 */
export class ArrivalCheck {
  readonly #options: ArrivalCheckOptions;
  #isListening = false;
  #isArriving = false;
  #number = 0;
  #sentAt = -Infinity;
  #isAnswered = false;

  constructor(options: ArrivalCheckOptions) {
    this.#options = options;
  }

  /** Whether the last check has shown it. */
  get isArriving(): boolean {
    return this.#isArriving;
  }

  listening(): void {
    this.#isListening = true;
    this.#send();
  }

  broken(): void {
    this.#isListening = false;
    this.#isArriving = false;
  }

  /** To be called when the notification of a check arrives. */
  received(check: number): void {
    if (!this.#isListening || check !== this.#number) return;
    this.#isAnswered = true;
    if (this.#isArriving) return;
    this.#isArriving = true;
    this.#options.onArriving();
  }

  /** To be called each second or so. */
  tick(): void {
    if (!this.#isListening) return;
    const sentBeforeMs = this.#options.now() - this.#sentAt;
    if (this.#isArriving && !this.#isAnswered && sentBeforeMs >= patienceMs) {
      this.broken();
      this.#options.onSilence();
    } else if (sentBeforeMs >= checkMs) this.#send();
  }

  #send(): void {
    this.#number += 1;
    const check = this.#number;
    this.#sentAt = this.#options.now();
    this.#isAnswered = false;
    this.#options.send(check).catch(() => {
      // The next tick sends another.
      if (check === this.#number) this.#sentAt = -Infinity;
    });
  }
}
