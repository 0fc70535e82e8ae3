import { type Clock, monotonicTime, type StreamStore } from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';
import type { ConversationTurn, TurnStop } from './conversation-turn.ts';

export interface RunTurnOptions {
  readonly store: StreamStore;
  /** The stream that has begun with the turn. */
  readonly streamId: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly policy: BusyPolicy;
}

/** The turn of a run. Its stream has no chunks: it only shows other processes that the conversation is being answered. */
export class RunTurn {
  readonly #turn: ConversationTurn;
  readonly #options: RunTurnOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: (() => void) | undefined;
  #hasEnded = false;

  constructor(turn: ConversationTurn, options: RunTurnOptions) {
    const { clock, leaseMs, policy, store, streamId } = options;
    this.#turn = turn;
    this.#options = options;
    const renew = (): void => void this.#renew();
    this.#timer = setInterval(renew, leaseMs / 3).unref();
    // The answer of the store came late: much of the lease has passed.
    if ((monotonicTime(clock) - turn.leasedAt) * 3 >= leaseMs) renew();
    // Runs with another policy learn of a request to stop when they renew their lease.
    this.#unwatch = policy === 'interrupt' ? store.watch(streamId, renew) : undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @param listener called when the run is to end. */
  onStop(listener: (why: TurnStop) => void): void {
    this.#turn.onStop(listener);
  }

  /** Lets the next run begin. Never rejects. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#timer);
    this.#unwatch?.();
    // A stream that is not deleted ends with its lease.
    await this.#options.store.discard(this.#options.streamId).catch(() => {});
    this.#turn.end();
  }

  async #renew(): Promise<void> {
    const { leaseMs, store, streamId } = this.#options;
    // A renewal that fails is tried again: the run ends anyway when its messages cannot be stored.
    const outcome = await store.append(streamId, { after: 0, chunks: [] }, leaseMs).catch(() => 'appended');
    if (outcome !== 'appended' && !this.#hasEnded) this.#turn.stop(outcome === 'lost' ? 'lost' : 'interrupted');
  }
}
