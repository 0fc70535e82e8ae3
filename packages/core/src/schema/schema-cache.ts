/**
 * Keeps what was compiled from a text for as long as it is used: at most `maxEntries` entries made of `maxCharacters` of text in
 * all, the least recently used leaving first.
 */
export class SchemaCache<T> {
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  /** In order of use: a Map iterates in order of insertion. */
  readonly #entries = new Map<string, T>();
  #characters = 0;

  constructor(maxEntries: number, maxCharacters: number) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(text: string): T | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;

    this.#entries.delete(text);
    this.#entries.set(text, entry);
    return entry;
  }

  add(text: string, entry: T): void {
    this.delete(text);
    this.#entries.set(text, entry);
    this.#characters += text.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#characters <= this.#maxCharacters) return;
      this.delete(oldest);
    }
  }

  delete(text: string): void {
    if (this.#entries.delete(text)) this.#characters -= text.length;
  }
}
