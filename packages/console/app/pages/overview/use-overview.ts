import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { useLiveQueries } from '../../live/use-live-queries.ts';
import { type Period as PeriodSearch, type TimeRange, toWindow } from '../../ui/search-params.ts';

export type Metrics = components['schemas']['Metrics'];
export type MetricTotals = components['schemas']['MetricTotals'];

/** The dimensions of the breakdown. */
export const breakdowns = ['agent', 'workflow', 'model', 'user'] as const;
export type Breakdown = (typeof breakdowns)[number];

export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The times of the counted runs: `to` of the metrics is exclusive, that of lists is not. */
export function toPeriod({ from, to }: Metrics): Period {
  return { from, to: new Date(Date.parse(to) - 1).toISOString() };
}

const secondMs = 1_000;
/** How often numbers are read again while runs come in. A longer time changes less. */
const refreshMs: Record<TimeRange, number> = {
  '1h': 5 * secondMs,
  '6h': 10 * secondMs,
  '24h': 15 * secondMs,
  '3d': 30 * secondMs,
  '7d': 60 * secondMs,
  '14d': 60 * secondMs,
};

/** All numbers of the page are one request. */
export function useMetrics(period: PeriodSearch, groupBy: Breakdown): UseQueryResult<Metrics> {
  useLiveQueries(['overview', 'metrics'], refreshMs[period.range ?? '24h']);
  const window = toWindow(period);
  return useQuery({
    queryKey: ['overview', 'metrics', window, groupBy],
    queryFn: ({ signal }) =>
      readData(api.GET('/observability/metrics', { params: { query: { ...window, groupBy, limit: 8 } }, signal })),
    placeholderData: keepPreviousData,
    // Intervals end also where nothing happens; hidden pages do not ask.
    refetchInterval: 60 * secondMs,
  });
}
