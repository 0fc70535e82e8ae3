import { type Clock, monotonicTime } from '@halyard/contracts';

/**
 * The store's time, without a question to the store. Whole milliseconds since the epoch, like the
 * times of stores.
 */
export interface StoreTime {
  /** It is at least this time: executions that the store has reported as due are due. */
  readonly now: () => number;
  /** It is at most this time: what begins now and must not be too short ends so long after it. */
  readonly latest: () => number;
}

/**
 * The store's time at a claim, plus the time since then by this process's clock. The clocks of
 * processes differ, and the time of a computer may jump; a step would sleep too short or too long
 * by that difference. The store has carried the claim out at an unknown moment between the request
 * and the reply.
 */
export function storeTimeSince(
  claim: { readonly now: number },
  clock: Clock,
  /** The monotonic time at which the claim was requested. */
  requestedAt: number,
): StoreTime {
  const answeredAt = monotonicTime(clock);
  const passedMs = (since: number): number => Math.max(0, monotonicTime(clock) - since);
  return {
    now: () => claim.now + Math.floor(passedMs(answeredAt)),
    latest: () => claim.now + Math.ceil(passedMs(requestedAt)),
  };
}
