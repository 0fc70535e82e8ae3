import type { Random } from './random.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
const historyDays = 14;

/** How much happens in each hour of the day (UTC). */
const byHour = [1, 1, 1, 1, 2, 4, 9, 16, 24, 26, 25, 21, 18, 23, 25, 22, 18, 14, 13, 15, 14, 9, 5, 2];
/** How much happens on each day of the week, from Sunday. */
const byWeekday = [0.5, 1.15, 1.05, 1, 1, 0.95, 0.6];

/** Draws times of the past: little at night and on Sundays, and a little more from day to day. */
export function timesOfThePast(base: number, random: Random): () => number {
  const start = base - historyDays * dayMs;
  const hours = Array.from({ length: historyDays * 24 }, (_, index) => {
    const date = new Date(start + index * hourMs);
    const trend = 1 + (0.35 * index) / (historyDays * 24);
    return trend * (byHour[date.getUTCHours()] ?? 1) * (byWeekday[date.getUTCDay()] ?? 1);
  });
  const total = hours.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let left = random.next() * total;
    const index = hours.findIndex((weight) => (left -= weight) < 0);
    return start + Math.max(index, 0) * hourMs + Math.floor(random.next() * hourMs);
  };
}

/**
 * Two hours in which a provider was overloaded: on the last working day that is at least two days
 * ago.
 */
export function isDuringIncident(at: number, base: number): boolean {
  let day = Math.floor((base - 2 * dayMs) / dayMs) * dayMs;
  while ([0, 6].includes(new Date(day).getUTCDay())) day -= dayMs;
  const begin = day + 13 * hourMs;
  return at >= begin && at < begin + 2 * hourMs;
}

/**
 * The last moments at which the schedules of the desk ticked: every four hours, and at six in the
 * morning (seven in Berlin).
 */
export function ticksOfThePast(
  base: number,
): readonly { readonly workflowId: string; readonly name: string; readonly at: number }[] {
  const first = Math.ceil((base - historyDays * dayMs) / hourMs) * hourMs;
  return Array.from({ length: historyDays * 24 }, (_, index) => first + index * hourMs)
    .filter((at) => at < base)
    .flatMap((at) => {
      const hour = new Date(at).getUTCHours();
      return [
        ...(hour % 4 === 0 ? [{ workflowId: 'follow-up', name: 'every-4-hours', at }] : []),
        ...(hour === 6 ? [{ workflowId: 'daily-report', name: 'every-morning', at }] : []),
      ];
    });
}
