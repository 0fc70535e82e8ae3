import { isIP } from 'node:net';
import type { ResolvedModel } from '../providers/model-port.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * Whether each of the models reads a file of this type from the URL itself, and the URL is one of
 * the public internet.
 */
export async function canReadUrl(models: readonly ResolvedModel[], url: string, mediaType: string): Promise<boolean> {
  const parsed = URL.parse(url);
  if (models.length === 0 || parsed === null || !isPublicUrl(parsed)) return false;
  const supported = await Promise.all(models.map(async (model) => model.supportedUrls));
  return supported.every((patterns) => isSupported(patterns, parsed.href, mediaType.toLowerCase()));
}

/**
 * URLs that the provider could not reach, or must not, are left to the download, which refuses
 * them.
 */
function isPublicUrl({ hostname, password, protocol, username }: URL): boolean {
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return false;
  const host = hostname.replace(/^\[|[\].]$/g, '');
  return isIP(host) === 0 ? host.includes('.') && !privateName.test(host) : isPublicAddress(host);
}

const privateName = /\.(?:local|localhost|internal|lan|home\.arpa)$/;

function isSupported(patterns: Readonly<Record<string, readonly RegExp[]>>, url: string, mediaType: string): boolean {
  return Object.entries(patterns).some(
    ([type, urls]) => includesType(type.toLowerCase(), mediaType) && urls.some((pattern) => url.search(pattern) !== -1),
  );
}

/**
 * A type may be exact (`image/png`), a group (`image/*`) or any (`*`). A file may name only its
 * group (`image`).
 */
function includesType(type: string, mediaType: string): boolean {
  if (type === '*' || type === '*/*' || type === mediaType) return true;
  const group = type.endsWith('/*') ? type.slice(0, -1) : undefined;
  return group !== undefined && `${mediaType}/`.startsWith(group);
}
