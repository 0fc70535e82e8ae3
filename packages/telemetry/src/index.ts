export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
export { ServerMetricProducer } from './server-metric-producer.ts';
