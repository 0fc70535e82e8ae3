import { ConfigurationError } from './errors.ts';

/** The same as `engines.node` of the packages. */
const oldest = { major: 22, minor: 18 };

/**
 * Checks that this version of Node has what Halyard uses. Bun and Deno are not checked: they report
 * a version of Node that says little about them.
 *
 * @throws ConfigurationError when Node is too old.
 */
export function checkRuntime(versions: Readonly<Record<string, string | undefined>> = process.versions): void {
  const { bun, deno, node = '' } = versions;
  if (bun !== undefined || deno !== undefined) return;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return;
  throw new ConfigurationError(
    `Halyard needs Node ${oldest.major}.${oldest.minor} or later, and this is Node ${node}. Install a newer version from https://nodejs.org`,
  );
}
