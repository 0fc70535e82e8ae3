/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. For work that does not listen to the signal itself. */
export async function abortable<Value>(work: PromiseLike<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } catch (error) {
    // Work that does listen may reject first, with an error of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
