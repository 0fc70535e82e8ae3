import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

it('keeps a second storage of this process out until the first lets go', () => {
  const unlock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(ConfigurationError);
  expect(() => lockDirectory(directory)).toThrow('is in use by this process');
  unlock();
  expect(() => lockDirectory(directory)()).not.toThrow();
});

it('keeps out who comes while another process runs, and names it', () => {
  writeLock({ pid: process.ppid, beganAt: 1 });
  expect(() => lockDirectory(directory)).toThrow(`is in use by process ${process.ppid}`);
});

it('takes over what a process left that is gone, and what cannot be read', () => {
  writeLock({ pid: 2 ** 22 + 1, beganAt: 1 });
  expect(() => lockDirectory(directory)()).not.toThrow();
  writeFileSync(join(directory, 'halyard.lock'), '');
  expect(() => lockDirectory(directory)()).not.toThrow();
});

it('takes over what an earlier process left that had the number of this one', () => {
  writeLock({ pid: process.pid, beganAt: 1 });
  expect(() => lockDirectory(directory)()).not.toThrow();
});

function writeLock(holder: object): void {
  writeFileSync(join(directory, 'halyard.lock'), JSON.stringify(holder));
}
