import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CreateError } from './create-error.ts';

/**
 * Writes a new app: all its files, or none. They are written to a folder next to it, which is then
 * renamed.
 *
 * @throws CreateError if the folder cannot be written.
 */
export function writeApp(path: string, files: ReadonlyMap<string, string>): void {
  // Ctrl-C has no effect meanwhile: writing takes milliseconds.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  let written: string | undefined;
  let firstParent: string | undefined;
  try {
    firstParent = mkdirSync(dirname(path), { recursive: true });
    written = join(dirname(path), `.${basename(path)}-${randomUUID()}`);
    mkdirSync(written);
    writeFiles(written, files);
    if (existsSync(path)) moveInto(written, path);
    else renameSync(written, path);
  } catch (error) {
    if (firstParent !== undefined) rmSync(firstParent, { recursive: true, force: true });
    throw new CreateError(`The app cannot be written: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    if (written !== undefined) rmSync(written, { recursive: true, force: true });
    process.off('SIGINT', ignore);
  }
}

function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    // The secrets are for the owner only.
    writeFileSync(join(folder, path), content, { flag: 'wx', mode: path === '.env' ? 0o600 : 0o666 });
  }
}

/**
 * Moves the contents of a folder into an empty one, which may be the current folder of the shell
 * and so cannot be replaced.
 */
function moveInto(from: string, to: string): void {
  const moved: string[] = [];
  try {
    for (const entry of readdirSync(from)) {
      renameSync(join(from, entry), join(to, entry));
      moved.push(entry);
    }
  } catch (error) {
    for (const entry of moved) rmSync(join(to, entry), { recursive: true, force: true });
    throw error;
  }
}
