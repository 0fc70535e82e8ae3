import { ConfigurationError, type RecorderOptions } from '@halyard/contracts';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { batchSettings, exporterNames, otlpHeaders, otlpProtocol } from './exporter-settings.ts';
import { ReportingExporter } from './reporting-exporter.ts';

/**
 * One processor for each exporter that the environment variables name. @throws ConfigurationError
 * for an unknown exporter
 */
export async function spanProcessors(logger: RecorderOptions['logger']): Promise<readonly SpanProcessor[]> {
  return Promise.all(exporterNames('TRACES').map((name) => spanProcessor(name, logger)));
}

async function spanProcessor(name: string, logger: RecorderOptions['logger']): Promise<SpanProcessor> {
  switch (name) {
    case 'otlp': {
      const exporter = new ReportingExporter(await otlpExporter(), 'Spans', logger);
      return new BatchSpanProcessor({ exporter, ...batchSettings('BSP') });
    }
    case 'console':
      return new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() });
    default:
      throw new ConfigurationError(`OTEL_TRACES_EXPORTER is "${name}"; known are otlp, console and none.`);
  }
}

async function otlpExporter(): Promise<SpanExporter> {
  const headers = otlpHeaders();
  switch (otlpProtocol('TRACES')) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter({ headers });
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter({ headers });
  }
}
