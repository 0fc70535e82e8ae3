import type { Clock } from '@halyard/contracts';

/** How often a model call is repeated, and after which delays, before the next model is tried. */
export interface RetryOptions {
  /** Repetitions after the first attempt. */
  readonly maxRetries: number;
  readonly initialDelayMs: number;
  /** The call is not repeated after a longer `Retry-After`. */
  readonly maxDelayMs: number;
}

export const defaultRetries: RetryOptions = { maxRetries: 2, initialDelayMs: 500, maxDelayMs: 30_000 };

/** Milliseconds until the next attempt; undefined when the call is not to be repeated. */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  { retries, clock }: { readonly retries: RetryOptions; readonly clock: Clock },
): number | undefined {
  if (attempt >= retries.maxRetries) return undefined;
  if (!(error instanceof Error) || !('isRetryable' in error) || error.isRetryable !== true) return undefined;
  const asked = retryAfterMs(error, clock);
  if (asked !== undefined) return asked <= retries.maxDelayMs ? asked : undefined;
  const backOffMs = Math.min(retries.maxDelayMs, retries.initialDelayMs * 2 ** attempt);
  return backOffMs * (0.5 + Math.random() / 2);
}

/**
 * From `Retry-After` (RFC 9110 §10.2.3: seconds or a date), or the more precise `retry-after-ms`
 * that some providers send.
 */
function retryAfterMs(error: Error, clock: Clock): number | undefined {
  const headers = 'responseHeaders' in error ? error.responseHeaders : undefined;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const values: Readonly<Record<string, unknown>> = { ...headers };
  const milliseconds = Number(values['retry-after-ms']);
  if (milliseconds >= 0) return milliseconds;
  const after = values['retry-after'];
  if (typeof after !== 'string' || after === '') return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}
