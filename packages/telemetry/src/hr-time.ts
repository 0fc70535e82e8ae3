import type { HrTime } from '@opentelemetry/api';

/** As OpenTelemetry counts: whole seconds, and nanoseconds. A plain number it may take for time since the process began. */
export function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** Milliseconds since the epoch. */
export function fromHrTime([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
