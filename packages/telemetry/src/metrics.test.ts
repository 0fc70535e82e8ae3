import type { Metric } from '@halyard/contracts';
import { context, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServerMetricProducer } from './server-metric-producer.ts';
import { opened, type Opened } from './testing/opened.ts';
import { OtlpReceiver, plain } from './testing/otlp-receiver.ts';

const metrics: readonly Metric[] = [
  {
    name: 'http.server.request.duration',
    description: 'Requests',
    unit: 's',
    type: 'histogram',
    points: [
      {
        attributes: { 'http.route': '/agents/:id/text' },
        value: { sum: 1.25, count: 3, boundaries: [0.1, 1], counts: [1, 1, 1] },
      },
    ],
  },
  {
    name: 'halyard.executions.lost',
    description: 'Lost',
    unit: '{execution}',
    type: 'counter',
    points: [{ attributes: { 'workflow.id': 'order' }, value: 2 }],
  },
  {
    name: 'halyard.streams.open',
    description: 'Open',
    unit: '{stream}',
    type: 'gauge',
    points: [{ attributes: {}, value: 7 }],
  },
  { name: 'halyard.executions.quarantined', description: 'Never', unit: '{execution}', type: 'counter', points: [] },
];
const source = { collect: () => Promise.resolve(metrics) };

let collector: OtlpReceiver;
let open: Opened | undefined;

beforeEach(async () => {
  collector = await OtlpReceiver.listen();
});

afterEach(async () => {
  await open?.close();
  open = undefined;
  vi.unstubAllEnvs();
  await collector[Symbol.asyncDispose]();
});

it('sends the metrics of a server to the collector when it closes', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', `${collector.url}/v1/metrics`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('SERVICE_PUBLIC_KEY', 'pk-public');
  vi.stubEnv('SERVICE_SECRET_KEY', 'sk-secret');
  open = await opened();
  open.exportMetrics?.(source);
  await open.close();

  expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/metrics']);
  expect(collector.requests[0]?.headers).toMatchObject({ 'x-public-key': 'pk-public', 'x-secret-key': 'sk-secret' });
  const [resource] = collector.requests.flatMap(({ body }) => body.resourceMetrics ?? []);
  expect(plain(resource?.resource.attributes ?? [])).toMatchObject({ 'service.name': 'shop' });
  const [duration, lost, streams, ...others] = collector.metrics;
  expect(others).toEqual([]);
  expect(duration).toMatchObject({
    name: 'http.server.request.duration',
    unit: 's',
    histogram: { dataPoints: [{ sum: 1.25, count: 3, explicitBounds: [0.1, 1], bucketCounts: [1, 1, 1] }] },
  });
  expect(plain(duration?.histogram?.dataPoints[0]?.attributes ?? [])).toEqual({ 'http.route': '/agents/:id/text' });
  expect(lost).toMatchObject({
    name: 'halyard.executions.lost',
    sum: { isMonotonic: true, dataPoints: [{ asDouble: 2 }] },
  });
  expect(streams).toMatchObject({ name: 'halyard.streams.open', gauge: { dataPoints: [{ asDouble: 7 }] } });
});

it('sends them at the interval of OTEL_METRIC_EXPORT_INTERVAL', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', `${collector.url}/v1/metrics`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '20');
  open = await opened();
  open.exportMetrics?.(source);
  await expect.poll(() => collector.requests.length, { timeout: 60_000 }).toBeGreaterThan(2);
});

it.each([
  ['OTEL_METRICS_EXPORTER is none', { OTEL_METRICS_EXPORTER: 'none' }],
  ['only an endpoint for spans is set', {}],
])('exports no metrics when %s', async (_why, variables) => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${collector.url}/v1/traces`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  open = await opened();
  expect(open.exportMetrics).toBeUndefined();
});

it('refuses an exporter that it does not know', async () => {
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'prometheus');
  await expect(opened()).rejects.toThrow('OTEL_METRICS_EXPORTER is "prometheus"; known are otlp, console and none.');
});

it('passes them to the reader of an app with its own SDK', async () => {
  const metricProducer = new ServerMetricProducer();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, metricProducers: [metricProducer] });
  const sdk = new NodeSDK({
    metricReaders: [reader],
    spanProcessors: [new SimpleSpanProcessor({ exporter: new InMemorySpanExporter() })],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  open = await opened({ metricProducer });
  expect((await metricProducer.collect()).resourceMetrics.scopeMetrics).toEqual([]);

  open.exportMetrics?.(source);
  await reader.forceFlush();
  const names = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics);
  expect(names.map(({ descriptor }) => descriptor.name)).toEqual(metrics.slice(0, 3).map(({ name }) => name));
  await sdk.shutdown();
  trace.disable();
  context.disable();
});
