import { ConfigurationError } from '@halyard/contracts';

/**
 * @param resolve finds the package, and throws if it is not installed. @throws ConfigurationError
 * with the command that installs it.
 */
export function requirePackage(what: string, name: string, resolve: () => string): void {
  try {
    resolve();
  } catch {
    throw new ConfigurationError(`${what} needs the package ${name}: npm install ${name}`);
  }
}
