import { type Clock, monotonicTime, type StreamStore } from '@halyard/contracts';
import type { BusyPolicy } from '../../agent/agent-options.ts';

/** Why the holder must end: another run interrupts it, or it has lost the lock. */
export type LockStop = 'interrupted' | 'lost';

export interface KeepOptions {
  readonly store: StreamStore;
  /** The stream that has begun with the lock, and that nobody writes. */
  readonly streamId: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly policy: BusyPolicy;
}

/** The lock of a conversation, held by one run or one chat. */
export class HeldLock {
  /**
   * When the lease of its stream was requested, in monotonic time. The store granted it later, so
   * that it ends in this process first.
   */
  readonly leasedAt: number;
  readonly #onRelease: () => void;
  #endStream: (() => Promise<void>) | undefined;
  #isHeld = true;
  #stopped: LockStop | undefined;
  #onStop: ((why: LockStop) => void) | undefined;

  constructor(leasedAt: number, onRelease: () => void) {
    this.leasedAt = leasedAt;
    this.#onRelease = onRelease;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Requests that the holder ends. */
  stop(why: LockStop = 'interrupted'): void {
    this.#stopped = why;
    this.#onStop?.(why);
  }

  /** @param listener called at once if the holder is to stop already. */
  onStop(listener: (why: LockStop) => void): void {
    this.#onStop = listener;
    if (this.#stopped !== undefined) listener(this.#stopped);
  }

  /** Renews the lease of the stream until the lock is released, and then deletes the stream. */
  keep({ clock, leaseMs, policy, store, streamId }: KeepOptions): void {
    const renew = async (): Promise<void> => {
      // A renewal that fails is tried again: the run ends anyway when its messages cannot be
      // stored.
      const outcome = await store.append(streamId, { after: 0, chunks: [] }, leaseMs).catch(() => 'appended');
      if (outcome !== 'appended' && this.#isHeld) this.stop(outcome === 'lost' ? 'lost' : 'interrupted');
    };
    const timer = setInterval(() => void renew(), leaseMs / 3).unref();
    // The store responded late: much of the lease has passed.
    if ((monotonicTime(clock) - this.leasedAt) * 3 >= leaseMs) void renew();
    // Runs with another policy learn of a request to stop when they renew their lease.
    const unwatch = policy === 'interrupt' ? store.watch(streamId, () => void renew()) : undefined;
    this.#endStream = async () => {
      clearInterval(timer);
      unwatch?.();
      // A stream that is not deleted ends with its lease.
      await store.discard(streamId).catch(() => {});
    };
  }

  /** Lets the next one have the lock. Never rejects. */
  async release(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#endStream !== undefined) await this.#endStream();
    this.#onRelease();
  }
}
