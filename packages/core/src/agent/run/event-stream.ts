/** What {@link EventStream} holds back before its producer has to wait. */
export interface EventStreamLimits {
  readonly maxEvents: number;
  /** Characters of text in the events held. */
  readonly maxWeight: number;
}

const defaultLimits: EventStreamLimits = { maxEvents: 256, maxWeight: 64 * 1024 };

/**
 * A bounded queue between one producer and one consumer.
 *
 * The consumer gets what is ready in batches: all events pushed in one turn of the event loop arrive together, so that a server
 * can write them with one call. The producer waits when the consumer is behind. A consumer that stops reading cancels.
 */
export class EventStream<Event> implements AsyncIterable<Event> {
  readonly #limits: EventStreamLimits;
  readonly #weigh: (event: Event) => number;
  readonly #onCancel: () => void;
  #held: Event[] = [];
  #weight = 0;
  #ended = false;
  #released = false;
  #wakeConsumer: (() => void) | undefined;
  #room: { readonly promise: Promise<void>; readonly open: () => void } | undefined;

  /** @param onCancel called once when the consumer stops before the end. */
  constructor(weigh: (event: Event) => number, onCancel: () => void, limits: EventStreamLimits = defaultLimits) {
    this.#weigh = weigh;
    this.#onCancel = onCancel;
    this.#limits = limits;
  }

  /** Adds an event. A promise when the consumer is behind: it resolves when there is room again, or nobody reads any more. */
  push(event: Event): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#held.push(event);
    this.#weight += this.#weigh(event);
    this.#wake();
    if (this.#released || (this.#held.length < this.#limits.maxEvents && this.#weight < this.#limits.maxWeight))
      return undefined;
    this.#room ??= openable();
    return this.#room.promise;
  }

  /** No event comes any more; those held are still delivered. */
  end(): void {
    this.#ended = true;
    this.#wake();
    this.#makeRoom();
  }

  /** The producer waits no more: it is being stopped, and whatever it still says is little. */
  release(): void {
    this.#released = true;
    this.#makeRoom();
  }

  /** The consumer stops: what is held is dropped, and the producer learns of it unless it has ended. */
  cancel(): void {
    this.#held = [];
    const early = !this.#ended;
    this.end();
    if (early) this.#onCancel();
  }

  /** All events that are ready, waiting for the first; undefined after the last. One call at a time. */
  async nextBatch(): Promise<readonly Event[] | undefined> {
    if (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
        if (this.#held.length > 0) this.#wake();
      });
    }
    if (this.#held.length === 0) return this.#ended ? undefined : [];
    const batch = this.#held;
    this.#held = [];
    this.#weight = 0;
    this.#makeRoom();
    return batch;
  }

  /** Not a generator: its `return` would wait for the event that is awaited, which may never come. */
  [Symbol.asyncIterator](): AsyncIterator<Event, void, undefined> {
    const none: readonly Event[] = [];
    let ready = none.values();
    return {
      next: async () => {
        for (;;) {
          const next = ready.next();
          if (next.done !== true) return next;
          const batch = await this.nextBatch();
          if (batch === undefined) return { done: true, value: undefined };
          ready = batch.values();
        }
      },
      return: async () => {
        ready = none.values();
        this.cancel();
        return { done: true, value: undefined };
      },
    };
  }

  #wake(): void {
    const wake = this.#wakeConsumer;
    if (wake === undefined) return;
    this.#wakeConsumer = undefined;
    // A tick runs after the promises that are ready now: what they push joins the batch.
    process.nextTick(wake);
  }

  #makeRoom(): void {
    this.#room?.open();
    this.#room = undefined;
  }
}

function openable(): { readonly promise: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}
