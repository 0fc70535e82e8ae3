import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const setup = fileURLToPath(new URL('end-children.ts', import.meta.url));
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

/** Ignores SIGTERM. */
const forever = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6);";
/** Starts a process in a group of its own, and prints its id. */
const startsAnother = `
  const { spawn } = require('node:child_process');
  console.log(spawn(process.execPath, ['-e', process.argv[1]], { detached: true }).pid);
  ${forever}`;
/** Writes the ids of this process, of its child and of the child of that to the file `pids`. */
const startsChildren = `
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(startsAnother)}, ${JSON.stringify(forever)}]);
  const [grandchild] = await once(child.stdout, 'data');
  writeFileSync(new URL('pids', import.meta.url), [process.pid, child.pid, Number(grandchild), ''].join(' '));
  await new Promise(() => {});`;
const imports = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  import { writeFileSync } from 'node:fs';`;

describe.runIf(process.platform === 'linux')('the processes of a test', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('end when Vitest gets %s', async (signal) => {
    const folder = createFolder();
    const test = { globalSetup: [setup], include: ['*.test.mjs'], globals: true };
    writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })};`);
    writeFileSync(join(folder, 'a.test.mjs'), `${imports}\nit('waits', async () => {${startsChildren}}, 600_000);`);
    const pids = await kill(folder, [vitest, 'run', '--root', folder], signal);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it('end when a program of tests is killed', async () => {
    const folder = createFolder();
    const program = join(folder, 'program.mjs');
    const calls = `import { setup } from ${JSON.stringify(setup)};\nsetup();\nsetInterval(() => {}, 1e6);`;
    writeFileSync(program, `${imports}\n${calls}\n${startsChildren}`);
    const pids = await kill(folder, [program], 'SIGKILL');
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

/** Starts a program, sends it the signal, and returns the ids of the processes that ran with it. */
async function kill(folder: string, args: readonly string[], signal: NodeJS.Signals): Promise<readonly number[]> {
  const run = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = once(run, 'exit');
  const readPids = (): string => readFileSync(join(folder, 'pids'), { encoding: 'utf8', flag: 'a+' });
  await expect.poll(readPids).toMatch(/^(\d+ ){3}$/);
  const pids = readPids().trim().split(' ').map(Number);
  expect(pids.filter(isAlive)).toEqual(pids);
  run.kill(signal);
  await ended;
  return pids;
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-children-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
