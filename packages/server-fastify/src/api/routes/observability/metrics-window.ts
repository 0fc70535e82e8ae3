import { InvalidInputError } from '@halyard/contracts';
import { toTime } from '../common-schemas.ts';
import type { MetricsQuery } from './metrics-schemas.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const units = { m: minute, h: hour, d: day } as const;
const intervals = [minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day] as const;
const fewestPoints = 40;
const mostPoints = 750;
const longestMs = 31 * day;

export interface MetricsWindow {
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
}

/**
 * The intervals that a query asks for. They start at whole multiples, so that the same query at
 * another time has the same intervals. @throws InvalidInputError
 */
export function metricsWindow(
  query: Pick<MetricsQuery, 'range' | 'from' | 'to' | 'interval'>,
  now: number,
): MetricsWindow {
  if (query.range !== undefined && query.from !== undefined)
    throw new InvalidInputError('query/range and query/from exclude each other');
  const end = query.to === undefined ? now : toTime('query/to', query.to);
  const start = query.from === undefined ? end - toMs(query.range ?? '24h') : toTime('query/from', query.from);
  const length = end - start;
  if (length < minute || length > longestMs)
    throw new InvalidInputError(
      `query/${query.from === undefined ? 'range' : 'from'} must be 1 minute to 31 days long`,
    );
  const intervalMs = query.interval === undefined ? chooseInterval(length) : checkedInterval(query.interval, length);
  const to = Math.ceil(end / intervalMs) * intervalMs;
  const from =
    query.from === undefined
      ? to - Math.ceil(length / intervalMs) * intervalMs
      : Math.floor(start / intervalMs) * intervalMs;
  return { from, to, intervalMs };
}

/** The longest interval that gives enough points. */
function chooseInterval(length: number): number {
  return intervals.findLast((each) => length / each >= fewestPoints) ?? minute;
}

function checkedInterval(text: string, length: number): number {
  const interval = toMs(text);
  if (interval > hour && interval % hour !== 0)
    throw new InvalidInputError('query/interval must be whole hours if it is longer than one');
  if (length / interval > mostPoints)
    throw new InvalidInputError(`query/interval must give at most ${mostPoints} points`);
  return interval;
}

function toMs(text: string): number {
  const unit = units[text.slice(-1) as keyof typeof units];
  return Number.parseInt(text, 10) * unit;
}
