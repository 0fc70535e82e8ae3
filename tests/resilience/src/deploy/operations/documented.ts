import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { readBlocks, readDocuments } from '@halyard/test-docs/documents';

const exec = promisify(execFile);

/** The block of docs/operations.md that contains a text. */
export function documented(language: 'sh' | 'sql', text: string): string {
  const [document] = readDocuments('docs/operations.md');
  const blocks = document === undefined ? [] : readBlocks(document).blocks;
  const found = blocks.filter((block) => block.language === language && block.lines.join('\n').includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of docs/operations.md contain ${text}`);
  return block.lines.join('\n');
}

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs commands as a person would, and stops at the first one that fails. @returns the standard
 * output.
 */
export async function shell(commands: string, { cwd, env = {} }: Surroundings = {}): Promise<string> {
  const bin = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
  const { stdout } = await exec('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...env },
  });
  return stdout;
}

/** Runs SQL with psql. @returns one line per row, columns separated by `|`. */
export async function psql(
  url: string,
  sql: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const settings = Object.entries({ ON_ERROR_STOP: '1', ...variables }).map(
    ([name, value]) => `--set=${name}=${value}`,
  );
  const bin = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
  const running = exec(`${bin}/psql`, ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', ...settings, url]);
  running.child.stdin?.end(sql);
  return (await running).stdout.split('\n').filter((line) => line !== '');
}
