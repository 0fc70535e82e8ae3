import type { Packable, PackWriter, SpanRecord } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';
import { lengths, PackedChunk, valueKinds } from './packed-chunk.ts';

const chunkBytes = 64 * 1024;
/** One that is longer is kept as it is: to copy it costs more than to have one object more, and often it lives on anyway. */
const longText = 256;
const greatestSpare = 4;
const bytesPerObject = 8;

/** Packs spans into chunks, one after another. A chunk whose spans are all forgotten is written again, unless somebody reads of it. */
export class PackedSpans implements PackWriter {
  readonly #spare: PackedChunk[] = [];
  #chunk = new PackedChunk(chunkBytes);
  /** Of the chunk. */
  #view = this.#chunk.view;
  #room = this.#chunk.bytes.length;
  #end = 0;
  #objects = 0;
  /** Of what is being packed. */
  #start = 0;
  #firstObject = 0;
  #valueBytes = 0;

  /** Where the latest one is. */
  get chunk(): PackedChunk {
    return this.#chunk;
  }

  /** Where in its chunk the latest one is. */
  get start(): number {
    return this.#start;
  }

  /** About how much memory the latest one takes. */
  get bytes(): number {
    return this.#end - this.#start + (this.#objects - this.#firstObject) * bytesPerObject + this.#valueBytes;
  }

  add(span: Packable<SpanRecord>): void {
    this.#start = this.#end;
    this.#firstObject = this.#objects;
    this.#valueBytes = 0;
    // Before its objects are counted: they are counted anew in another chunk.
    this.#need(4);
    this.integer(this.#objects);
    this.shared(span.unpack);
    span.pack(this);
    this.#chunk.kept += 1;
  }

  /** One of a chunk is forgotten. */
  forget(chunk: PackedChunk): void {
    chunk.kept -= 1;
    this.#reuse(chunk);
  }

  integer(value: number): void {
    this.#need(4);
    this.#view.setInt32(this.#end, value, true);
    this.#end += 4;
  }

  number(value: number): void {
    this.#need(8);
    this.#view.setFloat64(this.#end, value, true);
    this.#end += 8;
  }

  text(value: string | undefined): void {
    if (value === undefined) {
      this.integer(lengths.undefined);
      return;
    }
    if (value.length > longText) {
      this.integer(lengths.kept);
      this.held(value);
      return;
    }
    // In UTF-8 a code unit takes three bytes at most.
    this.#need(4 + value.length * 3);
    const length = this.#chunk.bytes.write(value, this.#end + 4);
    this.#view.setInt32(this.#end, length, true);
    this.#end += 4 + length;
  }

  value(value: unknown): void {
    if (typeof value === 'number') {
      this.integer(valueKinds.number);
      this.number(value);
    } else if (value === undefined) {
      this.integer(valueKinds.undefined);
    } else {
      this.integer(valueKinds.kept);
      this.held(value);
    }
  }

  held(value: unknown): void {
    this.shared(value);
    if (value !== undefined) this.#valueBytes += estimatedJsonBytes(value);
  }

  shared(value: unknown): void {
    this.#chunk.objects[this.#objects] = value;
    this.#objects += 1;
  }

  #need(bytes: number): void {
    if (this.#end + bytes > this.#room) this.#moveOn(bytes);
  }

  /** What is being packed goes on in another chunk. */
  #moveOn(bytes: number): void {
    const full = this.#chunk;
    const written = this.#end - this.#start;
    const size = written + bytes;
    // One that is larger than a chunk may grow further: it is not to move with each text.
    const chunk = size > chunkBytes ? new PackedChunk(2 * size) : (this.#spare.pop() ?? new PackedChunk(chunkBytes));
    full.bytes.copy(chunk.bytes, 0, this.#start, this.#end);
    chunk.view.setInt32(0, 0, true);
    for (let index = this.#firstObject; index < this.#objects; index += 1)
      chunk.objects[index - this.#firstObject] = full.objects[index];
    this.#chunk = chunk;
    this.#view = chunk.view;
    this.#room = chunk.bytes.length;
    this.#objects -= this.#firstObject;
    this.#firstObject = 0;
    this.#start = 0;
    this.#end = written;
    this.#reuse(full);
  }

  /** If nothing of it is needed any more. */
  #reuse(chunk: PackedChunk): void {
    if (chunk.kept > 0 || chunk === this.#chunk || chunk.isRead) return;
    if (chunk.bytes.length > chunkBytes || this.#spare.length === greatestSpare) return;
    chunk.objects.fill(undefined);
    this.#spare.push(chunk);
  }
}
