/**
 * Something that can be written down in few bytes, and be made again of them. Many objects that live on a little are dear: V8 copies each, twice, from where
 * it finds them scattered. Bytes are not its business.
 */
export interface Packable<Self> {
  /** Writes down all that there is to know. */
  pack(to: PackWriter): void;
  /** Reads what `pack` has written, in the same order. The same function for all of a kind. */
  readonly unpack: (from: PackReader) => Self;
}

/** Takes down values one after another. */
export interface PackWriter {
  /** Of 32 bits, with a sign. */
  integer(value: number): void;
  number(value: number): void;
  /** Written down, where it is not long. */
  text(value: string | undefined): void;
  /** Anything. But for numbers it is kept as it is: it must not change. */
  value(value: unknown): void;
  /** Something that others hold too, for a while at least: a reference to it is kept, and counted like the thing itself. It must not change. */
  held(value: unknown): void;
  /** Something that lives on anyway: a reference to it is kept. */
  shared(value: unknown): void;
}

/** Gives back what a writer took down, in the same order: who asks knows what comes. */
export interface PackReader {
  integer(): number;
  number(): number;
  text(): string | undefined;
  value<Value>(): Value;
  held<Value>(): Value;
  shared<Value>(): Value;
}
