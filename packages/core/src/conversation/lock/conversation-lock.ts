import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AbortedError,
  type Clock,
  ConflictError,
  type LiveStream,
  monotonicTime,
  type NewStream,
  type StreamKey,
  type StreamStore,
  UnavailableError,
} from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';
import { type AgentJournal, storageCall } from '../../agent/loop/journal.ts';
import { SharedInterval } from '../../async/shared-interval.ts';
import { storageFailure } from '../read-messages.ts';
import { HeldLock } from './held-lock.ts';
import { StreamChanges } from './stream-changes.ts';

export interface LockRequest {
  /** The conversation, as errors name it. */
  readonly conversationId: string;
  /** Begins with the lock, and must have ended when the lock is released. */
  readonly stream: NewStream;
  readonly leaseMs: number;
  readonly policy: BusyPolicy;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** How long to wait. `Infinity`: until the lock is free, however many others wait. */
  readonly waitMs: number;
}

export interface RunLockRequest extends Omit<LockRequest, 'stream'> {
  /** Unique. */
  readonly id: string;
  readonly agentId: string;
  readonly userId: string;
  readonly journal?: AgentJournal | undefined;
}

/**
 * The stream that shows that a run has the lock of a conversation. Ids of conversations contain no
 * space over HTTP, so no resumable chat has the same key.
 */
export function lockStreamKey({ agentId, conversationId }: StreamKey): StreamKey {
  return { agentId, conversationId: `${conversationId} lock` };
}

/** How many requests for one conversation may wait in one process. */
const maxWaiting = 50;

/**
 * With the policy `reject`, a request waits as long as a client that stops a reply may have to wait
 * for its end.
 */
const rejectAfterMs = 1_000;

/**
 * The requests of this process for one conversation: one has the lock or takes it, the others wait
 * for that one.
 */
interface LocalQueue {
  lock: HeldLock | undefined;
  readonly waiting: { readonly policy: BusyPolicy; readonly proceed: () => void }[];
}

/**
 * Lets one run or chat have a conversation at a time, in all processes on the same stream store.
 * Its live stream is the lock: the store keeps one in each conversation, and ends the lease of a
 * process that died. Requests of one process wait in order of arrival.
 */
export class ConversationLock {
  readonly #store: StreamStore;
  readonly #clock: Clock;
  readonly #queues = new Map<string, LocalQueue>();
  readonly #waits = new Set<LockWait>();
  readonly #ticks = new SharedInterval(250);
  /** By conversation: the locks of the runs that the current code is part of. */
  readonly #held = new AsyncLocalStorage<ReadonlyMap<string, HeldLock>>();
  #closedWith: Error | undefined;

  constructor(store: StreamStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Does the work with the lock, which the work releases. A run within another run of the
   * conversation, such as a run that a tool starts, waits for no lock and gets none.
   *
   * @throws the errors of {@link acquire}; UnavailableError for errors of the store.
   */
  async run<Value>(request: RunLockRequest, work: (lock: HeldLock | undefined) => Promise<Value>): Promise<Value> {
    const key = JSON.stringify([request.userId, request.conversationId]);
    const held = this.#held.getStore();
    if (held?.get(key)?.isHeld === true) return work(undefined);
    const lock = await this.#acquireForRun(request);
    return this.#held.run(new Map([...(held ?? []), [key, lock]]), () => work(lock));
  }

  /**
   * Begins the stream as soon as no other one of its conversation is live. The caller renews the
   * lease of the stream and ends it before it releases the lock.
   *
   * @throws ConflictError (`CHAT_BUSY`) with the policy `reject`, or when too many wait;
   * UnavailableError (`CHAT_STILL_BUSY`) after `waitMs`; AbortedError; errors of the store.
   */
  async acquire(request: LockRequest): Promise<HeldLock> {
    const { stream } = request;
    const key = JSON.stringify([stream.userId, stream.conversationId]);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { lock: undefined, waiting: [] });
    const wait = new LockWait(request);
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
    return this.#lock(key, leasedAt);
  }

  /** Ends all waits with this error. */
  close(error: Error): void {
    this.#closedWith = error;
    for (const wait of this.#waits) wait.abort(error);
  }

  async #acquireForRun({ agentId, id, journal, userId, ...request }: RunLockRequest): Promise<HeldLock> {
    const { conversationId, leaseMs, policy } = request;
    const stream = { id, userId, ...lockStreamKey({ agentId, conversationId }) };
    try {
      const lock = await storageCall(journal, () => this.acquire({ ...request, stream }));
      lock.keep({ store: this.#store, clock: this.#clock, streamId: id, leaseMs, policy });
      return lock;
    } catch (error) {
      throw storageFailure(error);
    }
  }

  /** Waits for the earlier requests of this process. */
  async #waitHere(queue: LocalQueue, { conversationId, policy, waitMs }: LockRequest, wait: LockWait): Promise<void> {
    if (queue.waiting.length >= maxWaiting && waitMs !== Infinity) throw tooManyWaiting(conversationId);
    if (policy === 'interrupt') queue.lock?.stop();
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

  /**
   * Begins the stream when no other process has a live one.
   *
   * @returns when its lease was requested, in monotonic time.
   */
  async #begin(request: LockRequest, wait: LockWait): Promise<number> {
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

  async #tryToBegin({ leaseMs, stream }: LockRequest): Promise<LiveStream | undefined> {
    const outcome = await this.#store.begin(stream, leaseMs);
    return outcome.kind === 'busy' ? outcome.live : undefined;
  }

  #start(wait: LockWait): LockWait {
    wait.start();
    if (this.#closedWith !== undefined) wait.abort(this.#closedWith);
    return wait;
  }

  #lock(key: string, leasedAt: number): HeldLock {
    const lock = new HeldLock(leasedAt, () => this.#proceed(key));
    const queue = this.#queues.get(key);
    if (queue === undefined) return lock;
    queue.lock = lock;
    if (queue.waiting.some(({ policy }) => policy === 'interrupt')) lock.stop();
    return lock;
  }

  /** Lets the next request of this process take the lock. */
  #proceed(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    queue.lock = undefined;
    const next = queue.waiting.shift();
    if (next === undefined) this.#queues.delete(key);
    else next.proceed();
  }
}

/** The time that a request waits. It starts only when there is something to wait for. */
class LockWait {
  readonly #request: LockRequest;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(request: LockRequest) {
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

function tooManyWaiting(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `${maxWaiting} requests wait for conversation "${conversationId}" already: wait for their answers`,
  );
}

function busy(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `Conversation "${conversationId}" is being answered: follow that answer, stop it, or wait for its end`,
  );
}

function stillBusy(conversationId: string, waitedMs: number): UnavailableError {
  return new UnavailableError(
    'CHAT_STILL_BUSY',
    `Conversation "${conversationId}" was still being answered after ${waitedMs} ms`,
  );
}
