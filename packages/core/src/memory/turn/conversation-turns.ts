import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AbortedError,
  ConflictError,
  type LiveStream,
  type NewStream,
  type StreamStore,
  UnavailableError,
} from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';
import { StreamChanges } from '../../chat/stream-changes.ts';
import { SharedInterval } from '../../services/shared-interval.ts';
import { ConversationTurn } from './conversation-turn.ts';
import { storageFailure } from './storage-failure.ts';

export interface TurnRequest {
  /** Unique. */
  readonly id: string;
  readonly agentId: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly policy: BusyPolicy;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** How long the run waits for its turn. */
  readonly waitMs: number;
}

/** How long the turn of a process that died counts as taken. */
const leaseMs = 10_000;
/** With the policy `reject`, a run waits as long as a client that stops an answer may have to wait for its end. */
export const rejectAfterMs = 1_000;
/** How many runs of a conversation may wait in one process. */
const maxWaiting = 50;

/** The runs of one conversation in this process. */
interface LocalQueue {
  turn: ConversationTurn | undefined;
  readonly waiting: { readonly policy: BusyPolicy; readonly proceed: () => void }[];
}

/**
 * Lets one run of a conversation read and write it at a time. Runs of this process wait in order of arrival. Across processes, a turn is a stream without chunks in the
 * stream store: its lease ends when its process dies.
 */
export class ConversationTurns {
  readonly #store: StreamStore;
  readonly #queues = new Map<string, LocalQueue>();
  /** By conversation: the turns of the runs that the current code is part of. */
  readonly #held = new AsyncLocalStorage<ReadonlyMap<string, ConversationTurn>>();
  readonly #renewals = new SharedInterval(leaseMs / 3);
  readonly #ticks = new SharedInterval(250);

  constructor(store: StreamStore) {
    this.#store = store;
  }

  /**
   * Does the work when it is the run's turn. The work ends the turn. A run within another run of the conversation, as of a tool, does not wait for it.
   *
   * @throws ConflictError (`CHAT_BUSY`) with the policy `reject`, or when too many wait; UnavailableError (`CHAT_STILL_BUSY`) after `waitMs`; AbortedError.
   */
  async run<Value>(request: TurnRequest, work: (turn: ConversationTurn | undefined) => Promise<Value>): Promise<Value> {
    const key = JSON.stringify([request.userId, request.conversationId]);
    const held = this.#held.getStore();
    if (held?.get(key)?.hasEnded === false) return work(undefined);
    const turn = await this.#take(key, request);
    return this.#held.run(new Map([...(held ?? []), [key, turn]]), () => work(turn));
  }

  async #take(key: string, request: TurnRequest): Promise<ConversationTurn> {
    const wait = new Wait(request);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { turn: undefined, waiting: [] });
    try {
      if (queue !== undefined) await waitHere(queue, request, wait);
      try {
        await this.#begin(request, wait);
      } catch (error) {
        this.#endLocal(key);
        throw wait.signal.aborted ? wait.failure() : storageFailure(error);
      }
    } finally {
      wait.end();
    }
    return this.#hold(key, request);
  }

  /** Begins the turn when no other process has it. */
  async #begin(request: TurnRequest, wait: Wait): Promise<void> {
    const stream = streamOf(request);
    let live = await this.#tryToBegin(stream);
    if (live === undefined) return;
    wait.start();
    const { signal } = wait;
    const changes = new StreamChanges({ store: this.#store, ticks: this.#ticks, signal, minMs: 250, maxMs: 1_000 });
    let stoppedId: string | undefined;
    try {
      while (live !== undefined) {
        changes.watch(live.id);
        if (request.policy === 'interrupt' && live.id !== stoppedId) {
          stoppedId = live.id;
          await this.#store.requestStop({ user: request.userId }, live);
        }
        await changes.next();
        if (signal.aborted) throw wait.failure();
        live = await this.#tryToBegin(stream);
      }
    } finally {
      changes.close();
    }
  }

  async #tryToBegin(stream: NewStream): Promise<LiveStream | undefined> {
    const outcome = await this.#store.begin(stream, leaseMs);
    return outcome.kind === 'busy' ? outcome.live : undefined;
  }

  #hold(key: string, { id, policy }: TurnRequest): ConversationTurn {
    const turn = new ConversationTurn(async () => {
      for (const cleanUp of cleanUps) cleanUp();
      // A turn that is not deleted ends with its lease.
      await this.#store.discard(id).catch(() => {});
      this.#endLocal(key);
    });
    const renew = (): void => void this.#renew(id, turn);
    const cleanUps = [this.#renewals.add(renew)];
    // Others learn of a request to stop when they renew their lease.
    if (policy === 'interrupt') cleanUps.push(this.#store.watch(id, renew));
    const queue = this.#queues.get(key);
    if (queue === undefined) return turn;
    queue.turn = turn;
    if (queue.waiting.some((waiting) => waiting.policy === 'interrupt')) turn.stop();
    return turn;
  }

  async #renew(id: string, turn: ConversationTurn): Promise<void> {
    if (turn.hasEnded) return;
    // A renewal that fails is tried again: the run ends anyway when its messages cannot be stored.
    const outcome = await this.#store.append(id, { after: 0, chunks: [] }, leaseMs).catch(() => 'appended');
    if (outcome !== 'appended' && !turn.hasEnded) turn.stop();
  }

  #endLocal(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    queue.turn = undefined;
    const next = queue.waiting.shift();
    if (next === undefined) this.#queues.delete(key);
    else next.proceed();
  }
}

/** Waits for the earlier runs of this process. */
async function waitHere(queue: LocalQueue, { conversationId, policy }: TurnRequest, wait: Wait): Promise<void> {
  if (queue.waiting.length >= maxWaiting)
    throw new ConflictError(
      'CHAT_BUSY',
      `${maxWaiting} requests wait for conversation "${conversationId}" already: wait for their answers`,
    );
  if (policy === 'interrupt') queue.turn?.stop();
  wait.start();
  if (wait.signal.aborted) throw wait.failure();
  await new Promise<void>((resolve, reject) => {
    const entry = {
      policy,
      proceed: () => {
        wait.signal.removeEventListener('abort', leave);
        resolve();
      },
    };
    const leave = (): void => {
      queue.waiting.splice(queue.waiting.indexOf(entry), 1);
      reject(wait.failure());
    };
    wait.signal.addEventListener('abort', leave, { once: true });
    queue.waiting.push(entry);
  });
}

/** The time that a run waits for its turn. */
class Wait {
  readonly #request: TurnRequest;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(request: TurnRequest) {
    this.#request = request;
  }

  /** Aborted when the wait is over, or when the caller leaves. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    const { policy, signal, waitMs } = this.#request;
    if (signal?.aborted === true) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#timer = setTimeout(this.#abort, policy === 'reject' ? Math.min(rejectAfterMs, waitMs) : waitMs);
  }

  failure(): Error {
    const { conversationId, policy, signal, waitMs } = this.#request;
    if (signal?.aborted === true) return new AbortedError();
    return policy === 'reject' ? chatBusy(conversationId) : chatStillBusy(conversationId, waitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}

export function chatBusy(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `Conversation "${conversationId}" is being answered: follow that answer, stop it, or wait for its end`,
  );
}

export function chatStillBusy(conversationId: string, waitedMs: number): UnavailableError {
  return new UnavailableError(
    'CHAT_STILL_BUSY',
    `Conversation "${conversationId}" was still being answered after ${waitedMs} ms`,
  );
}

/** Ids of conversations contain no space over HTTP, so the place differs from that of every resumable answer. */
function streamOf({ agentId, conversationId, id, userId }: TurnRequest): NewStream {
  return { id, agentId, conversationId: `${conversationId} turn`, userId };
}
