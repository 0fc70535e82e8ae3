import { ConfigurationError, isProduction } from '@halyard/contracts';

/**
 * The address of a key set or of an issuer. Plain http is for this machine; elsewhere it is an
 * error in production.
 *
 * @param option its name in messages.
 * @throws ConfigurationError for an address that is not safe to fetch keys from.
 */
export function keyServerAddress(uri: string | URL, option: string, warn: (fault: string) => void): URL {
  const url = URL.parse(String(uri));
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ConfigurationError(`The ${option} of jwtAuth must be an https address without user name and password`);
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return url;
  const fault = `The ${option} of jwtAuth is not https: a man in the middle could replace the keys`;
  if (isProduction()) throw new ConfigurationError(fault);
  warn(`${fault}. Production refuses it`);
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}
