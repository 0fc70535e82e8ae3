/**
 * The time in a function with the parameter `shift_ms`, which is the option `clockShiftMs` of the
 * storage: milliseconds since the epoch.
 */
export const nowMs: string = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint + shift_ms';

/**
 * The day of a time with fractions, counted from the epoch. A time beyond the calendar belongs to
 * its last day.
 */
export function toDay(time: string): string {
  return `floor(greatest(least(${time}, 8.64e15), -8.64e15) / 86400000)::integer`;
}
