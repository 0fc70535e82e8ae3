import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, StreamStore } from '@halyard/contracts';
import { type AgentJournal, storageCall } from '../../agent/run/journal.ts';
import { RunTurn } from './run-turn.ts';
import { storageFailure } from './storage-failure.ts';
import { TurnQueue, type TurnRequest } from './turn-queue.ts';

export interface RunTurnRequest extends Omit<TurnRequest, 'stream'> {
  /** Unique. */
  readonly id: string;
  readonly agentId: string;
  readonly userId: string;
  readonly journal?: AgentJournal | undefined;
}

/** Lets one run of a conversation read and write it at a time, in all processes on the same stream store. */
export class ConversationTurns {
  readonly #store: StreamStore;
  readonly #clock: Clock;
  readonly #queue: TurnQueue;
  /** By conversation: the turns of the runs that the current code is part of. */
  readonly #held = new AsyncLocalStorage<ReadonlyMap<string, RunTurn>>();

  constructor(store: StreamStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#queue = new TurnQueue(store, clock);
  }

  /**
   * Does the work when it is the run's turn. The work ends the turn. A run within another run of the conversation, as of a tool, does not wait for it.
   *
   * @throws what `TurnQueue.take` throws; UnavailableError for errors of the store.
   */
  async run<Value>(request: RunTurnRequest, work: (turn: RunTurn | undefined) => Promise<Value>): Promise<Value> {
    const key = JSON.stringify([request.userId, request.conversationId]);
    const held = this.#held.getStore();
    if (held?.get(key)?.hasEnded === false) return work(undefined);
    const turn = await this.#take(request);
    return this.#held.run(new Map([...(held ?? []), [key, turn]]), () => work(turn));
  }

  async #take({ agentId, id, journal, userId, ...request }: RunTurnRequest): Promise<RunTurn> {
    const { conversationId, leaseMs, policy } = request;
    // Ids of conversations contain no space over HTTP, so the place differs from that of every resumable answer.
    const stream = { id, agentId, conversationId: `${conversationId} turn`, userId };
    try {
      const turn = await storageCall(journal, () => this.#queue.take({ ...request, stream }));
      return new RunTurn(turn, { store: this.#store, clock: this.#clock, streamId: id, leaseMs, policy });
    } catch (error) {
      throw storageFailure(error);
    }
  }
}
