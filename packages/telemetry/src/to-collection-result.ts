import type { HistogramValue, Metric, MetricPoint } from '@halyard/contracts';
import { type HrTime, ValueType } from '@opentelemetry/api';
import { defaultResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { metricScopeName } from './scope.ts';
import { version } from './version.ts';

export interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Metrics as the SDK's readers expect them. */
export function toCollectionResult(metrics: readonly Metric[], times: Times): CollectionResult {
  const data = metrics.filter(({ points }) => points.length > 0).map((metric) => toMetricData(metric, times));
  const scopeMetrics = data.length === 0 ? [] : [{ scope: { name: metricScopeName, version }, metrics: data }];
  return { resourceMetrics: { resource: defaultResource(), scopeMetrics }, errors: [] };
}

function toMetricData({ description, name, points, type, unit }: Metric, times: Times): MetricData {
  const descriptor = { name, description, unit, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  switch (type) {
    case 'histogram':
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: points.map((point) => toPoint(point, times, toHistogram)),
      };
    case 'counter':
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: points.map((point) => toPoint(point, times, Number)),
      };
    case 'gauge':
      return {
        ...common,
        dataPointType: DataPointType.GAUGE,
        dataPoints: points.map((point) => toPoint(point, times, Number)),
      };
    default:
      return type satisfies never;
  }
}

function toPoint<Value>(
  { attributes, value }: MetricPoint,
  times: Times,
  convert: (value: MetricPoint['value']) => Value,
): DataPoint<Value> {
  return { ...times, attributes: toAttributes(attributes), value: convert(value) };
}

function toHistogram(value: MetricPoint['value']): Histogram {
  const { boundaries, count, counts, sum }: HistogramValue =
    typeof value === 'number' ? { sum: value, count: 1, boundaries: [], counts: [1] } : value;
  return { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count };
}

function toAttributes(attributes: MetricPoint['attributes']): { [name: string]: string } {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
}
