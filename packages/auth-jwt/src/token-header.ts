import { isUtf8 } from 'node:buffer';
import { type JwtAlgorithm, isAlgorithm } from './jwt-algorithm.ts';

/** What the header of a token may decide: which of the keys that are known is meant, and how it was used. */
export interface TokenHeader {
  readonly alg: JwtAlgorithm;
  readonly kid: string | undefined;
}

/** Reads the header of what looks like a signed token; undefined for all else. Nothing is verified yet. */
export function readHeader(token: unknown): TokenHeader | undefined {
  if (typeof token !== 'string' || token.length > maxLength || !threeParts.test(token)) return undefined;
  const [head, payload, signature] = token.split('.').map(decode);
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  // Anything else may be read as an object after all: a JSON text is parsed once more where it holds JSON.
  if (!isUtf8(payload) || !payload.toString().trimStart().startsWith('{')) return undefined;

  const header = parseObject(head.toString());
  if (header === undefined || refusedMembers.some((name) => Object.hasOwn(header, name))) return undefined;

  const { alg, kid, typ } = header;
  if (!isAlgorithm(alg)) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  if (typ !== undefined && !(typeof typ === 'string' && types.has(typ.toLowerCase()))) return undefined;
  return { alg, kid };
}

/** As much as Node takes of all headers together. */
const maxLength = 16_384;

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Its bytes. There is one text for each: decoders would overlook bits that are left over. */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Keys that come with the token, extensions that must be understood (RFC 7515, 4.1.11; none is here), other encodings and encryption. */
const refusedMembers = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;

/** Tokens made for something else, such as a log-out, say so here (RFC 8725, 3.11). */
const types: ReadonlySet<string> = new Set(['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);
