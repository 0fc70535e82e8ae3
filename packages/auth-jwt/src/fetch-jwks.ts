import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { UnavailableError } from '@halyard/contracts';
import { algorithmsOf, type JwtAlgorithm } from './jwt-algorithm.ts';

/** A key of a JSON Web Key Set that can verify tokens. */
export interface VerifyingKey {
  readonly kid: string | undefined;
  readonly algorithms: readonly JwtAlgorithm[];
  readonly key: KeyObject;
}

/**
 * Fetches a key set: without redirects, at most 1 MiB, completely within `timeoutMs`. Skips keys of other uses and kinds.
 *
 * @throws Error when the request fails or the reply is not a key set, so that it does not replace a valid one.
 */
export async function fetchJwks(uri: URL, timeoutMs: number): Promise<readonly VerifyingKey[]> {
  const response = await fetch(uri, {
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw unavailable(`answered with status ${response.status}`);
  }
  const set: unknown = JSON.parse(await readText(response));
  if (typeof set !== 'object' || set === null || !('keys' in set) || !Array.isArray(set.keys)) {
    throw unavailable('answered with something that is not a key set');
  }
  return set.keys.flatMap(toVerifyingKey);
}

const maxBytes = 1_048_576;

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body as ReadableStream<Uint8Array> | null) ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw unavailable('answered with more than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function unavailable(what: string): UnavailableError {
  return new UnavailableError('KEYS_UNAVAILABLE', `The key server ${what}`);
}

/** Skips symmetric keys, since a published secret is none, and keys for encryption. */
function toVerifyingKey(jwk: unknown): readonly VerifyingKey[] {
  if (typeof jwk !== 'object' || jwk === null) return [];
  const { kty, kid, use, key_ops: operations, alg, n, e, crv, x, y } = jwk as Readonly<Record<string, unknown>>;
  if (kty !== 'RSA' && kty !== 'EC') return [];
  if (kid !== undefined && typeof kid !== 'string') return [];
  if (use !== undefined && use !== 'sig') return [];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) return [];
  try {
    const parts = (kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y }) as JsonWebKey;
    const key = createPublicKey({ format: 'jwk', key: parts });
    const algorithms = algorithmsOf(key).filter((algorithm) => alg === undefined || alg === algorithm);
    return [{ kid, algorithms, key }];
  } catch {
    return [];
  }
}
