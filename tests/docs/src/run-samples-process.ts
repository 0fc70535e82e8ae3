import { mkdirSync, writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { sampleMark } from './sample-mark.ts';

/**
 * Runs samples one after the other. Each ends when it leaves this process nothing to do, as the
 * process of a single sample would. Writes a mark to the standard error before each sample, and one
 * after the last. Arguments: the files.
 */
const files = process.argv.slice(2);
let isSettled = true;
let count = 0;

process.on('beforeExit', next);
process.on('uncaughtException', report);

function next(): void {
  if (!isSettled) report('The sample waits for something that never happens');
  if (process.exitCode !== undefined) report(`The exit code is ${process.exitCode}`);
  process.exitCode = undefined;
  if (count > files.length) return;
  writeSync(2, sampleMark);
  const file = files[count];
  count += 1;
  // A module that is loaded without waiting would not keep the process alive.
  if (file !== undefined) setImmediate(() => run(file));
}

function run(file: string): void {
  const folder = `${file}.files`;
  mkdirSync(folder);
  process.chdir(folder);
  isSettled = false;
  import(file).catch(report).finally(() => {
    isSettled = true;
  });
}

function report(error: unknown): void {
  writeSync(2, `${inspect(error)}\n`);
}
