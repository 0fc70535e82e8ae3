import type { KeyObject } from 'node:crypto';
import type { Clock } from '@halyard/contracts';
import type { CryptoKey } from 'jose';
import type { JwtClaims } from './jwt-auth.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import type { VerifySettings } from './verify-settings.ts';
import { type Verification, type VerifyingKey, verifySigned, verifySignedByKeySet } from './verify-signed.ts';

/**
 * Verifies tokens with the keys that may have signed them. A token that no key has signed is
 * refused with the last key's reason.
 */
export class TokenVerifier {
  readonly #settings: VerifySettings;
  readonly #clock: Clock;
  readonly #verified = new VerifiedTokens();

  constructor(settings: VerifySettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  verify(token: string, keys: readonly KeyObject[]): Verification {
    const nowMs = this.#clock.now();
    let verification = this.#known(token, keys, nowMs);
    for (const key of keys) {
      if (isSigned(verification)) break;
      verification = verifySigned(token, key, this.#settings, nowMs);
      this.#keep(token, key, verification, nowMs);
    }
    return verification;
  }

  async verifyByKeySet(token: string, keys: readonly CryptoKey[]): Promise<Verification> {
    const nowMs = this.#clock.now();
    let verification = this.#known(token, keys, nowMs);
    for (const key of keys) {
      if (isSigned(verification)) break;
      verification = await verifySignedByKeySet(token, key, this.#settings, nowMs);
      this.#keep(token, key, verification, nowMs);
    }
    return verification;
  }

  #known(token: string, keys: readonly VerifyingKey[], nowMs: number): Verification {
    const claims = this.#verified.find(token, keys, nowMs);
    return claims === undefined ? { refused: 'key' } : { claims };
  }

  #keep(token: string, key: VerifyingKey, verification: Verification, nowMs: number): void {
    if (!('claims' in verification)) return;
    const { claims } = verification;
    this.#verified.add(token, key, claims, nowMs, validUntilMs(claims, this.#settings) - nowMs);
  }
}

/** Whether a key has signed the token, so that no other key needs to be tried. */
function isSigned(verification: Verification): boolean {
  return 'claims' in verification || !['key', 'signature'].includes(verification.refused);
}

/** Until when a token that is valid now remains valid. */
function validUntilMs({ exp, iat }: JwtClaims, { clockTolerance, maxAge }: VerifySettings): number {
  const expiresAt = exp ?? Number.POSITIVE_INFINITY;
  const agedAt = typeof iat === 'number' ? iat + (maxAge ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return (Math.min(expiresAt, agedAt) + clockTolerance) * 1_000;
}
