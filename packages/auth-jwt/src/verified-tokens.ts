import type { KeyObject } from 'node:crypto';
import type { JwtClaims } from './jwt-auth.ts';

const maxTokens = 1_000;
const maxTokenLength = 8_192;
const longestMs = 60_000;

/** A signature that was found right. */
interface Verified {
  readonly key: KeyObject;
  /** The claims as JSON: who is given them may change them. */
  readonly claims: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Tokens whose signature was found right a moment ago: to check it costs more than all else that a request takes to get in. Kept for a minute at most, never
 * longer than the token holds, and only as long as its key counts; not what was refused.
 */
export class VerifiedTokens {
  readonly #byToken = new Map<string, Verified>();

  /** What a token says whose signature is known to be by one of the keys; undefined where it has to be checked. */
  find(token: string, keys: readonly KeyObject[], nowMs: number): JwtClaims | undefined {
    const found = this.#byToken.get(token);
    if (found === undefined) return undefined;
    // A clock that was set back may have made it a token of the future.
    if (nowMs < found.untilMs && nowMs >= found.fromMs && keys.includes(found.key)) {
      return JSON.parse(found.claims) as JwtClaims;
    }
    this.#byToken.delete(token);
    return undefined;
  }

  /** @param holdsMs how much longer the token holds by what it says itself. */
  add(token: string, key: KeyObject, claims: JwtClaims, nowMs: number, holdsMs: number): void {
    if (token.length > maxTokenLength || holdsMs <= 0) return;
    if (this.#byToken.size >= maxTokens) {
      const [oldest] = this.#byToken.keys();
      if (oldest !== undefined) this.#byToken.delete(oldest);
    }
    const untilMs = nowMs + Math.min(holdsMs, longestMs);
    this.#byToken.set(token, { key, claims: JSON.stringify(claims), fromMs: nowMs, untilMs });
  }

  /** How many are kept. */
  get size(): number {
    return this.#byToken.size;
  }
}
