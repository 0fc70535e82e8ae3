import { type Clock, type MetricsQuery, monotonicTime, type Owner, type TelemetryMetrics } from '@halyard/contracts';
import type { Telemetry } from '@halyard/core/server';

/**
 * A reply is given again for so many times as long as it took to compute: consoles that refresh
 * take at most a tenth of a processor together.
 */
const timesShared = 10;
const longestMs = 5_000;

interface Answer {
  readonly metrics: Promise<TelemetryMetrics>;
  /** Infinity while it is computed. */
  validUntil: number;
}

/**
 * Reads metrics once for all who ask for the same at about the same time, such as many open
 * consoles.
 */
export class SharedMetrics {
  readonly #answers = new WeakMap<Telemetry, Map<string, Answer>>();

  /** Includes records that were written before it is computed. */
  read(telemetry: Telemetry, clock: Clock, owner: Owner, query: MetricsQuery): Promise<TelemetryMetrics> {
    const answers = this.#answers.get(telemetry) ?? new Map<string, Answer>();
    this.#answers.set(telemetry, answers);
    const key = JSON.stringify([owner, query]);
    const known = answers.get(key);
    if (known !== undefined && monotonicTime(clock) < known.validUntil) return known.metrics;

    const startedAt = monotonicTime(clock);
    const metrics = telemetry.flush().then(() => telemetry.store.metrics(owner, query));
    const answer: Answer = { metrics, validUntil: Number.POSITIVE_INFINITY };
    answers.set(key, answer);
    const forget = (): void => {
      if (answers.get(key) === answer) answers.delete(key);
    };
    metrics.then(() => {
      const now = monotonicTime(clock);
      const sharedMs = Math.min((now - startedAt) * timesShared, longestMs);
      answer.validUntil = now + sharedMs;
      setTimeout(forget, sharedMs).unref();
    }, forget);
    return metrics;
  }
}
