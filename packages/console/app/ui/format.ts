/** How numbers and times are written everywhere in the console. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** `1,204` below ten thousand, then `12.4K`. */
export function formatCount(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

/** `0.4 ms`, `38 ms`, `1.25 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, 'min', Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(hours, 'h', minutes % 60, 'min');
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** Nothing where the duration is not known. */
export function formatAttempt(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : formatDuration(milliseconds);
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** `12 s ago`; `in 5 min`. */
export function formatAgo(time: number, now: number): string {
  const difference = now - time;
  const text = formatDuration(Math.floor(Math.abs(difference) / 1_000) * 1_000)
    .split(' ')
    .slice(0, 2)
    .join(' ');
  if (Math.abs(difference) < 1_000) return 'now';
  return difference > 0 ? `${text} ago` : `in ${text}`;
}

export function formatDateTime(time: string | number): string {
  return dateTime.format(new Date(time));
}

export function formatClock(time: string | number): string {
  return clock.format(new Date(time));
}

const minuteOfDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** `28 Nov, 12:00 – 14:00`. */
export function formatPeriod(from: string, to: string): string {
  return minuteOfDay.formatRange(new Date(from), new Date(to));
}

const dayAndClock = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time of a line: with its day, unless it is of today. */
export function formatLogTime(time: string | number): string {
  const date = new Date(time);
  const clockTime = clock.format(date);
  return date.toDateString() === new Date().toDateString() ? clockTime : `${dayAndClock.format(date)} ${clockTime}`;
}

/** The cost of model calls, of which some may have none. */
export function formatCosts({
  cost,
  unpricedCalls,
}: {
  readonly cost: number | null;
  readonly unpricedCalls: number;
}): string {
  if (cost === null) return unpricedCalls === 0 ? '–' : 'unknown';
  return unpricedCalls === 0 ? formatCost(cost) : `${formatCost(cost)} + unknown`;
}

/** US dollars: `$0.0042`, `$1.25`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * Enough of an id to tell apart what a list shows: both ends of a random one, the end of one that
 * somebody chose.
 */
export function shortId(id: string): string {
  if (id.length <= 14) return id;
  if (/^[\da-f-]+$/i.test(id)) return `${id.slice(0, 8)}…${id.slice(-4)}`;
  return id.length <= 21 ? id : `…${id.slice(-20)}`;
}
