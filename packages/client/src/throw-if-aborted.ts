import { ClientError } from './errors.ts';

/**
 * Like the method of `AbortSignal`, which React Native does not have.
 *
 * @throws the reason of the signal when it is aborted; an `AbortError` where signals have no reason
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  // Where signals have reasons, so do they have the method.
  signal.throwIfAborted?.();
  const error = new ClientError('The call was aborted');
  error.name = 'AbortError';
  throw error;
}
