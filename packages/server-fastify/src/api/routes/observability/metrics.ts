import {
  InvalidInputError,
  latencyBuckets,
  latencyQuantile,
  type MetricSums,
  type TelemetryMetrics,
} from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { ownerForCaller } from '../../../access/identity.ts';
import { SharedMetrics } from '../../../runtime/telemetry/shared-metrics.ts';
import { defineRoute } from '../../define/define-route.ts';
import { Metrics, type MetricPoint, MetricsQuery, type MetricTotals } from './metrics-schemas.ts';
import { metricsWindow, type MetricsWindow } from './metrics-window.ts';

const shared = new SharedMetrics();

/** Counted runs and model calls. */
export const metricRoutes = [
  defineRoute({
    method: 'GET',
    tier: 'console',
    tag: 'Observability',
    url: '/observability/metrics',
    operationId: 'countRuns',
    readsList: true,
    summary: 'Count requests, errors, tokens, costs and durations over time',
    query: MetricsQuery,
    data: Metrics,
    handler: async ({ caller, query }, services) => {
      const { group, groupBy, limit } = query;
      if (group !== undefined && groupBy === 'none')
        throw new InvalidInputError('query/group needs query/groupBy to be agent, workflow, model or user');
      const { clock } = services.agentServices;
      const { telemetry } = services;
      const window = metricsWindow(query, clock.now());
      const asked = { ...window, groupBy, group, maxGroups: limit };
      const metrics =
        telemetry === undefined ? nothing(window) : await shared.read(telemetry, clock, ownerForCaller(caller), asked);
      return { ...describeMetrics(metrics, window), groupBy };
    },
  }),
];

function describeMetrics(
  { groups, others, points, previous }: TelemetryMetrics,
  { from, intervalMs, to }: MetricsWindow,
): Omit<Metrics, 'groupBy'> {
  return {
    from: isoTime(from),
    to: isoTime(to),
    intervalMs,
    totals: toTotals(addUp(points)),
    previous: toTotals(previous),
    points: points.map((point, index): MetricPoint => ({
      time: isoTime(from + index * intervalMs),
      ...toTotals(point),
    })),
    groups: groups.map(({ id, requestsOverTime, ...sums }) => ({
      id,
      ...toTotals(sums),
      requestsOverTime: [...requestsOverTime],
    })),
    other: others,
  };
}

function toTotals({ latencies, ...counts }: MetricSums): MetricTotals {
  return { ...counts, p50Ms: quantile(latencies, 0.5), p95Ms: quantile(latencies, 0.95) };
}

function quantile(latencies: readonly number[], share: number): number | null {
  const ms = latencyQuantile(latencies, share);
  return ms === undefined ? null : Number(ms.toPrecision(3));
}

function addUp(points: readonly MetricSums[]): MetricSums {
  return points.reduce(
    (sum, point) => ({
      requests: sum.requests + point.requests,
      errors: sum.errors + point.errors,
      aborted: sum.aborted + point.aborted,
      refused: sum.refused + point.refused,
      inputTokens: sum.inputTokens + point.inputTokens,
      outputTokens: sum.outputTokens + point.outputTokens,
      cachedInputTokens: sum.cachedInputTokens + point.cachedInputTokens,
      cost: point.cost === null ? sum.cost : (sum.cost ?? 0) + point.cost,
      unpricedCalls: sum.unpricedCalls + point.unpricedCalls,
      latencies: sum.latencies.map((count, bucket) => count + (point.latencies[bucket] ?? 0)),
    }),
    noSums,
  );
}

const noSums: MetricSums = {
  requests: 0,
  errors: 0,
  aborted: 0,
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cost: null,
  unpricedCalls: 0,
  latencies: Array.from({ length: latencyBuckets }, () => 0),
};

/** Where nothing is recorded. */
function nothing({ from, intervalMs, to }: MetricsWindow): TelemetryMetrics {
  const points = Array.from({ length: (to - from) / intervalMs }, () => noSums);
  return { points, previous: noSums, groups: [], others: null };
}
