const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The waits between attempts that the specification recommends: three days in all. */
const waitsMs: readonly number[] = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
const longestMs = 24 * hourMs;

/**
 * Milliseconds until the next attempt; undefined after the last.
 *
 * @param tries so far.
 * @param random from 0 to 1: spreads the attempts of many deliveries that failed together.
 */
export function retryInMs(tries: number, random: number, retryAfterMs: number = 0): number | undefined {
  const wait = waitsMs[tries - 1];
  return wait === undefined ? undefined : Math.max(wait * (1 + random / 5), Math.min(retryAfterMs, longestMs));
}

/** The header `Retry-After`: seconds or a date (RFC 9110 §10.2.3); 0 without one. */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined || header === '') return 0;
  const time = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(time) ? 0 : Math.max(0, time);
}
