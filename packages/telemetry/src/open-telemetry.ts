import type { OpenRecorder, RecorderFactory, RecorderOptions } from '@halyard/contracts';
import { ProxyTracer, trace } from '@opentelemetry/api';
import { OpenTelemetryRecorder } from './open-telemetry-recorder.ts';
import { scopeName } from './scope.ts';
import { version } from './version.ts';

export interface OpenTelemetryOptions {
  /** How long closing waits for what is still to be sent, in milliseconds; default 5 000. What is left then is lost. */
  readonly closeTimeoutMs?: number;
}

/**
 * Makes the spans of a server spans of OpenTelemetry: of the SDK that the app has registered before the server starts,
 * else of one that is started and stopped with the server and configured by the `OTEL_*` variables of the environment.
 *
 * Its own SDK sends spans and logs by OTLP where an endpoint is set, as
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/ says, with the keys of `SERVICE_PUBLIC_KEY` and
 * `SERVICE_SECRET_KEY` as the headers `x-public-key` and `x-secret-key`.
 */
export function openTelemetry({ closeTimeoutMs = 5000 }: OpenTelemetryOptions = {}): RecorderFactory {
  return {
    createRecorder: async (options) => {
      const tracer = trace.getTracer(scopeName, version);
      // A tracer that only stands in for one to come: nobody has registered an SDK.
      if (tracer instanceof ProxyTracer) return withOwnSdk(options, closeTimeoutMs);

      const recorder = new OpenTelemetryRecorder(tracer, { ...options, recordsForeignSpans: false });
      return { recorder, close: async () => recorder.close() };
    },
  };
}

async function withOwnSdk(options: RecorderOptions, closeTimeoutMs: number): Promise<OpenRecorder> {
  // The SDK is large: an app that brings its own does not load it twice.
  const { startOwnSdk } = await import('./own-sdk.ts');
  const sdk = await startOwnSdk(options);
  const tracer = trace.getTracer(scopeName, version);
  const recorder = new OpenTelemetryRecorder(tracer, { ...options, recordsForeignSpans: true });
  return {
    recorder,
    ...(sdk.exportLog && { exportLog: sdk.exportLog }),
    close: async () => {
      recorder.close();
      await sdk.close(closeTimeoutMs);
    },
  };
}
