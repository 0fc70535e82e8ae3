/** The part of the name of an environment variable: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`. */
export type Signal = 'TRACES' | 'LOGS' | 'METRICS';

export type Protocol = 'grpc' | 'http/json' | 'http/protobuf';

/**
 * The exporters that `OTEL_TRACES_EXPORTER`, `OTEL_LOGS_EXPORTER` or `OTEL_METRICS_EXPORTER` names.
 * Default: OTLP if an endpoint is set, else none, because most machines have no collector.
 */
export function exporterNames(signal: Signal): readonly string[] {
  const named = (variable(`OTEL_${signal}_EXPORTER`) ?? '').split(',').map((name) => name.trim());
  const names = named.filter((name) => name !== '');
  if (names.includes('none')) return [];
  if (names.length > 0) return [...new Set(names)];
  return hasEndpoint(signal) ? ['otlp'] : [];
}

function hasEndpoint(signal: Signal): boolean {
  return (
    variable('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined ||
    variable(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) !== undefined
  );
}

/** See https://opentelemetry.io/docs/specs/otel/protocol/exporter/. Default: `http/protobuf`. */
export function otlpProtocol(signal: Signal): Protocol {
  const named = variable(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? variable('OTEL_EXPORTER_OTLP_PROTOCOL');
  return named === 'grpc' || named === 'http/json' ? named : 'http/protobuf';
}

/** Headers of HTTP requests, in addition to those of `OTEL_EXPORTER_OTLP_HEADERS`. */
export function otlpHeaders(): Record<string, string> {
  const publicKey = variable('SERVICE_PUBLIC_KEY');
  const secretKey = variable('SERVICE_SECRET_KEY');
  return publicKey === undefined || secretKey === undefined
    ? {}
    : { 'x-public-key': publicKey, 'x-secret-key': secretKey };
}

/** The settings of batches: `OTEL_BSP_*` for spans, `OTEL_BLRP_*` for logs. */
export interface BatchSettings {
  scheduledDelayMillis?: number | undefined;
  exportTimeoutMillis?: number | undefined;
  maxQueueSize?: number | undefined;
  maxExportBatchSize?: number | undefined;
}

export function batchSettings(prefix: 'BSP' | 'BLRP'): BatchSettings {
  const delay = count(`OTEL_${prefix}_SCHEDULE_DELAY`);
  const timeout = count(`OTEL_${prefix}_EXPORT_TIMEOUT`);
  const queue = count(`OTEL_${prefix}_MAX_QUEUE_SIZE`);
  const batch = count(`OTEL_${prefix}_MAX_EXPORT_BATCH_SIZE`);
  return {
    ...(delay !== undefined && { scheduledDelayMillis: delay }),
    ...(timeout !== undefined && { exportTimeoutMillis: timeout }),
    ...(queue !== undefined && { maxQueueSize: queue }),
    ...(batch !== undefined && { maxExportBatchSize: batch }),
  };
}

/**
 * Settings of the export of metrics: `OTEL_METRIC_EXPORT_INTERVAL` and
 * `OTEL_METRIC_EXPORT_TIMEOUT`, in milliseconds. Default: 60 and 30 seconds.
 */
export function metricIntervals(): { readonly exportIntervalMillis: number; readonly exportTimeoutMillis: number } {
  const exportIntervalMillis = count('OTEL_METRIC_EXPORT_INTERVAL') || 60_000;
  // The reader refuses a timeout that is longer than its interval.
  const exportTimeoutMillis = Math.min(count('OTEL_METRIC_EXPORT_TIMEOUT') || 30_000, exportIntervalMillis);
  return { exportIntervalMillis, exportTimeoutMillis };
}

function count(name: string): number | undefined {
  const value = Number(variable(name) ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function variable(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === '' ? undefined : value;
}
