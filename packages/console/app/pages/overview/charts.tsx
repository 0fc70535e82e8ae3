import { type ReactNode, useState } from 'react';
import { Chart, type ChartSeries } from '../../ui/chart.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatCost, formatCosts, formatCount, formatDuration } from '../../ui/format.ts';
import type { Metrics } from './use-overview.ts';
import styles from './charts.module.css';

/** The numbers over time. The charts show the same time: the cursor of one is that of all. */
export function Charts({
  metrics,
  isTable,
  onPeriod,
}: {
  readonly metrics: Metrics;
  readonly isTable: boolean;
  /** A part of the time was chosen in a chart. */
  readonly onPeriod: (period: { readonly from: string; readonly to: string }) => void;
}): ReactNode {
  const [index, setIndex] = useState<number>();
  const { intervalMs, points, totals } = metrics;
  const times = points.map(({ time }) => Date.parse(time));
  const choose = (from: number, to: number): void =>
    onPeriod({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  const shared = { times, intervalMs, index, onIndex: setIndex, onSpan: choose, isTable };
  const outcomes: ChartSeries[] = [
    {
      name: 'Requests',
      color: 'series-1',
      look: 'bar',
      values: points.map(({ requests }) => requests),
      total: formatCount(totals.requests),
    },
    ...(totals.refused === 0
      ? []
      : [
          {
            name: 'Refused',
            color: 'series-3' as const,
            look: 'bar' as const,
            values: points.map(({ refused }) => refused),
            drawn: points.map(({ aborted, errors, refused }) => errors + aborted + refused),
            total: formatCount(totals.refused),
          },
        ]),
    ...(totals.aborted === 0
      ? []
      : [
          {
            name: 'Aborted',
            color: 'series-5' as const,
            look: 'bar' as const,
            values: points.map(({ aborted }) => aborted),
            drawn: points.map(({ aborted, errors }) => errors + aborted),
            total: formatCount(totals.aborted),
          },
        ]),
    {
      name: 'Errors',
      color: 'bad',
      look: 'bar',
      values: points.map((point) => point.errors),
      total: formatCount(totals.errors),
    },
  ];
  const latency: ChartSeries[] = [
    {
      name: 'p95',
      color: 'series-2',
      look: 'line',
      values: points.map(({ p95Ms }) => p95Ms),
      total: totals.p95Ms === null ? '–' : formatDuration(totals.p95Ms),
    },
    {
      name: 'Median',
      color: 'series-1',
      look: 'line',
      values: points.map(({ p50Ms }) => p50Ms),
      total: totals.p50Ms === null ? '–' : formatDuration(totals.p50Ms),
    },
  ];
  const tokens: ChartSeries[] = [
    {
      name: 'Output',
      color: 'series-2',
      look: 'bar',
      values: points.map(({ outputTokens }) => outputTokens),
      drawn: points.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
      total: formatCount(totals.outputTokens),
    },
    {
      name: 'Input',
      color: 'series-1',
      look: 'bar',
      values: points.map(({ inputTokens }) => inputTokens),
      total: formatCount(totals.inputTokens),
    },
  ];
  const costs: ChartSeries[] = [
    {
      name: 'US dollars',
      color: 'series-4',
      look: 'bar',
      values: points.map(({ cost }) => cost),
      total: formatCosts(totals),
    },
  ];
  return (
    <div className={styles.charts}>
      <Chart title="Requests" series={outcomes} format={formatCount} {...shared} />
      <Chart title="Latency" series={latency} format={formatDuration} {...shared} />
      <Chart title="Tokens" series={tokens} format={formatCount} {...shared} />
      {totals.cost === null ? <NoCosts /> : <Chart title="Cost" series={costs} format={formatCost} {...shared} />}
    </div>
  );
}

function NoCosts(): ReactNode {
  return (
    <section className={styles.missing}>
      <h3>Cost</h3>
      <p>
        The cost of model calls is unknown, because the server knows no price of their models. Install
        <code>@pydantic/genai-prices</code> and set <code>prices: 'bundled'</code>, or add prices for a million tokens:
      </p>
      <CodeBlock label="Prices" code={prices} />
    </section>
  );
}

const prices = `createServer({
  telemetry: { prices: { 'gpt-5-mini': { input: 0.25, output: 2 } } },
})`;
