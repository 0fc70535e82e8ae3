import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCosts, formatCount, formatDuration, formatPeriod } from '../../ui/format.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { type Metrics, type MetricTotals, toPeriod } from './use-overview.ts';
import styles from './figures.module.css';

/** More is no change but a beginning. */
const mostChange = 9;

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
  /** Undefined where there is nothing to compare with. */
  readonly change: number | undefined;
  readonly course: readonly (number | null)[];
  readonly status?: 'error';
}

/**
 * The numbers of the time, each with its change and its course. They lead to the runs that they
 * count.
 */
export function Figures({ metrics }: { readonly metrics: Metrics }): ReactNode {
  const figures = toFigures(metrics);
  return (
    <>
      <ul className={styles.figures}>
        {figures.map(({ change, course, detail, name, status, value }) => (
          <li key={name}>
            <Link to="/runs" search={{ entry: 'true', status: status ?? 'ended', ...toPeriod(metrics) }}>
              <span className={styles.name}>{name}</span>
              <span className={styles.value}>{value}</span>
              <span className={styles.detail}>
                {detail}
                {change !== undefined && <Change share={change} />}
              </span>
              <Sparkline values={course} isBad={status === 'error'} />
            </Link>
          </li>
        ))}
      </ul>
      {figures.some(({ change }) => change !== undefined) && (
        <p className={styles.before}>Changes compare with the time before: {formatBefore(metrics)}</p>
      )}
    </>
  );
}

/** The time of the same length before that of the numbers. */
function formatBefore({ from, to }: Metrics): string {
  const start = Date.parse(from);
  return formatPeriod(new Date(start - (Date.parse(to) - start)).toISOString(), from);
}

function Change({ share }: { readonly share: number }): ReactNode {
  const percent = Math.round(share * 100);
  const text = `${Math.abs(percent)} %`;
  const word = percent === 0 ? 'as before' : percent > 0 ? `up ${text}` : `down ${text}`;
  return (
    <span className={styles.change}>
      {percent !== 0 && <span aria-hidden="true">{percent > 0 ? '↑' : '↓'}</span>}
      <span className={styles.spoken}>{word}</span>
      <span aria-hidden="true">{percent === 0 ? '±0 %' : text}</span>
    </span>
  );
}

function toFigures({ points, previous, totals }: Metrics): readonly Figure[] {
  const tokensOf = (sums: MetricTotals): number => sums.inputTokens + sums.outputTokens;
  const cost = totals.cost;
  // The latency of a handful of requests is no measure.
  const hasBefore = toChange(totals.requests, previous.requests) !== undefined;
  return [
    {
      name: 'Requests',
      value: formatCount(totals.requests),
      detail: '',
      change: toChange(totals.requests, previous.requests),
      course: points.map(({ requests }) => requests),
    },
    {
      name: 'Errors',
      value: formatCount(totals.errors),
      detail: [`${toPercent(totals.errors, totals.requests)} of requests`, ...listOthers(totals)].join(', '),
      change: toChange(totals.errors, previous.errors),
      course: points.map(({ errors }) => errors),
      status: 'error',
    },
    {
      name: 'Median latency',
      value: totals.p50Ms === null ? '–' : formatDuration(totals.p50Ms),
      detail: totals.p95Ms === null ? '' : `p95 ${formatDuration(totals.p95Ms)}`,
      change: hasBefore ? toChange(totals.p50Ms, previous.p50Ms) : undefined,
      course: points.map(({ p50Ms }) => p50Ms),
    },
    {
      name: 'Tokens',
      value: formatCount(tokensOf(totals)),
      detail:
        totals.cachedInputTokens === 0
          ? ''
          : `${toPercent(totals.cachedInputTokens, totals.inputTokens)} of input cached`,
      change: toChange(tokensOf(totals), tokensOf(previous)),
      course: points.map(tokensOf),
    },
    {
      name: 'Cost',
      value: formatCosts(totals),
      detail: totals.unpricedCalls === 0 ? '' : `${formatCount(totals.unpricedCalls)} calls without a price`,
      change: toChange(cost, previous.cost),
      course: points.map((point) => point.cost),
    },
  ];
}

/** Requests that neither completed nor failed. */
function listOthers({ aborted, refused }: MetricTotals): readonly string[] {
  return [
    ...(aborted > 0 ? [`${formatCount(aborted)} aborted`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} refused`] : []),
  ];
}

/**
 * Undefined also where the time before has almost nothing: the server is new, or older runs were
 * deleted.
 */
function toChange(now: number | null, before: number | null): number | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const change = now / before - 1;
  return change > mostChange ? undefined : change;
}

function toPercent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  return percent < 10 ? `${percent.toFixed(1)} %` : `${Math.round(percent)} %`;
}
