import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from './app-packages.ts';

/** A program, and the arguments that come before those of the caller. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How to start a package manager on Windows without a shell: its `.exe`, or Node with the script
 * that its `.cmd` names. Node refuses to start a `.cmd` without a shell. Undefined if the folders
 * of `path` have neither.
 */
export async function windowsProgram(command: string, path: string): Promise<Program | undefined> {
  for (const quoted of path.split(';')) {
    const folder = quoted.replace(/^"(.*)"$/, '$1');
    if (folder === '') continue;
    const file = join(folder, `${command}.exe`);
    if (await exists(file)) return { file, args: [] };
    const script = await readScript(command, folder);
    if (script !== undefined) return { file: process.execPath, args: [script] };
  }
  return undefined;
}

/**
 * The script that the `.cmd` of npm, of corepack, or of a globally installed package starts. Its
 * path begins at the folder of the `.cmd`.
 */
async function readScript(command: string, folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, `${command}.cmd`), 'utf8').catch(() => '');
  const scripts = Array.from(text.matchAll(/%(?:~dp0|dp0%)\\?([^"%]+\.[cm]?js)"/g), ([, script = '']) =>
    join(folder, ...script.split('\\')),
  );
  // That of npm names a second script, which finds out where npm is installed.
  const script = scripts.find((each) => !each.endsWith('npm-prefix.js'));
  return script !== undefined && (await exists(script)) ? script : undefined;
}
