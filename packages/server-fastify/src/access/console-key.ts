import { createHash, timingSafeEqual } from 'node:crypto';

/** The key that opens console routes. Compared in the same time however much of a guess is right; one that is blank opens nothing. */
export class ConsoleKey {
  readonly #digest: Buffer | undefined;

  constructor(key: string | undefined) {
    this.#digest = key === undefined || key.trim() === '' ? undefined : digestOf(key);
  }

  matches(given: unknown): boolean {
    if (this.#digest === undefined || typeof given !== 'string' || given === '') return false;
    return timingSafeEqual(this.#digest, digestOf(given));
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
