import type { Attributes, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';

/** Of a span that has ended: those that cannot be packed have been said by then. */
export function packDetails(details: SpanDetails | undefined, to: PackWriter): void {
  to.shared(details?.unpack);
  details?.pack?.(to);
}

export function unpackDetails(from: PackReader): SpanDetails | undefined {
  const unpack = from.shared<SpanDetails['unpack']>();
  return unpack && new PackedDetails(unpack, from);
}

/** Unpacks when it is asked: who lists spans wants little of them. */
class PackedDetails implements SpanDetails {
  readonly unpack: NonNullable<SpanDetails['unpack']>;
  readonly #from: PackReader;
  #details: SpanDetails | undefined = undefined;

  constructor(unpack: NonNullable<SpanDetails['unpack']>, from: PackReader) {
    this.unpack = unpack;
    this.#from = from;
  }

  toAttributes(): Attributes {
    return this.#unpacked.toAttributes();
  }

  toContent(): Attributes | undefined {
    return this.#unpacked.toContent();
  }

  pack(to: PackWriter): void {
    this.#unpacked.pack?.(to);
  }

  get #unpacked(): SpanDetails {
    return (this.#details ??= this.unpack(this.#from));
  }
}
