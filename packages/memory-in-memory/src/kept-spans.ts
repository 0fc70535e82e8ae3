import type { SpanRecord } from '@halyard/contracts';
import { estimatedSpanBytes } from './estimated-telemetry-bytes.ts';
import { KeptTraces } from './kept-traces.ts';

/**
 * The spans that came last, in a ring: what is written is put in a place and nothing else, as far more is written than is ever read. Who reads has them put
 * in order first.
 */
export class KeptSpans {
  readonly #places: (SpanRecord | undefined)[] = [];
  readonly #bytes: number[] = [];
  readonly #maxSpans: number;
  /** Counts on and on; its place is the rest of a division. */
  #oldest = 0;
  #next = 0;
  #heldBytes = 0;
  #traces: KeptTraces | undefined;

  constructor(maxSpans: number) {
    this.#maxSpans = maxSpans;
  }

  get bytes(): number {
    return this.#heldBytes;
  }

  /** As they are now. */
  get traces(): KeptTraces {
    return (this.#traces ??= new KeptTraces(this.#records()));
  }

  add(record: SpanRecord): void {
    const place = this.#next % this.#maxSpans;
    if (this.#next - this.#oldest === this.#maxSpans) {
      this.#heldBytes -= this.#bytes[place] ?? 0;
      this.#oldest += 1;
    }
    const bytes = estimatedSpanBytes(record);
    this.#places[place] = record;
    this.#bytes[place] = bytes;
    this.#heldBytes += bytes;
    this.#next += 1;
    this.#traces = undefined;
  }

  forgetOldest(): void {
    if (this.#oldest === this.#next) return;
    const place = this.#oldest % this.#maxSpans;
    this.#heldBytes -= this.#bytes[place] ?? 0;
    this.#places[place] = undefined;
    this.#oldest += 1;
    this.#traces = undefined;
  }

  /** Keeps those that `isKept`. */
  filter(isKept: (record: SpanRecord) => boolean): void {
    const kept = this.#records().filter(isKept);
    while (this.#oldest < this.#next) this.forgetOldest();
    for (const record of kept) this.add(record);
  }

  #records(): SpanRecord[] {
    const records: SpanRecord[] = [];
    for (let count = this.#oldest; count < this.#next; count += 1) {
      const record = this.#places[count % this.#maxSpans];
      if (record !== undefined) records.push(record);
    }
    return records;
  }
}
