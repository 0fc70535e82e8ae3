import { ConfigurationError } from '@halyard/contracts';

/** The advice about errors of the server that no retry solves, by SQLSTATE. */
const adviceByState: Readonly<Record<string, string>> = {
  '28000': 'Check the role in `connectionString`, and which roles and hosts the server admits (pg_hba.conf)',
  '28P01': 'Check the role and the password in `connectionString`',
  '3D000': 'Check the name of the database in `connectionString`, or create the database',
  '42501':
    'Give the role of `connectionString` the right to create the schema, or run the output of migrations.sql() with another role and set `autoMigrate: false`',
};

/**
 * The failure to open a database on a server, if somebody must act before a retry can succeed.
 * Undefined for temporary failures.
 */
export function explainServerFailure(error: unknown): ConfigurationError | undefined {
  const advice = error instanceof Error ? adviceFor(error) : undefined;
  if (advice === undefined || !(error instanceof Error)) return undefined;
  return new ConfigurationError(`The database cannot be opened: ${error.message}. ${advice}`);
}

/** The same for an embedded database, where only a failed statement is temporary. */
export function explainEmbeddedFailure(directory: string, error: unknown): ConfigurationError | undefined {
  if (!(error instanceof Error) || ('severity' in error && error.severity !== undefined)) return undefined;
  return new ConfigurationError(
    `The embedded database in ${directory} cannot be opened: ${error.message}. It may be damaged, or written by another version of @electric-sql/pglite: restore a backup, install that version, or choose another \`dataDir\``,
  );
}

function adviceFor(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  // The driver reads these files before it connects.
  if (('syscall' in error && error.syscall === 'open') || code === 'EISDIR')
    return 'Check the files that `sslrootcert`, `sslcert` and `sslkey` in `connectionString` name';
  if (error.message.startsWith('unsupported startup parameter'))
    return 'A pooler refuses it: remove it from `connectionString`, or from the options of `pool`, and set it on the role (`alter role … set …`)';
  if (typeof code === 'string')
    return isCertificateFailure(code)
      ? 'Pass a `pool` whose option `ssl` contains the certificate of your authority'
      : adviceByState[code];
  // Errors of the driver have no code.
  if (error.message.startsWith('SASL:')) return adviceByState['28P01'];
  if (error.message.includes('does not support SSL')) return 'Remove `sslmode` from `connectionString`';
  return undefined;
}

/**
 * Codes of OpenSSL and Node for certificates that are expired, self-signed, of an unknown
 * authority, or for another host.
 */
function isCertificateFailure(code: string): boolean {
  return /CERT|ISSUER|SIGNATURE/.test(code);
}
