import { ClientError } from './errors.ts';

/**
 * Like the method of `AbortSignal`, which React Native does not have.
 *
 * @throws the reason of the signal when it is aborted; an `AbortError` where signals have no reason
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  // A signal that has a reason also has the method.
  signal.throwIfAborted?.();
  const error = new ClientError('The call was aborted');
  error.name = 'AbortError';
  throw error;
}
