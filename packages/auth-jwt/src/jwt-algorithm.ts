import type { KeyObject } from 'node:crypto';

const hmac = ['HS256', 'HS384', 'HS512'] as const;
const rsaPss = { sha256: 'PS256', sha384: 'PS384', sha512: 'PS512' } as const;
const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;
/** `Ed25519` is the newer name of `EdDSA` (RFC 9864). */
const edwards = ['EdDSA', 'Ed25519'] as const;
const curves = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' } as const;

/** The signature algorithms that can be accepted. `none` is not one of them. */
export type JwtAlgorithm =
  | (typeof hmac)[number]
  | (typeof rsa)[number]
  | (typeof curves)[keyof typeof curves]
  | (typeof edwards)[number];

/** The algorithms of the keys of a key set: all asymmetric ones. */
export const keySetAlgorithms: ReadonlySet<JwtAlgorithm> = new Set([...rsa, ...Object.values(curves), ...edwards]);

const algorithms: ReadonlySet<unknown> = new Set<unknown>([...hmac, ...keySetAlgorithms]);

export function isAlgorithm(value: unknown): value is JwtAlgorithm {
  return algorithms.has(value);
}

/** Whether `jsonwebtoken` can verify it. */
export function isOfJsonwebtoken(
  algorithm: JwtAlgorithm,
): algorithm is Exclude<JwtAlgorithm, (typeof edwards)[number]> {
  return !edwards.some((name) => name === algorithm);
}

/**
 * The algorithms of a key's own family, its default first. Empty for keys that are too weak or of
 * another kind.
 */
export function algorithmsForKey(key: KeyObject): readonly JwtAlgorithm[] {
  if (key.type === 'secret') return hmac;
  const { hashAlgorithm, mgf1HashAlgorithm, modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength >= leastRsaBits ? rsa : [];
    case 'rsa-pss':
      // Tokens are verified only with keys that name their hash, once for both purposes.
      if (modulusLength < leastRsaBits || mgf1HashAlgorithm !== hashAlgorithm) return [];
      return Object.entries(rsaPss).flatMap(([hash, algorithm]) => (hash === hashAlgorithm ? [algorithm] : []));
    case 'ec':
      return Object.entries(curves).flatMap(([curve, algorithm]) => (curve === namedCurve ? [algorithm] : []));
    default:
      return [];
  }
}

/** RFC 7518, 3.3 and 3.5. */
const leastRsaBits = 2_048;
