import type { HistogramValue, Metric, MetricPoint, MetricSource } from '@halyard/contracts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricDefinition, prometheusName, underscored } from './metric-definition.ts';

/** A value and its attributes, in the order of the definition. */
export type ObservedPoint = readonly [value: number, ...attributes: readonly string[]];

/** Adds a value. @param attributes in the order of the definition. */
export type AddValue = (value: number, ...attributes: readonly string[]) => void;

/** The metrics of one server: as text for Prometheus, and in OpenTelemetry's data model. */
export class MetricRegistry implements MetricSource {
  readonly #registry = new Registry();
  readonly #definitions: MetricDefinition[] = [];

  /** @returns what adds to the counter. */
  counter(definition: MetricDefinition): AddValue {
    const counter = new Counter(this.#settings(definition));
    const labels = labelsFor(definition);
    return (value, ...attributes) => counter.inc(labels(attributes), value);
  }

  histogram(definition: MetricDefinition): AddValue {
    const buckets = [...(definition.boundaries ?? [])];
    const histogram = new Histogram({ ...this.#settings(definition), buckets });
    const labels = labelsFor(definition);
    return (value, ...attributes) => histogram.observe(labels(attributes), value);
  }

  /**
   * A gauge, or a counter with the whole sum, that is read for each scrape. @param read returns at
   * once and never throws.
   */
  observe(definition: MetricDefinition, read: () => readonly ObservedPoint[]): void {
    const labels = labelsFor(definition);
    const settings = this.#settings(definition);
    if (definition.type === 'counter') {
      const counter = new Counter({
        ...settings,
        collect: () => {
          counter.reset();
          for (const [value, ...attributes] of read()) counter.inc(labels(attributes), value);
        },
      });
    } else {
      const gauge = new Gauge({
        ...settings,
        collect: () => {
          gauge.reset();
          for (const [value, ...attributes] of read()) gauge.set(labels(attributes), value);
        },
      });
    }
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  async collect(): Promise<readonly Metric[]> {
    const samples = new Map((await this.#registry.getMetricsAsJSON()).map(({ name, values }) => [name, values]));
    return this.#definitions.map(({ attributes, boundaries = [], ...definition }) => {
      const values: readonly Sample[] = samples.get(prometheusName({ attributes, ...definition })) ?? [];
      const points = definition.type === 'histogram' ? histogramPoints(values, boundaries) : values;
      return { ...definition, points: points.map((point) => withNames(point, attributes)) };
    });
  }

  #settings(definition: MetricDefinition): {
    readonly name: string;
    readonly help: string;
    readonly labelNames: string[];
    readonly registers: Registry[];
  } {
    this.#definitions.push(definition);
    return {
      name: prometheusName(definition),
      help: definition.description,
      labelNames: definition.attributes.map(underscored),
      registers: [this.#registry],
    };
  }
}

type Labels = Readonly<{ [label: string]: string | number | undefined }>;

/** A line of the text format. */
interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

function labelsFor({ attributes }: MetricDefinition): (values: readonly string[]) => { [label: string]: string } {
  const names = attributes.map(underscored);
  return (values) => {
    const labels: { [label: string]: string } = {};
    for (const [index, name] of names.entries()) labels[name] = values[index] ?? '';
    return labels;
  };
}

/** Each histogram is a sequence of samples: its cumulative buckets, its sum and its count. */
function histogramPoints(
  samples: readonly Sample[],
  boundaries: readonly number[],
): readonly { readonly labels: Labels; readonly value: HistogramValue }[] {
  const points: { readonly labels: Labels; readonly value: HistogramValue }[] = [];
  let cumulative: number[] = [];
  let sum = 0;
  for (const { labels, metricName = '', value } of samples) {
    if (metricName.endsWith('_bucket')) cumulative.push(value);
    else if (metricName.endsWith('_sum')) sum = value;
    else {
      const counts = cumulative.map((count, index) => count - (cumulative[index - 1] ?? 0));
      points.push({ labels, value: { sum, count: value, boundaries, counts } });
      cumulative = [];
    }
  }
  return points;
}

function withNames(
  { labels, value }: { readonly labels: Labels; readonly value: MetricPoint['value'] },
  attributes: readonly string[],
): MetricPoint {
  return { value, attributes: Object.fromEntries(attributes.map((name) => [name, labels[underscored(name)] ?? ''])) };
}
