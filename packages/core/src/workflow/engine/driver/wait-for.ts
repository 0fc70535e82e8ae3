import { setTimeout as timer } from 'node:timers/promises';

/** Waits some milliseconds, or until the signal aborts. */
export async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
