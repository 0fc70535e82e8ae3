import {
  AbortedError,
  type Clock,
  ConflictError,
  type LiveStream,
  type NewStream,
  type StreamStore,
  UnavailableError,
} from '@halyard/contracts';
import type { LiveAnswerPolicy } from '@halyard/core';
import { shuttingDown } from '../errors/shutting-down.ts';
import type { Pulse } from './pulse.ts';
import { TurnNews } from './turn-news.ts';

export interface AnswerTurnsOptions {
  readonly store: StreamStore;
  readonly pulse: Pulse;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** How long a turn is waited for. */
  readonly waitMs: number;
  readonly isDraining: () => boolean;
}

/** One that waits for its turn. */
interface Wait {
  readonly stream: NewStream;
  readonly signal: AbortSignal;
  readonly news: TurnNews;
  readonly endsAt: number;
  hasWaited: boolean;
}

/** Gives the answers of a conversation their turns: one at a time, over all processes. In this process those that queue come in their order. */
export class AnswerTurns {
  readonly #options: AnswerTurnsOptions;
  /** By conversation: settled when the last that queues has had its turn, or has left. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(options: AnswerTurnsOptions) {
    this.#options = options;
  }

  /**
   * Begins the stream when it is its turn.
   *
   * @throws ConflictError (`CHAT_BUSY`) where it would have to wait, and does not; UnavailableError (`CHAT_STILL_BUSY`) where it waited too long; AbortedError
   * when nobody waits any more.
   */
  async take(stream: NewStream, policy: LiveAnswerPolicy, signal: AbortSignal): Promise<void> {
    if (policy === 'reject') {
      if ((await this.#begin(stream)) !== undefined) throw busy(stream);
      return;
    }
    const { clock, pulse, store, waitMs } = this.#options;
    const news = new TurnNews(store, pulse, signal);
    const wait: Wait = { stream, signal, news, endsAt: clock.now() + waitMs, hasWaited: false };
    try {
      await (policy === 'queue' ? this.#queue(wait) : this.#interrupt(wait));
    } finally {
      news.close();
    }
    if (!wait.hasWaited || !signal.aborted) return;
    await store.end(stream.id, { after: 0, chunks: [] });
    throw new AbortedError();
  }

  async #queue(wait: Wait): Promise<void> {
    const key = JSON.stringify([wait.stream.userId, wait.stream.conversationId]);
    const before = this.#queues.get(key);
    const { promise: own, resolve: goOn } = Promise.withResolvers<void>();
    this.#queues.set(key, own);
    try {
      if (before !== undefined) await this.#until(before, wait);
      await this.#tryUntilTurn(wait);
    } finally {
      // Who leaves early lets nobody pass those who came before.
      void (before ?? Promise.resolve()).then(() => {
        goOn();
        if (this.#queues.get(key) === own) this.#queues.delete(key);
      });
    }
  }

  async #until(before: Promise<void>, wait: Wait): Promise<void> {
    let isTheirs = true;
    void before.then(() => {
      isTheirs = false;
      wait.news.stir();
    });
    while (isTheirs) {
      this.#check(wait);
      wait.hasWaited = true;
      await wait.news.next();
    }
  }

  async #interrupt(wait: Wait): Promise<void> {
    let stoppedId: string | undefined;
    await this.#tryUntilTurn(wait, async ({ agentId, conversationId, id, userId }) => {
      if (id === stoppedId) return;
      stoppedId = id;
      const owner = userId === undefined ? 'anyone' : { user: userId };
      await this.#options.store.requestStop(owner, { agentId, conversationId });
    });
  }

  async #tryUntilTurn(wait: Wait, onBusy?: (live: LiveStream) => Promise<void>): Promise<void> {
    for (let live = await this.#begin(wait.stream); live !== undefined; live = await this.#begin(wait.stream)) {
      wait.news.watch(live.id);
      await onBusy?.(live);
      this.#check(wait);
      wait.hasWaited = true;
      await wait.news.next();
      this.#check(wait);
    }
  }

  /** @returns the live stream that is in its way. */
  async #begin(stream: NewStream): Promise<LiveStream | undefined> {
    const outcome = await this.#options.store.begin(stream, this.#options.leaseMs);
    return outcome.kind === 'busy' ? outcome.live : undefined;
  }

  #check({ endsAt, stream: { conversationId }, signal }: Wait): void {
    const { clock, isDraining, waitMs } = this.#options;
    if (signal.aborted) throw new AbortedError();
    if (isDraining()) throw shuttingDown();
    if (clock.now() < endsAt) return;
    throw new UnavailableError(
      'CHAT_STILL_BUSY',
      `Conversation "${conversationId}" was still being answered after ${waitMs} ms`,
    );
  }
}

function busy({ conversationId }: NewStream): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `Conversation "${conversationId}" is being answered: follow that answer, stop it, or wait for its end`,
  );
}
