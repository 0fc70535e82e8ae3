import { type Clock, monotonicTime } from '@halyard/contracts';

/**
 * Returns the store's time without a question to the store: its time at a claim, plus what has passed here since the answer arrived. The clocks of processes differ,
 * and the time of a computer may jump; a step would sleep too short or too long by that difference. Never before the claim: what the store reports as due must be due here.
 * Whole milliseconds, like the times of stores.
 */
export function storeTimeSince(claim: { readonly now: number }, clock: Clock): () => number {
  const answeredAt = monotonicTime(clock);
  return () => claim.now + Math.max(0, Math.floor(monotonicTime(clock) - answeredAt));
}
