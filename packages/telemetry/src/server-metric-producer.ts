import type { MetricSource } from '@halyard/contracts';
import type { HrTime } from '@opentelemetry/api';
import type { CollectionResult, MetricProducer } from '@opentelemetry/sdk-metrics';
import { toHrTime } from './hr-time.ts';

interface Connection {
  readonly source: MetricSource;
  readonly clock: { now(): number };
  readonly startTime: HrTime;
}

/**
 * Passes the metrics of a server to the metric readers of an app with its own SDK: pass it to a
 * reader as one of its `metricProducers`, and to {@link openTelemetry}. Sums and histograms are
 * cumulative, whatever the exporter prefers.
 */
export class ServerMetricProducer implements MetricProducer {
  #connection: Connection | undefined;

  /** Called by the server whose metrics it passes on. */
  connect(source: MetricSource, clock: Connection['clock']): void {
    this.#connection = { source, clock, startTime: toHrTime(clock.now()) };
  }

  /** The metrics of the connected server; none before it starts. */
  async collect(): Promise<CollectionResult> {
    // The SDK is large, and an app that creates a producer may not collect anything.
    const { toCollectionResult } = await import('./to-collection-result.ts');
    if (this.#connection === undefined) return toCollectionResult([], { startTime: [0, 0], endTime: [0, 0] });
    const { clock, source, startTime } = this.#connection;
    return toCollectionResult(await source.collect(), { startTime, endTime: toHrTime(clock.now()) });
  }
}
