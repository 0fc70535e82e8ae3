import { UnavailableError } from '@halyard/contracts';

/**
 * Fetches a JSON object of an identity provider: without redirects, at most 1 MiB, completely
 * before `signal` fires.
 *
 * @throws Error when the request fails, or the reply is not an object.
 */
export async function fetchJson(uri: URL, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(uri, { redirect: 'error', headers: { accept: 'application/json' }, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw unavailable(`answered with status ${response.status}`);
  }
  const value: unknown = JSON.parse(await readText(response));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unavailable('answered with something that is not an object');
  }
  return { ...value };
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

export function unavailable(fault: string): UnavailableError {
  return new UnavailableError('KEYS_UNAVAILABLE', `The key server ${fault}`);
}
