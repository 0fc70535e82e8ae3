import { AbortedError, type Clock, type LiveStream, type NewStream, type StreamStore } from '@halyard/contracts';
import type { BusyPolicy } from '../agent/agent-options.ts';
import { chatBusy, chatStillBusy, rejectAfterMs } from '../memory/turn/conversation-turns.ts';
import type { SharedInterval } from '../services/shared-interval.ts';
import { StreamChanges } from './stream-changes.ts';

export interface AnswerQueueOptions {
  readonly store: StreamStore;
  readonly ticks: SharedInterval;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How long an answer waits for its turn. */
  readonly queueWaitMs: number;
  readonly isDraining: () => boolean;
  readonly shutdownError: () => Error;
}

/** An answer that waits for its turn. */
interface Entry {
  readonly stream: NewStream;
  readonly policy: BusyPolicy;
  readonly signal: AbortSignal;
  readonly changes: StreamChanges;
  readonly deadline: number;
  hasWaited: boolean;
}

/** The shortest and the longest time between two attempts of a waiting answer to start. */
const tryMs = { min: 250, max: 1_000 };

/** Lets one answer of a conversation run at a time, across all processes. Answers that wait in this process start in order of arrival. */
export class AnswerQueue {
  readonly #options: AnswerQueueOptions;
  /** By conversation: settles when the last waiting answer has begun or left. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(options: AnswerQueueOptions) {
    this.#options = options;
  }

  /**
   * Begins the stream when it is its turn.
   *
   * @throws ConflictError (`CHAT_BUSY`) with the policy `reject`; UnavailableError (`CHAT_STILL_BUSY`) after `queueWaitMs`;
   * AbortedError when the signal is aborted while it waits.
   */
  async begin(stream: NewStream, policy: BusyPolicy, signal: AbortSignal): Promise<void> {
    const { clock, queueWaitMs, store, ticks } = this.#options;
    const changes = new StreamChanges({ store, ticks, signal, minMs: tryMs.min, maxMs: tryMs.max });
    const waitMs = policy === 'reject' ? Math.min(rejectAfterMs, queueWaitMs) : queueWaitMs;
    const entry: Entry = { stream, policy, signal, changes, deadline: clock.now() + waitMs, hasWaited: false };
    try {
      await (policy === 'interrupt' ? this.#interrupt(entry) : this.#enqueue(entry));
    } finally {
      changes.close();
    }
    if (!entry.hasWaited || !signal.aborted) return;
    await store.end(stream.id, { after: 0, chunks: [] });
    throw new AbortedError();
  }

  async #enqueue(entry: Entry): Promise<void> {
    const key = JSON.stringify([entry.stream.userId, entry.stream.conversationId]);
    const previous = this.#tails.get(key);
    const { promise: own, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, own);
    try {
      if (previous !== undefined) await this.#waitFor(previous, entry);
      await this.#beginWhenFree(entry);
    } finally {
      // An answer that leaves early must not let those behind it overtake those before it.
      void (previous ?? Promise.resolve()).then(() => {
        resolve();
        if (this.#tails.get(key) === own) this.#tails.delete(key);
      });
    }
  }

  async #waitFor(previous: Promise<void>, entry: Entry): Promise<void> {
    let isWaiting = true;
    void previous.then(() => {
      isWaiting = false;
      entry.changes.notify();
    });
    while (isWaiting) await this.#wait(entry);
  }

  async #interrupt(entry: Entry): Promise<void> {
    let stoppedId: string | undefined;
    await this.#beginWhenFree(entry, async ({ agentId, conversationId, id, userId }) => {
      if (id === stoppedId) return;
      stoppedId = id;
      const owner = userId === undefined ? 'anyone' : { user: userId };
      await this.#options.store.requestStop(owner, { agentId, conversationId });
    });
  }

  async #beginWhenFree(entry: Entry, onBusy?: (live: LiveStream) => Promise<void>): Promise<void> {
    for (;;) {
      const live = await this.#tryToBegin(entry.stream);
      if (live === undefined) return;
      entry.changes.watch(live.id);
      await onBusy?.(live);
      await this.#wait(entry);
      this.#check(entry);
    }
  }

  /** @returns the live stream of the conversation, if there is one. */
  async #tryToBegin(stream: NewStream): Promise<LiveStream | undefined> {
    const outcome = await this.#options.store.begin(stream, this.#options.leaseMs);
    return outcome.kind === 'busy' ? outcome.live : undefined;
  }

  async #wait(entry: Entry): Promise<void> {
    this.#check(entry);
    entry.hasWaited = true;
    await entry.changes.next();
  }

  #check({ deadline, policy, signal, stream: { conversationId } }: Entry): void {
    const { clock, isDraining, queueWaitMs, shutdownError } = this.#options;
    if (signal.aborted) throw new AbortedError();
    if (isDraining()) throw shutdownError();
    if (clock.now() < deadline) return;
    throw policy === 'reject' ? chatBusy(conversationId) : chatStillBusy(conversationId, queueWaitMs);
  }
}
