import {
  type Execution,
  type ExecutionEvent,
  type ExecutionLog,
  type NewExecutionEvent,
  NotFoundError,
  type Owner,
} from '@halyard/contracts';
import type { SharedInterval } from '../../async/shared-interval.ts';
import { EventRoom } from './event-room.ts';
import type { ExecutionBus, LiveEvent } from './execution-bus.ts';
import { isIdle } from './is-idle.ts';

/** A stored event with its number, or a live one, which is not stored. */
export type FollowedEvent =
  | { readonly seq: number; readonly event: NewExecutionEvent }
  | { readonly seq: undefined; readonly event: LiveEvent };

export interface FollowOptions {
  readonly store: ExecutionLog;
  readonly bus: ExecutionBus;
  readonly owner: Owner;
  /** Number of the last event that the consumer has; 0 for none. */
  readonly after: number;
  /** Whether this process runs the execution: the bus then publishes everything. */
  readonly isLocal: () => boolean;
  /**
   * When the store is read for changes that were ignored because this process ran the execution.
   */
  readonly polls: SharedInterval;
  /** Stops following. */
  readonly signal?: AbortSignal | undefined;
}

interface EarlyEvent {
  readonly event: FollowedEvent;
  /** Number of the first event that was committed after it. */
  before: number | undefined;
}

/**
 * How many events are read from the store at a time, and how large. A single larger one is read,
 * too.
 */
const page = { limit: 500, maxBytes: 1024 * 1024 };

/**
 * The events of an execution: those stored after a number, then new ones, until the execution is
 * idle and all are delivered.
 *
 * It listens from its creation until it ends, its signal is aborted, its consumer stops iterating,
 * or {@link stop}. The iteration throws a NotFoundError when the execution was deleted before it
 * was idle.
 */
export class ExecutionFollower implements AsyncIterable<FollowedEvent> {
  readonly #id: string;
  readonly #creationId: string;
  readonly #options: FollowOptions;
  readonly #unsubscribe: readonly (() => void)[];
  #buffered: FollowedEvent[] = [];
  /** Without room, stored events are read again, and live ones are dropped. */
  readonly #room = new EventRoom();
  /**
   * Live events that arrived while earlier events had yet to be read from the store, in their
   * order.
   */
  #earlyLive: EarlyEvent[] = [];
  readonly #earlyRoom = new EventRoom();
  #bufferedSeq: number;
  #deliveredSeq: number;
  /** The store may have events that are not buffered. */
  #isBehind = true;
  #isReading = false;
  /**
   * The store notified of a change while this process ran the execution. Usually the bus published
   * it, unless the run had lost its lease.
   */
  #hasIgnoredChange = false;
  /** The last event that was delivered is a result. */
  #hasResult = false;
  #isStopped = false;
  #firstTurn: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor({ creationId, id }: Pick<Execution, 'creationId' | 'id'>, options: FollowOptions) {
    const { after, bus, polls, signal, store } = options;
    this.#id = id;
    this.#creationId = creationId;
    this.#options = options;
    this.#bufferedSeq = after;
    this.#deliveredSeq = after;
    this.#unsubscribe = [
      bus.listen(creationId, {
        committed: (events) => this.#onCommitted(events),
        live: (event) => this.#onLive({ seq: undefined, event }),
      }),
      store.watch(id, this.#onRemoteChange),
      polls.add(() => {
        if (this.#hasIgnoredChange) this.#onRemoteChange();
      }),
    ];
    signal?.addEventListener('abort', this.stop);
    if (signal?.aborted === true) this.stop();
  }

  /**
   * Takes the first event of an execution that was just created: later ones arrive over the bus,
   * and nothing has to be read.
   */
  begin(event: NewExecutionEvent): void {
    if (this.#bufferedSeq > 0) return;
    this.#bufferedSeq = 1;
    this.#isBehind = false;
    this.#buffer({ seq: 1, event });
    // The first batch contains the events of the execution's first tick.
    this.#firstTurn = new Promise((resolve) => process.nextTick(resolve));
  }

  /** The events, in batches of those that are ready together. */
  async *batches(): AsyncGenerator<readonly FollowedEvent[], void, undefined> {
    try {
      await this.#firstTurn;
      while (!this.#isStopped) {
        if (this.#buffered.length > 0) {
          const batch = this.#takeBuffered();
          const result = batch.findLast(({ event }) => event.type === 'workflow-result');
          // After the result of a suspended or failed execution, the store shows whether it was
          // resumed or retried.
          this.#hasResult = batch.at(-1) === result;
          if (result !== undefined) this.#isBehind = true;
          yield batch;
          if (result !== undefined && isFinal(result)) return;
          continue;
        }
        if (this.#isBehind) {
          if (await this.#read()) continue;
          if (await this.#isIdle()) return;
        }
        if (this.#buffered.length === 0 && !this.#isBehind && !this.#isStopped) await this.#change();
      }
    } finally {
      this.stop();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedEvent, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }

  /** Stops following; the execution continues. */
  readonly stop = (): void => {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#options.signal?.removeEventListener('abort', this.stop);
    this.#wake?.();
  };

  #onCommitted(events: readonly ExecutionEvent[]): void {
    const [first] = events;
    if (first !== undefined) for (const early of this.#earlyLive) early.before ??= first.seq;
    for (const stored of events) {
      if (stored.seq <= this.#bufferedSeq) continue;
      // After a gap the store has events of another process.
      if (stored.seq !== this.#bufferedSeq + 1 || this.#isBehind) this.#readNext();
      else {
        this.#bufferedSeq = stored.seq;
        // The first event without room empties the buffer: the others are not added to it.
        [...this.#takeEarly(stored.seq), stored].every((event) => this.#buffer(event));
      }
    }
  }

  #onLive(event: FollowedEvent): void {
    if (!this.#isBehind && !this.#isReading) this.#buffer(event);
    else if (this.#earlyRoom.take(event.event)) this.#earlyLive.push({ event, before: undefined });
  }

  /**
   * Removes the early live events that were published before the stored event with this number;
   * without a number, all.
   */
  #takeEarly(seq?: number): readonly FollowedEvent[] {
    const end =
      seq === undefined ? -1 : this.#earlyLive.findIndex(({ before }) => before === undefined || before > seq);
    const early = this.#earlyLive.splice(0, end === -1 ? this.#earlyLive.length : end);
    if (this.#earlyLive.length === 0) this.#earlyRoom.clear();
    return early.map(({ event }) => event);
  }

  readonly #onRemoteChange = (): void => {
    this.#hasIgnoredChange = this.#options.isLocal();
    if (!this.#hasIgnoredChange) this.#readNext();
  };

  /** @returns false when there was no room, and everything buffered was dropped. */
  #buffer(event: FollowedEvent): boolean {
    const hasRoom = this.#room.take(event.event);
    if (hasRoom) this.#buffered.push(event);
    else {
      this.#buffered = [];
      this.#room.clear();
      this.#bufferedSeq = this.#deliveredSeq;
      this.#isBehind = true;
    }
    this.#wake?.();
    return hasRoom;
  }

  #readNext(): void {
    this.#isBehind = true;
    this.#wake?.();
  }

  #takeBuffered(): readonly FollowedEvent[] {
    const batch = this.#buffered;
    this.#buffered = [];
    this.#room.clear();
    this.#deliveredSeq = this.#bufferedSeq;
    return batch;
  }

  /** @returns whether there was something new. */
  async #read(): Promise<boolean> {
    const { owner, store } = this.#options;
    this.#isBehind = false;
    this.#isReading = true;
    const range = { ...page, creationId: this.#creationId, after: this.#bufferedSeq };
    const events = await store.events(owner, this.#id, range);
    this.#isReading = false;
    for (const stored of events) {
      if (stored.seq <= this.#bufferedSeq) continue;
      this.#bufferedSeq = stored.seq;
      this.#buffered.push(...this.#takeEarly(stored.seq), stored);
    }
    // A page may end early because of its size.
    if (events.length > 0) this.#isBehind = true;
    if (!this.#isBehind) this.#buffered.push(...this.#takeEarly());
    return this.#buffered.length > 0;
  }

  /** Whether the execution is idle, and all its events were delivered. */
  async #isIdle(): Promise<boolean> {
    const { owner, store } = this.#options;
    const row = await store.find(owner, this.#id);
    if (row?.creationId !== this.#creationId) {
      if (this.#hasResult) return true;
      throw new NotFoundError('execution', this.#id);
    }
    if (row.seq > this.#bufferedSeq) this.#isBehind = true;
    return (await isIdle(store, row)) && row.seq <= this.#bufferedSeq && this.#buffered.length === 0;
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // Ticks run after the promise callbacks that are ready now: what those commit joins the batch.
    this.#wake = () => process.nextTick(resolve);
    await promise;
    this.#wake = undefined;
  }
}

function isFinal({ event }: FollowedEvent): boolean {
  return 'status' in event && (event.status === 'completed' || event.status === 'cancelled');
}
