/**
 * Settles as `work` does, or rejects with the signal's reason as soon as it aborts. For work that
 * does not listen to the signal itself.
 */
export async function abortable<Value>(work: PromiseLike<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise<Value>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        // Work that does listen may reject first, with an error of its own.
        reject(signal.aborted ? (signal.reason as Error) : (error as Error));
      },
    );
  });
}
