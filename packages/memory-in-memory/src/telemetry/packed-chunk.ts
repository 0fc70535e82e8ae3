import type { PackReader } from '@halyard/contracts';

/** How a value was taken down. */
export const valueKinds = { kept: 0, number: 1, undefined: 2 };

/** Instead of the length of a text. */
export const lengths = { undefined: -1, kept: -2 };

/** A stretch of memory with what was packed one after another: bytes, and the objects that belong to them. */
export class PackedChunk {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly objects: unknown[] = [];
  /** How many that it holds are still kept. */
  kept = 0;
  /** Somebody reads of it, now or later: nothing else may be written to it. */
  isRead = false;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** @param at where it begins that is to be read. */
  read(at: number): PackReader {
    this.isRead = true;
    return new ChunkReader(this, at);
  }
}

class ChunkReader implements PackReader {
  readonly #chunk: PackedChunk;
  #at: number;
  #object: number;

  constructor(chunk: PackedChunk, at: number) {
    this.#chunk = chunk;
    this.#at = at;
    this.#object = this.integer();
  }

  integer(): number {
    const value = this.#chunk.view.getInt32(this.#at, true);
    this.#at += 4;
    return value;
  }

  number(): number {
    const value = this.#chunk.view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  text(): string | undefined {
    const length = this.integer();
    if (length === lengths.undefined) return undefined;
    if (length === lengths.kept) return this.shared();
    const start = this.#at;
    this.#at += length;
    return this.#chunk.bytes.toString('utf8', start, this.#at);
  }

  value<Value>(): Value {
    return this.#value() as Value;
  }

  held<Value>(): Value {
    return this.shared();
  }

  shared<Value>(): Value {
    const object = this.#chunk.objects[this.#object] as Value;
    this.#object += 1;
    return object;
  }

  #value(): unknown {
    switch (this.integer()) {
      case valueKinds.kept:
        return this.shared();
      case valueKinds.number:
        return this.number();
      default:
        return undefined;
    }
  }
}
