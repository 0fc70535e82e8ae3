import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, exitCodes } from './cli-error.ts';

const usualNames = ['src/main', 'src/index', 'src/server', 'src/app', 'main', 'index', 'server', 'app'];
const extensions = ['.ts', '.mts', '.js', '.mjs'];

/**
 * The file that starts the app: the one that the command line names, else the first one with a
 * usual name. @throws CliError if it does not exist.
 */
export function findEntry(folder: string, named?: string): string {
  if (named !== undefined) {
    if (existsSync(join(folder, named)) || existsSync(named)) return named;
    throw new CliError(`${named} does not exist.`, {
      exitCode: exitCodes.usage,
      fix: 'Name the file that starts the app',
    });
  }
  const found = usualNames
    .flatMap((name) => extensions.map((extension) => name + extension))
    .find((file) => existsSync(join(folder, file)));
  if (found !== undefined) return found;
  throw new CliError(`${folder} contains no file that could start an app.`, {
    exitCode: exitCodes.usage,
    fix: 'Name it, such as: halyard dev src/start.ts',
  });
}
