import { setTimeout as delay } from 'node:timers/promises';

const firstWaitMs = 5;
const longestWaitMs = 250;

/**
 * Repeats an attempt on a row that another transaction has locked, without waiting in the database:
 * there, it would block the rest of its batch and use a connection. Most locks are held for a few
 * milliseconds.
 *
 * @param limitMs of waiting in all, before the busy attempts are returned.
 */
export async function whileBusy<Result>(
  attempt: () => Promise<Result>,
  isBusy: (result: Result) => boolean,
  limitMs: number,
): Promise<Result> {
  let remainingMs = limitMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const result = await attempt();
    if (!isBusy(result) || waitMs > remainingMs) return result;
    await delay(waitMs);
    remainingMs -= waitMs;
  }
}
