import { createRequire } from 'node:module';

type Labels = Readonly<Record<string, string>>;

/** One line with a value. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

const require = createRequire(import.meta.url);
/**
 * The parser of another project. It is told nothing of histograms, because it merges those that
 * have labels.
 */
const parse = require('parse-prometheus-text-format') as (text: string) => readonly {
  readonly name: string;
  readonly metrics: readonly { readonly labels?: Labels; readonly value: string }[];
}[];

/** The metrics of one server at one time. */
export class Scrape {
  readonly text: string;
  /** The type of each metric. */
  readonly types: ReadonlyMap<string, string>;
  readonly #samples: ReadonlyMap<string, readonly Sample[]>;

  constructor(text: string) {
    this.text = text;
    this.types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
    );
    // Without that, it lists each metric again and again.
    const samples = new Map<string, Sample[]>();
    for (const { metrics, name } of parse(text.replaceAll(/^# TYPE \S+ histogram\n/gm, ''))) {
      const known = samples.get(name) ?? [];
      samples.set(name, [...known, ...metrics.map(({ labels = {}, value }) => ({ labels, value: Number(value) }))]);
    }
    this.#samples = samples;
  }

  static async of(origin: string, init: RequestInit = {}): Promise<Scrape> {
    const response = await fetch(`${origin}/metrics`, init);
    const text = await response.text();
    // A failure is an envelope, which no sample fits.
    return new Scrape(response.ok ? text : '');
  }

  /** Of a histogram: those of its `_count`. */
  samples(name: string, labels: Labels = {}): readonly Sample[] {
    const wanted = Object.entries(labels);
    const found = this.#samples.get(this.types.get(name) === 'histogram' ? `${name}_count` : name) ?? [];
    return found.filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value));
  }

  /** The sum of all samples with these labels. */
  total(name: string, labels: Labels = {}): number {
    return this.samples(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** The names of all samples. */
  get names(): readonly string[] {
    return [...this.#samples].filter(([, samples]) => samples.length > 0).map(([name]) => name);
  }

  get size(): number {
    return [...this.#samples.values()].flat().length;
  }
}
