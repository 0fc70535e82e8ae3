import { ConfigurationError, type Logger } from '@halyard/contracts';
import { fetchJson, unavailable } from './fetch-json.ts';
import { keyServerAddress } from './key-server-address.ts';

/** Where a key set is. */
export interface JwksLocation {
  /** Of the server that is asked first, for the log. */
  readonly origin: string;
  /** Asked before each fetch of the keys. Rejects when the address cannot be discovered. */
  find(signal: AbortSignal): Promise<URL>;
}

/** @throws ConfigurationError for an address that is not safe to fetch keys from. */
export function fixedLocation(jwksUri: string | URL, logger: Logger): JwksLocation {
  const uri = keyServerAddress(jwksUri, 'jwksUri', (fault) => logger.warn({}, fault));
  return { origin: uri.origin, find: async () => uri };
}

/**
 * The key set that an issuer names in its metadata (OpenID Connect Discovery 1.0, 4).
 *
 * @throws ConfigurationError for an issuer that is not safe to fetch keys from.
 */
export function discoveredLocation(issuer: string, logger: Logger): JwksLocation {
  const { hash, origin, protocol, search } = keyServerAddress(issuer, 'issuer', (fault) => logger.warn({}, fault));
  if (search !== '' || hash !== '')
    throw new ConfigurationError('The issuer of jwtAuth must have no query or fragment');
  const metadataUri = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  return {
    origin,
    find: async (signal) => {
      const metadata = await fetchJson(metadataUri, signal);
      // Else a server could name its own keys for the tokens of another issuer (OpenID Connect
      // Discovery 1.0, 4.3).
      if (metadata['issuer'] !== issuer) {
        throw unavailable(`has the issuer ${JSON.stringify(metadata['issuer'])}, not ${JSON.stringify(issuer)}`);
      }
      const { jwks_uri: jwksUri } = metadata;
      if (typeof jwksUri !== 'string') throw unavailable('names no jwks_uri');
      return keyServerAddress(jwksUri, 'discovered jwks_uri', (fault) => {
        if (protocol === 'https:') throw new ConfigurationError(fault);
      });
    },
  };
}
