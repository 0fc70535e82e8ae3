import { randomBytes } from 'node:crypto';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConflictError } from '@halyard/contracts';

let last: Promise<void> = Promise.resolve();

/**
 * Sets variables in the `.env` of a directory: only their lines change, or are added. Others see the old file or the new one, which nobody but its owner can read.
 * Values must need no quotes.
 *
 * @throws ConflictError (`ENV_FILE_REFUSED`) where `.env` is a link or no file.
 */
export function writeEnvFile(directory: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const written = last.then(() => write(join(directory, '.env'), variables));
  last = written.catch(() => {});
  return written;
}

async function write(path: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const before = await lstat(path).catch(ifAbsent);
  if (before !== undefined && !before.isFile())
    throw new ConflictError('ENV_FILE_REFUSED', 'The file .env is a link, or no file: it is not changed');
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

/** `text` with these variables, everything else byte for byte as it was. Of a variable that is set more than once, every line changes. */
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
  /** Where the value begins and ends, quotes included. */
  readonly from: number;
  readonly to: number;
}

/** Lines that set a variable. Values in quotes may go over several lines, which are no assignments then. */
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
  // A comment behind the value stays.
  const rest = /[ \t]+#|[ \t]*(?:\r?\n|$)/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

function ifAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
