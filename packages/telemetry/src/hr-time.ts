import type { HrTime } from '@opentelemetry/api';

/**
 * Seconds and nanoseconds. OpenTelemetry may interpret a plain number as time since the start of
 * the process.
 */
export function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** Milliseconds since the epoch. */
export function fromHrTime([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
