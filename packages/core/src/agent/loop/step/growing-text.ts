/** How many deltas are kept apart before they become one string. */
const deltasApart = 1_024;

/**
 * A text that many small deltas are added to.
 *
 * V8 stores a string built with `+=` as a tree of its parts, which takes 20 times the memory of a
 * text with short deltas: 5 MB for each stream whose client does not read. `streams.load.ts` fails
 * without this.
 */
export class GrowingText {
  #settled = '';
  #recent: string[] = [];
  #tail = '';

  /** @returns the whole text. */
  add(delta: string): string {
    this.#recent.push(delta);
    this.#tail += delta;
    if (this.#recent.length === deltasApart) {
      this.#settled += this.#recent.join('');
      this.#recent = [];
      this.#tail = '';
    }
    return this.toString();
  }

  toString(): string {
    return this.#settled + this.#tail;
  }
}
