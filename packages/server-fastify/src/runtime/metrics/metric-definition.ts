import type { Metric } from '@halyard/contracts';

/** A metric without its values. */
export interface MetricDefinition extends Omit<Metric, 'points'> {
  /**
   * The names of the attributes of its points. Their values must come from a small set: each
   * combination is stored until the process ends.
   */
  readonly attributes: readonly string[];
  /** Of a histogram. */
  readonly boundaries?: readonly number[];
}

export function histogram(
  name: string,
  unit: string,
  description: string,
  parts: Pick<MetricDefinition, 'attributes' | 'boundaries'>,
): MetricDefinition {
  return { name, unit, description, type: 'histogram', ...parts };
}

export function counter(
  name: string,
  unit: string,
  description: string,
  attributes: readonly string[],
): MetricDefinition {
  return { name, unit, description, type: 'counter', attributes };
}

export function gauge(
  name: string,
  unit: string,
  description: string,
  attributes: readonly string[] = [],
): MetricDefinition {
  return { name, unit, description, type: 'gauge', attributes };
}

/**
 * The name in Prometheus' format: `http.server.request.duration` in `s` becomes
 * `http_server_request_duration_seconds`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function prometheusName({ name, type, unit }: MetricDefinition): string {
  const base = underscored(name) + unitSuffix(unit);
  if (type === 'counter') return `${base}_total`;
  return type === 'gauge' && unit === '1' ? `${base}_ratio` : base;
}

/** The name of an attribute as a label. */
export function underscored(name: string): string {
  return name.replaceAll('.', '_');
}

function unitSuffix(unit: string): string {
  switch (unit) {
    case 's':
      return '_seconds';
    case 'By':
      return '_bytes';
    default:
      return '';
  }
}
