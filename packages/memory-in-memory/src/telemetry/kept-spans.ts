import { type Packable, type SpanRecord, SpanSnapshot } from '@halyard/contracts';
import { estimatedSpanBytes } from './estimated-telemetry-bytes.ts';
import { KeptTraces } from './kept-traces.ts';
import { PackedChunk } from './packed-chunk.ts';
import { PackedSpans } from './packed-spans.ts';

/** Of a packed span: its places in the arrays here. */
const bytesPerPlace = 24;
/** What takes more is not packed but put into words: attributes are cut to a length, and what they are made of is not. */
const greatestPacked = 16_384;

/**
 * The spans that came last, in a ring: what is written is put in a place and nothing else, as far more is written than is ever read. Those that can be are
 * packed. Who reads has them put in order first.
 */
export class KeptSpans {
  /** The span itself, or what it is packed in. */
  readonly #places: (SpanRecord | PackedChunk | undefined)[] = [];
  /** Where in its chunk. */
  readonly #starts: number[] = [];
  readonly #bytes: number[] = [];
  readonly #packed = new PackedSpans();
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
    if (this.#next - this.#oldest === this.#maxSpans) this.forgetOldest();
    const place = this.#next % this.#maxSpans;
    if (isPackable(record)) this.#pack(record, place);
    else this.#put(place, record, 0, estimatedSpanBytes(record));
    this.#next += 1;
    this.#traces = undefined;
  }

  forgetOldest(): void {
    if (this.#oldest === this.#next) return;
    const place = this.#oldest % this.#maxSpans;
    const kept = this.#places[place];
    if (kept instanceof PackedChunk) this.#packed.forget(kept);
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

  #pack(record: SpanRecord & Packable<SpanRecord>, place: number): void {
    const packed = this.#packed;
    packed.add(record);
    if (packed.bytes <= greatestPacked) {
      this.#put(place, packed.chunk, packed.start, packed.bytes + bytesPerPlace);
      return;
    }
    packed.forget(packed.chunk);
    const inWords = new SpanSnapshot(record);
    this.#put(place, inWords, 0, estimatedSpanBytes(inWords));
  }

  #put(place: number, kept: SpanRecord | PackedChunk, start: number, bytes: number): void {
    this.#places[place] = kept;
    this.#starts[place] = start;
    this.#bytes[place] = bytes;
    this.#heldBytes += bytes;
  }

  #records(): SpanRecord[] {
    const records: SpanRecord[] = [];
    for (let count = this.#oldest; count < this.#next; count += 1) {
      const place = count % this.#maxSpans;
      const kept = this.#places[place];
      if (kept instanceof PackedChunk) records.push(unpacked(kept, this.#starts[place] ?? 0));
      else if (kept !== undefined) records.push(kept);
    }
    return records;
  }
}

/** One that still runs may say more. */
function isPackable(record: SpanRecord): record is SpanRecord & Packable<SpanRecord> {
  return record.pack !== undefined && record.endTime !== null;
}

function unpacked(chunk: PackedChunk, start: number): SpanRecord {
  const from = chunk.read(start);
  return from.shared<Packable<SpanRecord>['unpack']>()(from);
}
