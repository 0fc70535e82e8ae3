import {
  AbortedError,
  type Clock,
  ConflictError,
  type LiveStream,
  monotonicTime,
  type NewStream,
  type StreamStore,
  UnavailableError,
} from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';
import { SharedInterval } from '../../services/shared-interval.ts';
import { StreamChanges } from '../../services/stream-changes.ts';
import { ConversationTurn } from './conversation-turn.ts';

export interface TurnRequest {
  /** The conversation, as errors name it. */
  readonly conversationId: string;
  /** Begins with the turn, and must have ended when the turn ends. */
  readonly stream: NewStream;
  readonly leaseMs: number;
  readonly policy: BusyPolicy;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** How long to wait. `Infinity`: until it is its turn, however many others wait. */
  readonly waitMs: number;
}

/** With the policy `reject`, a request waits as long as a client that stops an answer may have to wait for its end. */
const rejectAfterMs = 1_000;
/** How many requests for one conversation may wait in one process. */
const maxWaiting = 50;

/** The requests for one conversation in this process: one has the turn or begins it, the others wait for that one. */
interface LocalQueue {
  turn: ConversationTurn | undefined;
  readonly waiting: { readonly policy: BusyPolicy; readonly proceed: () => void }[];
}

/**
 * Begins streams one at a time in each conversation. Requests of this process wait in order of arrival; other processes are seen in the stream store, where the lease of a
 * process that died ends.
 */
export class TurnQueue {
  readonly #store: StreamStore;
  readonly #clock: Clock;
  readonly #queues = new Map<string, LocalQueue>();
  readonly #waits = new Set<Wait>();
  readonly #ticks = new SharedInterval(250);
  #closedWith: Error | undefined;

  constructor(store: StreamStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Begins the stream when it is its turn.
   *
   * @throws ConflictError (`CHAT_BUSY`) with the policy `reject`, or when too many wait; UnavailableError (`CHAT_STILL_BUSY`) after `waitMs`; AbortedError; errors of the
   * store.
   */
  async take(request: TurnRequest): Promise<ConversationTurn> {
    const { stream } = request;
    const key = JSON.stringify([stream.userId, stream.conversationId]);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { turn: undefined, waiting: [] });
    const wait = new Wait(request);
    this.#waits.add(wait);
    let leasedAt: number;
    try {
      if (queue !== undefined) await this.#waitHere(queue, request, wait);
      try {
        leasedAt = await this.#begin(request, wait);
      } catch (error) {
        this.#proceed(key);
        throw error;
      }
    } finally {
      wait.end();
      this.#waits.delete(wait);
    }
    return this.#turn(key, leasedAt);
  }

  /** Ends all waits with this error. */
  close(error: Error): void {
    this.#closedWith = error;
    for (const wait of this.#waits) wait.abort(error);
  }

  /** Waits for the earlier requests of this process. */
  async #waitHere(queue: LocalQueue, { conversationId, policy, waitMs }: TurnRequest, wait: Wait): Promise<void> {
    if (queue.waiting.length >= maxWaiting && waitMs !== Infinity) throw tooManyWaiting(conversationId);
    if (policy === 'interrupt') queue.turn?.stop();
    const { signal } = this.#start(wait);
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const entry = {
        policy,
        proceed: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        queue.waiting.splice(queue.waiting.indexOf(entry), 1);
        reject(toError(signal.reason));
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.waiting.push(entry);
    });
  }

  /** Begins the stream when no other process has a live one. @returns when its lease was requested, in monotonic time. */
  async #begin(request: TurnRequest, wait: Wait): Promise<number> {
    let leasedAt = monotonicTime(this.#clock);
    let live = await this.#tryToBegin(request);
    if (live !== undefined) {
      const { signal } = this.#start(wait);
      const changes = new StreamChanges({ store: this.#store, ticks: this.#ticks, signal, minMs: 250, maxMs: 1_000 });
      let stoppedId: string | undefined;
      try {
        while (live !== undefined) {
          changes.watch(live.id);
          if (request.policy === 'interrupt' && live.id !== stoppedId) {
            stoppedId = live.id;
            await this.#store.requestStop(live.userId === undefined ? 'anyone' : { user: live.userId }, live);
          }
          await changes.next();
          signal.throwIfAborted();
          leasedAt = monotonicTime(this.#clock);
          live = await this.#tryToBegin(request);
        }
      } finally {
        changes.close();
      }
    }
    if (!wait.signal.aborted) return leasedAt;
    await this.#store.discard(request.stream.id);
    throw toError(wait.signal.reason);
  }

  async #tryToBegin({ leaseMs, stream }: TurnRequest): Promise<LiveStream | undefined> {
    const outcome = await this.#store.begin(stream, leaseMs);
    return outcome.kind === 'busy' ? outcome.live : undefined;
  }

  #start(wait: Wait): Wait {
    wait.start();
    if (this.#closedWith !== undefined) wait.abort(this.#closedWith);
    return wait;
  }

  #turn(key: string, leasedAt: number): ConversationTurn {
    const turn = new ConversationTurn(leasedAt, () => this.#proceed(key));
    const queue = this.#queues.get(key);
    if (queue === undefined) return turn;
    queue.turn = turn;
    if (queue.waiting.some(({ policy }) => policy === 'interrupt')) turn.stop();
    return turn;
  }

  /** Lets the next request of this process begin. */
  #proceed(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    queue.turn = undefined;
    const next = queue.waiting.shift();
    if (next === undefined) this.#queues.delete(key);
    else next.proceed();
  }
}

/** The time that a request waits. It starts only when there is something to wait for. */
class Wait {
  readonly #request: TurnRequest;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(request: TurnRequest) {
    this.#request = request;
  }

  /** Aborted, with the error as its reason, when the request may not wait any longer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    const { conversationId, policy, signal, waitMs } = this.#request;
    const isRejected = policy === 'reject';
    const atMostMs = isRejected ? Math.min(rejectAfterMs, waitMs) : waitMs;
    if (atMostMs !== Infinity)
      this.#timer = setTimeout(
        () => this.abort(isRejected ? busy(conversationId) : stillBusy(conversationId, waitMs)),
        atMostMs,
      );
    if (signal?.aborted === true) this.#onLeave();
    else signal?.addEventListener('abort', this.#onLeave, { once: true });
  }

  abort(error: Error): void {
    this.#controller.abort(error);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onLeave);
  }

  readonly #onLeave = (): void => this.abort(new AbortedError());
}

/** The reason of an aborted signal has no type. */
function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new AbortedError();
}

function busy(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `Conversation "${conversationId}" is being answered: follow that answer, stop it, or wait for its end`,
  );
}

function tooManyWaiting(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `${maxWaiting} requests wait for conversation "${conversationId}" already: wait for their answers`,
  );
}

function stillBusy(conversationId: string, waitedMs: number): UnavailableError {
  return new UnavailableError(
    'CHAT_STILL_BUSY',
    `Conversation "${conversationId}" was still being answered after ${waitedMs} ms`,
  );
}
