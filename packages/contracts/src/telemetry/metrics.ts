import type { Attributes } from './telemetry.ts';

/** One metric of a process, in OpenTelemetry's data model. */
export interface Metric {
  /** By OpenTelemetry's semantic conventions: `http.server.request.duration`. */
  readonly name: string;
  readonly description: string;
  /** By UCUM: `s`, `By`, `{request}`. */
  readonly unit: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One for each combination of attributes that has occurred. */
  readonly points: readonly MetricPoint[];
}

export interface MetricPoint {
  readonly attributes: Attributes;
  /** Of a counter: the sum since the process started. */
  readonly value: number | HistogramValue;
}

/** All values since the process started. */
export interface HistogramValue {
  readonly sum: number;
  readonly count: number;
  /** The upper limits of the buckets, ascending. */
  readonly boundaries: readonly number[];
  /** How many values are in each bucket; the last one, after all boundaries, contains the rest. */
  readonly counts: readonly number[];
}

/** The metrics of a process. */
export interface MetricSource {
  /** The current values. Never rejects. */
  collect(): Promise<readonly Metric[]>;
}
