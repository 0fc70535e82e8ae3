import type { KeyObject } from 'node:crypto';
import { toUser } from '@halyard/contracts';
import { type CryptoKey, errors, jwtVerify } from 'jose';
import jwt from 'jsonwebtoken';
import { isOfJsonwebtoken } from './jwt-algorithm.ts';
import type { JwtClaims } from './jwt-auth.ts';
import type { Refusal } from './refusal.ts';
import type { VerifySettings } from './verify-settings.ts';

/**
 * The key of a token: `jsonwebtoken` verifies with a `KeyObject`, and `jose` with a `CryptoKey` of
 * a key set.
 */
export type VerifyingKey = KeyObject | CryptoKey;

export type Verification = { readonly claims: JwtClaims } | { readonly refused: Refusal };

/** The claims of a token that the key has signed and that is valid at `nowMs`. It never throws. */
export function verifySigned(
  token: string,
  key: KeyObject,
  { algorithms, ...settings }: VerifySettings,
  nowMs: number,
): Verification {
  const checks = {
    ...settings,
    algorithms: [...algorithms].filter(isOfJsonwebtoken),
    clockTimestamp: Math.floor(nowMs / 1_000),
  };
  try {
    return toVerification(jwt.verify(token, key, checks));
  } catch (error) {
    return { refused: refusalOfJsonwebtoken(error) };
  }
}

/** Like {@link verifySigned}, with a key of a key set. It never rejects. */
export async function verifySignedByKeySet(
  token: string,
  key: CryptoKey,
  { algorithms, audience, clockTolerance, issuer, maxAge }: VerifySettings,
  nowMs: number,
): Promise<Verification> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [...algorithms],
      clockTolerance,
      currentDate: new Date(nowMs),
      ...(audience === undefined ? {} : { audience }),
      ...(issuer === undefined ? {} : { issuer }),
      ...(maxAge === undefined ? {} : { maxTokenAge: maxAge }),
    });
    return toVerification(payload);
  } catch (error) {
    return { refused: refusalOfJose(error) };
  }
}

function toVerification(payload: unknown): Verification {
  const claims: JwtClaims | null = toUser(payload);
  return claims === null || !hasFiniteTimes(claims) ? { refused: 'claims' } : { claims };
}

/**
 * JSON can contain numbers that are too large for a time: `1e999` is read as Infinity, and such a
 * token would never expire.
 */
function hasFiniteTimes({ exp, iat, nbf }: JwtClaims): boolean {
  return [exp, iat, nbf].every((time) => typeof time !== 'number' || Number.isFinite(time));
}

/** The library has no codes for these errors; the reason is for the log only. */
function refusalOfJsonwebtoken(error: unknown): Refusal {
  if (error instanceof jwt.TokenExpiredError) return 'expired';
  if (error instanceof jwt.NotBeforeError) return 'not yet active';
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('jwt audience')) return 'audience';
  if (message.startsWith('jwt issuer')) return 'issuer';
  return /^(?:invalid (?:exp|nbf) value|iat required)/.test(message) ? 'claims' : 'signature';
}

function refusalOfJose(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return refusalOfClaim(error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  return error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid ? 'malformed' : 'key';
}

function refusalOfClaim({ claim, reason }: errors.JWTClaimValidationFailed): Refusal {
  switch (claim) {
    case 'aud':
      return 'audience';
    case 'iss':
      return 'issuer';
    case 'nbf':
      return reason === 'check_failed' ? 'not yet active' : 'claims';
    default:
      return 'claims';
  }
}
