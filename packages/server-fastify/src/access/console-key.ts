import { createHash, timingSafeEqual } from 'node:crypto';

/** The key for console routes, compared in constant time. A blank key matches nothing. */
export class ConsoleKey {
  readonly #digest: Buffer | undefined;

  constructor(key: string | undefined) {
    this.#digest = key === undefined || key.trim() === '' ? undefined : toDigest(key);
  }

  matches(given: unknown): boolean {
    return this.#digest !== undefined && typeof given === 'string' && timingSafeEqual(this.#digest, toDigest(given));
  }
}

function toDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
