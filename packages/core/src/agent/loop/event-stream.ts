/** Bounds of the events that an {@link EventStream} buffers before its producer has to wait. */
export interface EventStreamLimits {
  readonly maxEvents: number;
  /** Sum of the weights of the buffered events. */
  readonly maxWeight: number;
}

const defaultLimits: EventStreamLimits = { maxEvents: 256, maxWeight: 64 * 1024 };

/**
 * A bounded queue between one producer and one consumer, which reads it in batches.
 *
 * All events pushed in one turn of the event loop arrive in one batch, so that a server sends them
 * with one write. The producer waits while the consumer is behind. Unlike that of a generator,
 * `return()` takes effect while a `next()` is pending.
 */
export class EventStream<Event> implements AsyncIterableIterator<readonly Event[], void, undefined> {
  readonly #weigh: (event: Event) => number;
  readonly #onReturn: () => void;
  readonly #limits: EventStreamLimits;
  #buffered: Event[] = [];
  #weight = 0;
  #hasEnded = false;
  #isReleased = false;
  #wakeConsumer: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** @param onReturn called once when the consumer stops before the end. */
  constructor(weigh: (event: Event) => number, onReturn: () => void, limits: EventStreamLimits = defaultLimits) {
    this.#weigh = weigh;
    this.#onReturn = onReturn;
    this.#limits = limits;
  }

  /**
   * Adds an event. @returns a promise when the consumer is behind: it resolves when there is room,
   * or when the stream ends.
   */
  push(event: Event): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    this.#buffered.push(event);
    this.#weight += this.#weigh(event);
    this.#wake();
    if (this.#isReleased || (this.#buffered.length < this.#limits.maxEvents && this.#weight < this.#limits.maxWeight))
      return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** Ends the stream. Buffered events are still delivered. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
    this.#makeRoom();
  }

  /** Lifts the limits: a producer that is being aborted must not wait for its consumer. */
  release(): void {
    this.#isReleased = true;
    this.#makeRoom();
  }

  /** All events that are ready, waiting for the first. One call at a time. */
  async next(): Promise<IteratorResult<readonly Event[], void>> {
    if (!this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
        if (this.#buffered.length > 0) this.#wake();
      });
    }
    if (this.#buffered.length === 0) return { done: true, value: undefined };
    const batch = this.#buffered;
    this.#buffered = [];
    this.#weight = 0;
    this.#makeRoom();
    return { done: false, value: batch };
  }

  /** Stops reading: drops the buffered events, and stops the producer unless it has ended. */
  async return(): Promise<IteratorReturnResult<void>> {
    this.#buffered = [];
    const isEarly = !this.#hasEnded;
    this.end();
    if (isEarly) this.#onReturn();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    const wake = this.#wakeConsumer;
    if (wake === undefined) return;
    this.#wakeConsumer = undefined;
    // Ticks run after the promise callbacks that are ready now: what those push joins the batch.
    process.nextTick(wake);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
