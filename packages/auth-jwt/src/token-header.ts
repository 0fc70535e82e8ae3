import { isUtf8 } from 'node:buffer';
import { type JwtAlgorithm, isAlgorithm } from './jwt-algorithm.ts';
import type { Refusal } from './refusal.ts';

/**
 * The only fields of a token's header that are used: they choose one of the configured keys and its
 * algorithm.
 */
export interface TokenHeader {
  readonly alg: JwtAlgorithm;
  readonly kid: string | undefined;
}

/**
 * Reads the header of a well-formed signed token; the reason for anything else. Verifies nothing.
 */
export function readHeader(token: unknown): TokenHeader | Refusal {
  if (typeof token !== 'string' || token.length > maxLength || !threeParts.test(token)) return 'malformed';
  const [head, payload, signature] = token.split('.').map(decode);
  if (head === undefined || payload === undefined || signature === undefined) return 'malformed';
  // The library parses a payload that is a JSON string a second time, so only objects are accepted
  // here.
  if (!isUtf8(payload) || !payload.toString().trimStart().startsWith('{')) return 'malformed';

  const header = parseObject(head.toString());
  if (header === undefined) return 'malformed';
  if (refusedMembers.some((name) => Object.hasOwn(header, name))) return 'header';

  const { alg, kid, typ } = header;
  if (kid !== undefined && typeof kid !== 'string') return 'header';
  if (typ !== undefined && !(typeof typ === 'string' && types.has(typ.toLowerCase()))) return 'header';
  if (!isAlgorithm(alg)) return 'algorithm';
  return { alg, kid };
}

/** Node's limit for all request headers together. */
const maxLength = 16_384;

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The bytes of a part; undefined unless the part is their only encoding. Decoders ignore surplus
 * bits.
 */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Null and lists have no `alg`, so they are refused like an object without it.
    return typeof value === 'object' ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keys inside the token, critical extensions (RFC 7515, 4.1.11; none is supported), other encodings
 * and encryption.
 */
const refusedMembers = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;

/** Tokens for other purposes, such as a logout, have another `typ` (RFC 8725, 3.11). */
const types: ReadonlySet<string> = new Set(['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);
