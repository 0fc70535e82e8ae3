import { randomBytes } from 'node:crypto';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError } from '@halyard/contracts';

let last: Promise<void> = Promise.resolve();

/**
 * Sets variables in the `.env` file of a directory and leaves all other lines unchanged. The file
 * is replaced atomically and is readable by its owner only. Values must not need quotes.
 *
 * @throws ConflictError (`ENV_FILE_REFUSED`) if `.env` is a link or not a regular file.
 */
export function writeEnvFile(directory: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const written = last.then(() => write(join(directory, '.env'), variables));
  last = written.catch(() => {});
  return written;
}

async function write(path: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const before = await lstat(path).catch(ifAbsent);
  if (before !== undefined && !before.isFile())
    throw new ConflictError('ENV_FILE_REFUSED', 'The file .env is a link or not a regular file and was not changed');
  const text = before === undefined ? '' : await readFile(path, 'utf8');
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(withVariables(text, variables));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * `text` with these variables set and every other byte unchanged. If a variable is set several
 * times, every assignment changes.
 */
export function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(variables));
  let changed = '';
  let end = 0;
  for (const { from, name, to } of assignments(text)) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) continue;
    changed += text.slice(end, from) + value;
    end = to;
    missing.delete(name);
  }
  changed += text.slice(end);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  if (missing.size > 0 && changed !== '' && !changed.endsWith('\n')) changed += lineEnd;
  for (const name of missing) changed += `${name}=${variables[name]}${lineEnd}`;
  return changed;
}

interface Assignment {
  readonly name: string;
  /** The range of the value, quotes included. */
  readonly from: number;
  readonly to: number;
}

/**
 * The assignments of variables. A quoted value may span several lines, which are not assignments
 * then.
 */
function* assignments(text: string): Generator<Assignment> {
  const start = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*/gm;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const from = start.lastIndex;
    const to = endOfValue(text, from);
    yield { name: match[1] ?? '', from, to };
    start.lastIndex = to;
  }
}

function endOfValue(text: string, from: number): number {
  const quote = text[from];
  if (quote === '"' || quote === "'" || quote === '`') {
    for (let at = from + 1; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === quote) return at + 1;
    }
  }
  // Preserve a comment after the value.
  const rest = /[ \t]+#|[ \t]*(?:\r?\n|$)/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

function ifAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
