import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@halyard/contracts';

interface Holder {
  readonly pid: number;
  /** When its process began: another process may have its number by now. */
  readonly beganAt: number;
}

/**
 * Takes a directory for this process: two that write to one embedded database destroy it. What a process left that died is taken over.
 *
 * @returns lets go of it.
 * @throws ConfigurationError while another process, or another storage of this one, has it.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'halyard.lock');
  const own = join(directory, `halyard.lock.${randomUUID()}`);
  const holder = JSON.stringify({ pid: process.pid, beganAt: Math.round(performance.timeOrigin) } satisfies Holder);
  writeFileSync(own, holder);
  try {
    for (let tries = 0; !linked(own, file); tries += 1) {
      const found = readFile(file);
      const by = found === undefined ? undefined : holderOf(found);
      if (tries > 3 || (by !== undefined && isAlive(by))) throw inUse(directory, by);
      if (found !== undefined) removeStale(file, own, found);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => {
    if (readFile(file) === holder) rmSync(file, { force: true });
  };
}

/** Whether it was there first: a link is made whole, or not at all. */
function linked(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function holderOf(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive({ beganAt, pid }: Holder): boolean {
  if (pid === process.pid) return beganAt === Math.round(performance.timeOrigin);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Another process may be doing the same: what it has put there meanwhile is put back. */
function removeStale(file: string, own: string, stale: string): void {
  const moved = `${own}.stale`;
  try {
    renameSync(file, moved);
  } catch {
    return;
  }
  if (readFile(moved) !== stale) linked(moved, file);
  rmSync(moved, { force: true });
}

function inUse(directory: string, holder: Holder | undefined): ConfigurationError {
  const by =
    holder === undefined ? 'another process' : holder.pid === process.pid ? 'this process' : `process ${holder.pid}`;
  return new ConfigurationError(
    `The embedded database in ${directory} is in use by ${by}: stop that one, choose another dataDir, or use a PostgreSQL server (connectionString)`,
  );
}
