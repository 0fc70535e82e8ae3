import { ConformanceError } from './conformance-error.ts';

/** Notifications may be late, above all on a busy machine. */
const timeLimitMs = 20_000;

/**
 * Adds a watcher, acts, and waits for the notification.
 *
 * @param watch calls `onNotified` for the expected notification; returns a function that removes
 * the watcher.
 * @throws ConformanceError with the message `missed` when there is no notification.
 */
export async function notifiedAfter(
  act: () => Promise<unknown>,
  missed: string,
  watch: (onNotified: () => void) => () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ConformanceError(missed)), timeLimitMs);
  const stop = watch(resolve);
  try {
    await act();
    await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
