import { lookup as dnsLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { abortable } from '../async/abortable.ts';
import { isPublicAddress } from '../model/files/public-address.ts';

export interface AddressCheck {
  /**
   * Resolves a name to all its addresses; `dns.lookup` with `all` unless set. Called once for each
   * request.
   */
  readonly lookup?: ((hostname: string) => Promise<readonly { readonly address: string }[]>) | undefined;
  /** Decides which addresses may be connected to. Default: the public ones. */
  readonly allowAddress?: ((ip: string) => boolean) | undefined;
}

export interface CheckedRequestOptions extends AddressCheck {
  readonly method?: 'GET' | 'POST' | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a request to an http or https URL if every address that its name resolves to is allowed, and
 * to those very addresses. It uses no proxy and follows no redirect. The caller destroys the
 * response.
 *
 * @returns undefined when there is no address, or when any of them is refused.
 * @throws the error of the connection.
 */
export async function checkedRequest(
  url: URL,
  { allowAddress = isPublicAddress, lookup = lookupAll, ...options }: CheckedRequestOptions,
): Promise<IncomingMessage | undefined> {
  const { signal } = options;
  signal.throwIfAborted();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? (await abortable(lookup(host), signal)).map(({ address }) => address) : [host];
  const isAllowed = addresses.length > 0 && addresses.every((address) => allowAddress(address));
  return isAllowed ? sendTo(addresses, url, options) : undefined;
}

function lookupAll(hostname: string): Promise<{ address: string }[]> {
  return dnsLookup(hostname, { all: true });
}

function sendTo(
  addresses: readonly string[],
  url: URL,
  { body, headers, method = 'GET', signal }: Omit<CheckedRequestOptions, keyof AddressCheck>,
): Promise<IncomingMessage> {
  // The name is not resolved again: between check and connection its reply could change.
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    if (all === true) callback(null, checked);
    else callback(null, checked[0]?.address ?? '', checked[0]?.family);
  };

  return new Promise((resolve, reject) => {
    // Imported, `node:http` would load all of undici with its `WebSocket` when the process starts.
    const { request, Agent } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    // Not the global agent, which may keep connections open or use a proxy.
    const agent = new Agent({ keepAlive: false });
    request(url, { agent, headers, lookup, method, signal })
      .on('response', resolve)
      .on('error', reject)
      .on('close', () => reject(new TypeError('The connection was closed before a response')))
      .end(body);
  });
}
