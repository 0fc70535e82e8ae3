import { ConfigurationError, type MetricSource, type RecorderOptions } from '@halyard/contracts';
import type { Resource } from '@opentelemetry/resources';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { exporterNames, metricIntervals, otlpHeaders, otlpProtocol } from './exporter-settings.ts';
import { ReportingExporter } from './reporting-exporter.ts';
import { ServerMetricProducer } from './server-metric-producer.ts';

/** Exports the metrics of a server at an interval. */
export interface MetricExport {
  start(source: MetricSource): void;
  /** Sends the last values. */
  shutdown(): Promise<void>;
}

/**
 * Exports to the exporters that the environment variables name. Undefined when they name none.
 * @throws ConfigurationError for an unknown exporter
 */
export async function metricExport(resource: Resource, options: RecorderOptions): Promise<MetricExport | undefined> {
  const exporters = await Promise.all(exporterNames('METRICS').map((name) => metricExporter(name, options.logger)));
  if (exporters.length === 0) return undefined;
  let provider: MeterProvider | undefined;
  return {
    start: (source) => {
      const producer = new ServerMetricProducer();
      producer.connect(source, options.clock);
      provider = new MeterProvider({
        resource,
        readers: exporters.map(
          (exporter) =>
            new PeriodicExportingMetricReader({ exporter, metricProducers: [producer], ...metricIntervals() }),
        ),
      });
    },
    shutdown: async () => provider?.shutdown(),
  };
}

async function metricExporter(name: string, logger: RecorderOptions['logger']): Promise<PushMetricExporter> {
  switch (name) {
    case 'otlp':
      return new ReportingExporter(await otlpExporter(), 'Metrics', logger);
    case 'console':
      return new ConsoleMetricExporter();
    default:
      throw new ConfigurationError(`OTEL_METRICS_EXPORTER is "${name}"; known are otlp, console and none.`);
  }
}

async function otlpExporter(): Promise<PushMetricExporter> {
  const headers = otlpHeaders();
  switch (otlpProtocol('METRICS')) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter({ headers });
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter({ headers });
  }
}
