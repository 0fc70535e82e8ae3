import { LRUCache } from 'lru-cache';
import type { JwtClaims } from './jwt-auth.ts';
import type { VerifyingKey } from './verify-signed.ts';

const maxTokens = 1_000;
const maxTokenLength = 8_192;
const longestMs = 60_000;

interface VerifiedToken {
  readonly key: VerifyingKey;
  /** As JSON, so that each caller gets a copy of its own. */
  readonly claims: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Tokens whose signature was verified within the last minute: verifying one takes longer than the
 * other checks of a request. An entry never outlives its token or its key. Refused tokens are not
 * stored.
 */
export class VerifiedTokens {
  readonly #tokens = new LRUCache<string, VerifiedToken>({ max: maxTokens });

  /**
   * The claims of a token whose signature by one of `keys` was verified already; undefined when it
   * has to be verified.
   */
  find(token: string, keys: readonly VerifyingKey[], nowMs: number): JwtClaims | undefined {
    const found = this.#tokens.get(token);
    if (found === undefined) return undefined;
    // After the clock was set back, the token may not be valid yet.
    if (nowMs < found.untilMs && nowMs >= found.fromMs && keys.includes(found.key)) {
      return JSON.parse(found.claims) as JwtClaims;
    }
    this.#tokens.delete(token);
    return undefined;
  }

  /** @param validForMs how long the token remains valid by its own claims. */
  add(token: string, key: VerifyingKey, claims: JwtClaims, nowMs: number, validForMs: number): void {
    if (token.length > maxTokenLength) return;
    const untilMs = nowMs + Math.min(validForMs, longestMs);
    this.#tokens.set(token, { key, claims: JSON.stringify(claims), fromMs: nowMs, untilMs });
  }

  get size(): number {
    return this.#tokens.size;
  }
}
