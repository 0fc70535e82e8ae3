import { setTimeout as timer } from 'node:timers/promises';
import { type Clock, isHalyardError, monotonicTime } from '@halyard/contracts';

export interface ReadAgainOptions {
  readonly clock: Clock;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** Waits some milliseconds, or until the signal aborts. Default: a timer. */
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/** How long a reader of a reply waits for a storage that does not respond. */
const outageMs = 30_000;
const firstWaitMs = 100;
const longestWaitMs = 2_000;

/**
 * Reads data of a reply, and again for 30 s if the storage does not respond. The reply continues
 * meanwhile, and the chunks that were sent stay valid.
 *
 * @throws any other error at once; the UnavailableError after that time, or when the signal is
 * aborted.
 */
export async function readAgain<Result>(
  read: () => Promise<Result>,
  { clock, delay = waitFor, signal }: ReadAgainOptions,
): Promise<Result> {
  const startedAt = monotonicTime(clock);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await read();
    } catch (error) {
      const isOutage = isHalyardError(error) && error.kind === 'unavailable';
      if (!isOutage || signal.aborted || monotonicTime(clock) - startedAt + waitMs > outageMs) throw error;
    }
    await delay(waitMs, signal);
  }
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => {});
}
