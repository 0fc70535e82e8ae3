/**
 * Settles as `work` does, or rejects with the signal's reason as soon as that aborts: not everything that is waited for listens to
 * its signal. No listener stays behind.
 */
export function orAborted<Value>(work: PromiseLike<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return Promise.resolve(work);
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const onAbort = (): void => reject(signal.reason);
  const settled = (): void => signal.removeEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  work.then(
    (value) => {
      settled();
      resolve(value);
    },
    (error: unknown) => {
      settled();
      reject(error);
    },
  );
  return promise;
}
