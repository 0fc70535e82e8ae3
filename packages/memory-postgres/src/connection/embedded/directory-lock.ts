import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@halyard/contracts';

const maxAttempts = 5;

/** The process that has the lock. */
interface LockHolder {
  readonly pid: number;
  /** When the process started. A later process may have the same pid. */
  readonly startedAt: number;
}

/**
 * Locks a directory for this process, because two processes that write to one embedded database
 * destroy it. The lock of a process that has died is taken over.
 *
 * @returns a function that releases the lock.
 * @throws ConfigurationError when another process, or another storage of this process, has the
 * lock, or the directory cannot be written.
 */
export function lockDirectory(directory: string): () => void {
  const lockFile = join(directory, 'halyard.lock');
  const ownFile = join(directory, `halyard.lock.${randomUUID()}`);
  const content = JSON.stringify({ pid: process.pid, startedAt: processStart() } satisfies LockHolder);
  writeFirst(directory, ownFile, content);
  try {
    for (let attempt = 1; !linkFile(ownFile, lockFile); attempt += 1) {
      const found = readFile(lockFile);
      const holder = found === undefined ? undefined : parseHolder(found);
      if (attempt === maxAttempts || (holder !== undefined && isRunning(holder))) throw inUse(directory, holder);
      if (found !== undefined) removeStaleLock(lockFile, ownFile, found);
    }
  } finally {
    rmSync(ownFile, { force: true });
  }
  return () => {
    if (readFile(lockFile) === content) rmSync(lockFile, { force: true });
  };
}

function writeFirst(directory: string, file: string, content: string): void {
  try {
    // PGlite creates files that everyone may write, so the directory keeps others out.
    const created = mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Conversations must not end up in the app's repository.
    if (created !== undefined) writeFileSync(join(directory, '.gitignore'), '*\n');
    writeFileSync(file, content);
  } catch (error) {
    throw new ConfigurationError(
      `The embedded database cannot write to ${directory}: ${error instanceof Error ? error.message : String(error)}. Choose a \`dataDir\` that this user can write to`,
    );
  }
}

/**
 * A hard link is created atomically, with the whole content. @returns false when the lock file
 * exists.
 */
function linkFile(ownFile: string, lockFile: string): boolean {
  try {
    linkSync(ownFile, lockFile);
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

function parseHolder(text: string): LockHolder | undefined {
  try {
    return JSON.parse(text) as LockHolder;
  } catch {
    return undefined;
  }
}

function isRunning({ pid, startedAt }: LockHolder): boolean {
  if (pid === process.pid) return startedAt === processStart();
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function processStart(): number {
  return Math.round(performance.timeOrigin);
}

/**
 * Another process may have replaced the stale lock by its own in between. Then that one is put
 * back.
 */
function removeStaleLock(lockFile: string, ownFile: string, staleContent: string): void {
  const movedFile = `${ownFile}.stale`;
  try {
    renameSync(lockFile, movedFile);
  } catch {
    return;
  }
  if (readFile(movedFile) !== staleContent) linkFile(movedFile, lockFile);
  rmSync(movedFile, { force: true });
}

function inUse(directory: string, holder: LockHolder | undefined): ConfigurationError {
  const user =
    holder === undefined ? 'another process' : holder.pid === process.pid ? 'this process' : `process ${holder.pid}`;
  return new ConfigurationError(
    `The embedded database in ${directory} is in use by ${user}: stop it, choose another dataDir, or use a PostgreSQL server (connectionString)`,
  );
}
