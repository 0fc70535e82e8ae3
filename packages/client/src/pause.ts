import { throwIfAborted } from './throw-if-aborted.ts';

const firstMs = 250;
const longestMs = 10_000;

/**
 * Doubles with each attempt, with a random part, so that the clients of a restarted server do not
 * come back all at once.
 */
export function backoffMs(attempt: number): number {
  return Math.min(firstMs * 2 ** attempt, longestMs) * (0.5 + Math.random() / 2);
}

/** @throws the reason of the signal when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
  throwIfAborted(signal);
}
