import { HalyardError } from '@halyard/contracts';
import { valid } from 'semver';

const limitMs = 5_000;
/** The reply contains the manifest of one version only. */
const maxReplyLength = 1024 * 1024;

/**
 * The version with the tag `latest`; undefined if the registry has no such package. @throws
 * HalyardError (`REGISTRY_UNREACHABLE`)
 */
export async function latestVersion(registry: string, name: string): Promise<string | undefined> {
  const url = new URL(`${name.replace('/', '%2F')}/latest`, registry.endsWith('/') ? registry : `${registry}/`);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(limitMs),
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    const manifest: unknown = JSON.parse(await readText(response));
    const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
    const accepted = response.ok && typeof version === 'string' ? valid(version) : null;
    return accepted ?? unreachable(`the reply with status ${response.status} has no version of ${name}`);
  } catch (error) {
    return unreachable(error);
  }
}

function unreachable(cause: unknown): never {
  throw new HalyardError('failed', 'REGISTRY_UNREACHABLE', 'The package registry cannot be reached', { cause });
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > maxReplyLength) unreachable('the reply is too long');
  }
  return text + decoder.decode();
}
