import { ConformanceError } from './conformance-error.ts';

/** How long a listener may take to be called: it may be late. */
const patienceMs = 5_000;

/**
 * Watches, acts, and waits until it is told.
 *
 * @param watch calls `told` when it hears of what is waited for; returns what ends it.
 * @throws ConformanceError `missed` when it is not told.
 */
export async function toldAfter(
  act: () => Promise<unknown>,
  missed: string,
  watch: (told: () => void) => () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ConformanceError(missed)), patienceMs);
  const stop = watch(resolve);
  try {
    await act();
    await promise;
  } finally {
    clearTimeout(timer);
    stop();
  }
}
