import type { OpenRecorder, RecorderFactory, RecorderOptions } from '@halyard/contracts';
import { ProxyTracer, trace } from '@opentelemetry/api';
import { OpenTelemetryRecorder } from './open-telemetry-recorder.ts';
import { scopeName } from './scope.ts';
import type { ServerMetricProducer } from './server-metric-producer.ts';
import { version } from './version.ts';

export interface OpenTelemetryOptions {
  /**
   * How long closing waits until everything is sent, in milliseconds; default 5 000. The rest is
   * lost.
   */
  readonly closeTimeoutMs?: number | undefined;
  /**
   * For an app with its own SDK: receives the metrics of the server for the metric readers to which
   * the app has passed it. Without an SDK of the app it has no effect: metrics are exported like
   * spans.
   */
  readonly metricProducer?: ServerMetricProducer | undefined;
}

/**
 * Records the spans of a server with OpenTelemetry: with the SDK that the app has registered before
 * the server starts, otherwise with one that starts and stops with the server and is configured by
 * the `OTEL_*` environment variables.
 *
 * Its own SDK sends spans, logs and the metrics of the server by OTLP if an endpoint is set, as
 * described in https://opentelemetry.io/docs/specs/otel/protocol/exporter/, with the keys of
 * `SERVICE_PUBLIC_KEY` and `SERVICE_SECRET_KEY` as the headers `x-public-key` and `x-secret-key`.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): RecorderFactory {
  const { closeTimeoutMs = 5000, metricProducer } = options;
  return {
    createRecorder: async (recorderOptions) => {
      const tracer = trace.getTracer(scopeName, version);
      // The API returns a placeholder as long as no SDK is registered.
      if (tracer instanceof ProxyTracer) return withOwnSdk(recorderOptions, closeTimeoutMs);

      const recorder = new OpenTelemetryRecorder(tracer, { ...recorderOptions, recordsForeignSpans: false });
      return {
        recorder,
        ...(metricProducer && { exportMetrics: (source) => metricProducer.connect(source, recorderOptions.clock) }),
        close: async () => recorder.close(),
      };
    },
  };
}

async function withOwnSdk(options: RecorderOptions, closeTimeoutMs: number): Promise<OpenRecorder> {
  // The SDK is large. An app with its own SDK does not load a second one.
  const { startOwnSdk } = await import('./own-sdk.ts');
  const sdk = await startOwnSdk(options);
  const tracer = trace.getTracer(scopeName, version);
  const recorder = new OpenTelemetryRecorder(tracer, { ...options, recordsForeignSpans: true });
  return {
    recorder,
    ...(sdk.exportLog && { exportLog: sdk.exportLog }),
    ...(sdk.exportMetrics && { exportMetrics: sdk.exportMetrics }),
    close: async () => {
      recorder.close();
      await sdk.close(closeTimeoutMs);
    },
  };
}
