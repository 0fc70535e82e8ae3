import { ConfigurationError } from '@halyard/contracts';

const protocols: ReadonlySet<string> = new Set(['postgres:', 'postgresql:', 'socket:']);
/** The modes that `pg` knows. It ignores others. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * Checks settings that the driver would try for ever. @throws ConfigurationError, which never
 * contains the string: it may contain a password.
 */
export function checkConnectionString(connectionString: string): void {
  const url = toUrl(connectionString);
  if (url === undefined || !protocols.has(url.protocol)) {
    const scheme = /^[a-z][a-z0-9+]*(?=:\/\/)/.exec(connectionString)?.[0];
    const found = scheme === undefined || protocols.has(`${scheme}:`) ? '' : `, not ${scheme}://…`;
    throw new ConfigurationError(
      `connectionString must be the URL of a PostgreSQL server: postgres://user:password@host:5432/database${found}`,
    );
  }
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !sslModes.includes(sslMode))
    throw new ConfigurationError(
      `connectionString has the unknown sslmode "${sslMode}". Use one of ${sslModes.join(', ')}`,
    );
}

/**
 * Accepts a URL without a host, as `pg` does: `postgres://user@/database?host=/var/run/postgresql`.
 */
function toUrl(connectionString: string): URL | undefined {
  return URL.parse(connectionString) ?? URL.parse(connectionString.replace('@/', '@localhost/')) ?? undefined;
}
