import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@halyard/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDirectory } from './directory-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'halyard-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('creates a directory that other users of the machine cannot read', () => {
  const own = join(directory, 'data');
  lockDirectory(own)();
  expect((statSync(own).mode & 0o777).toString(8)).toBe('700');
});

it('keeps a directory that it creates out of git, and leaves an existing one as it is', () => {
  const own = join(directory, 'data');
  lockDirectory(own)();
  expect(readFileSync(join(own, '.gitignore'), 'utf8')).toBe('*\n');
  rmSync(join(own, '.gitignore'));
  lockDirectory(own)();
  expect(readdirSync(own)).toEqual([]);
});

it('rejects a second lock in this process until the first is released', () => {
  const unlock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(ConfigurationError);
  expect(() => lockDirectory(directory)).toThrow('is in use by this process');
  unlock();
  expect(() => lockDirectory(directory)()).not.toThrow();
});

it('rejects a lock while the process that has it is running, and names that process', () => {
  writeLock({ pid: process.ppid, startedAt: 1 });
  expect(() => lockDirectory(directory)).toThrow(`is in use by process ${process.ppid}`);
});

it('takes over the lock of a process that has died, and a lock file that cannot be read', () => {
  writeLock({ pid: 2 ** 22 + 1, startedAt: 1 });
  expect(() => lockDirectory(directory)()).not.toThrow();
  writeFileSync(join(directory, 'halyard.lock'), '');
  expect(() => lockDirectory(directory)()).not.toThrow();
});

it('takes over the lock of an earlier process that had the same pid', () => {
  writeLock({ pid: process.pid, startedAt: 1 });
  expect(() => lockDirectory(directory)()).not.toThrow();
});

function writeLock(holder: object): void {
  writeFileSync(join(directory, 'halyard.lock'), JSON.stringify(holder));
}
