import type { PackReader, PackWriter } from '@halyard/contracts';
import { hexOf, randomInt32 } from '../services/random-ids.ts';

/** What the spans of a trace share: 32 hexadecimal digits, as W3C Trace Context has them, once somebody asks for them. */
export class TraceId {
  /** It was begun here. */
  readonly isOurs: boolean;
  #text: string | undefined;
  readonly #a = randomInt32();
  readonly #b = randomInt32();
  readonly #c = randomInt32();
  readonly #d = randomInt32();

  /** @param text of a trace that was begun elsewhere. */
  constructor(text?: string) {
    this.isOurs = text === undefined;
    this.#text = text;
  }

  toString(): string {
    return (this.#text ??= hexOf(this.#a, this.#b, this.#c, this.#d));
  }

  pack(to: PackWriter): void {
    if (this.isOurs) {
      to.integer(this.#a);
      to.integer(this.#b);
      to.integer(this.#c);
      to.integer(this.#d);
    } else to.text(this.#text);
  }

  static unpack(isOurs: boolean, from: PackReader): TraceId {
    return new TraceId(
      isOurs ? hexOf(from.integer(), from.integer(), from.integer(), from.integer()) : (from.text() ?? ''),
    );
  }
}
