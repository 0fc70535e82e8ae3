import type { Execution, ExecutionEvent, ExecutionStore, NewExecutionEvent, Owner } from '@halyard/contracts';
import type { SharedInterval } from '../../../services/shared-interval.ts';
import type { ExecutionBus, LiveEvent } from './execution-bus.ts';
import { isIdle } from './is-idle.ts';

/** An event on its way to a watcher: a stored one with its number, or one that is only live. */
export type FollowedEvent =
  | { readonly seq: number; readonly event: NewExecutionEvent }
  | { readonly seq: undefined; readonly event: LiveEvent };

export interface FollowOptions {
  readonly store: ExecutionStore;
  readonly bus: ExecutionBus;
  readonly owner: Owner;
  /** Number of the last event that is known; 0 for all. */
  readonly after: number;
  /** Whether it runs in this process: the bus tells everything then. */
  readonly isLocal: () => boolean;
  /** When the store is asked while nothing comes: what another process commits may not be told. */
  readonly polls: SharedInterval;
}

/** Events read from the store at a time. */
const pageSize = 500;
/** Events held for a consumer that is behind; past it they are read again from the store, and live ones are lost to it. */
const maxHeld = 1_000;

/**
 * The events of an execution: those that are stored after `after`, then those that come, until it is at rest and all are delivered.
 *
 * In batches of what is ready. Holds its places among the watchers until it ends or is cancelled.
 */
export class ExecutionFollower implements AsyncIterable<FollowedEvent> {
  readonly #id: string;
  readonly #options: FollowOptions;
  readonly #stops: (() => void)[] = [];
  #held: FollowedEvent[] = [];
  /** Live ones that came while earlier events were still to be read. */
  #early: FollowedEvent[] = [];
  #heldSeq: number;
  #deliveredSeq: number;
  #isBehind = true;
  #isReading = false;
  #isOver = false;
  #start: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(execution: Pick<Execution, 'id'>, options: FollowOptions) {
    this.#id = execution.id;
    this.#options = options;
    this.#heldSeq = options.after;
    this.#deliveredSeq = options.after;
    const { bus, store } = options;
    this.#stops.push(
      bus.listen(this.#id, {
        committed: (events) => this.#committed(events),
        live: (event) => this.#live({ seq: undefined, event }),
      }),
      store.watch(this.#id, this.#lookElsewhere),
    );
    this.#stops.push(options.polls.add(this.#lookElsewhere));
  }

  /** The execution begins now, with this event: what follows is heard, and nothing has to be read. */
  begin(event: NewExecutionEvent): void {
    if (this.#heldSeq > 0) return;
    this.#heldSeq = 1;
    this.#isBehind = false;
    this.#hold({ seq: 1, event });
    // What the execution does at once goes with it.
    this.#start = new Promise((resolve) => process.nextTick(resolve));
  }

  /** All events that are ready, waiting for the first; undefined after the last. One call at a time. */
  async nextBatch(): Promise<readonly FollowedEvent[] | undefined> {
    await this.#start;
    while (!this.#isOver) {
      if (this.#held.length > 0) return this.#deliver();
      if (this.#isBehind) {
        if (await this.#read()) continue;
        if (await this.#isIdle()) break;
      }
      if (this.#held.length === 0 && !this.#isBehind && !this.#isOver) await this.#news();
    }
    this.cancel();
    return undefined;
  }

  /** Whether no batch follows the one that was given last: the execution has ended, or following it was stopped. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Stops following. */
  cancel(): void {
    this.#isOver = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedEvent, void, undefined> {
    try {
      for (let batch = await this.nextBatch(); batch !== undefined; batch = await this.nextBatch()) yield* batch;
    } finally {
      this.cancel();
    }
  }

  #committed(events: readonly ExecutionEvent[]): void {
    for (const stored of events) {
      if (stored.seq <= this.#heldSeq) continue;
      // Something in between was written elsewhere: the store has it.
      if (stored.seq !== this.#heldSeq + 1 || this.#isBehind) this.#look();
      else {
        this.#heldSeq = stored.seq;
        this.#hold(stored);
      }
    }
  }

  #live(event: FollowedEvent): void {
    if (!this.#isBehind && !this.#isReading) this.#hold(event);
    else if (this.#early.length < maxHeld) this.#early.push(event);
  }

  #hold(event: FollowedEvent): void {
    if (this.#held.length < maxHeld) this.#held.push(event);
    else {
      this.#held = [];
      this.#heldSeq = this.#deliveredSeq;
      this.#isBehind = true;
    }
    this.#wake?.();
  }

  readonly #lookElsewhere = (): void => {
    if (!this.#options.isLocal()) this.#look();
  };

  #look(): void {
    this.#isBehind = true;
    this.#wake?.();
  }

  #deliver(): readonly FollowedEvent[] {
    const batch = this.#held;
    this.#held = [];
    this.#deliveredSeq = this.#heldSeq;
    const result = batch.findLast(({ event }) => event.type === 'workflow-result');
    // Nothing follows the result of an execution that has ended; after one that rests the store has to be asked.
    if (result !== undefined && isFinal(result)) this.cancel();
    else if (result !== undefined) this.#isBehind = true;
    return batch;
  }

  /** @returns whether there was something new. */
  async #read(): Promise<boolean> {
    const { owner, store } = this.#options;
    this.#isBehind = false;
    this.#isReading = true;
    const events = await store.events(owner, this.#id, { after: this.#heldSeq, limit: pageSize });
    this.#isReading = false;
    for (const stored of events) {
      if (stored.seq <= this.#heldSeq) continue;
      this.#heldSeq = stored.seq;
      this.#held.push(stored);
    }
    if (events.length === pageSize) this.#isBehind = true;
    if (!this.#isBehind) this.#held.push(...this.#early.splice(0));
    return this.#held.length > 0;
  }

  /** Whether nothing follows, for now: the row is at rest, and all its events were delivered. */
  async #isIdle(): Promise<boolean> {
    const { owner, store } = this.#options;
    const row = await store.find(owner, this.#id);
    if (row === undefined) return true;
    if (row.seq > this.#heldSeq) this.#isBehind = true;
    return (await isIdle(store, row)) && row.seq <= this.#heldSeq && this.#held.length === 0;
  }

  async #news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // A tick runs after the promises that are ready now: what they commit joins the batch.
    this.#wake = () => process.nextTick(resolve);
    await promise;
    this.#wake = undefined;
  }
}

function isFinal({ event }: FollowedEvent): boolean {
  return 'status' in event && event.status !== 'suspended';
}
