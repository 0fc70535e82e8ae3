import { ConfigurationError, type RecorderOptions } from '@halyard/contracts';
import {
  BatchLogRecordProcessor,
  ConsoleLogRecordExporter,
  type LogRecordExporter,
  type LogRecordProcessor,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';
import { batchSettings, exporterNames, otlpHeaders, otlpProtocol } from './exporter-settings.ts';
import { ReportingExporter } from './reporting-exporter.ts';

/**
 * One processor for each exporter that the environment variables name. @throws ConfigurationError
 * for an unknown exporter
 */
export async function logProcessors(logger: RecorderOptions['logger']): Promise<readonly LogRecordProcessor[]> {
  return Promise.all(exporterNames('LOGS').map((name) => logProcessor(name, logger)));
}

async function logProcessor(name: string, logger: RecorderOptions['logger']): Promise<LogRecordProcessor> {
  switch (name) {
    case 'otlp': {
      const exporter = new ReportingExporter(await otlpExporter(), 'Logs', logger);
      return new BatchLogRecordProcessor({ exporter, ...batchSettings('BLRP') });
    }
    case 'console':
      return new SimpleLogRecordProcessor({ exporter: new ConsoleLogRecordExporter() });
    default:
      throw new ConfigurationError(`OTEL_LOGS_EXPORTER is "${name}"; known are otlp, console and none.`);
  }
}

async function otlpExporter(): Promise<LogRecordExporter> {
  const headers = otlpHeaders();
  switch (otlpProtocol('LOGS')) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-logs-otlp-grpc')).OTLPLogExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter({ headers });
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-logs-otlp-proto')).OTLPLogExporter({ headers });
  }
}
