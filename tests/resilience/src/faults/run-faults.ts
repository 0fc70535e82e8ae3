/**
 * Runs the short form of every script, several in parallel, because they mostly wait. Passes its
 * options on: with `--strict`, bounds of time must hold and planted bugs must be found. `--long`
 * runs the long forms, and `--lanes=1` one script after the other.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setup as endChildren } from '../../../../.ci/end-children.ts';
import { scriptOptions } from './harness/script-options.ts';

endChildren();
const given = process.argv.slice(2);
const isLong = given.includes('--long');
const isTimed = isLong || given.includes('--strict');
const { number } = scriptOptions();
const began = performance.now();
/** Runs alone where its bound of latency must hold. */
const alone = isTimed ? ['sse.faults.ts'] : [];
/** The slowest scripts start first. */
const longest = ['hung.faults.ts', 'kills.faults.ts', 'restarts.faults.ts', 'stops.faults.ts'];
const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.faults.ts'));
const waiting = [...new Set([...longest, ...names])].filter((name) => !alone.includes(name));
const failed: string[] = [];

/** Runs a script and prints its output at the end. */
async function runScript(name: string): Promise<void> {
  const options = isLong ? given : [...given, '--short'];
  const script = spawn(
    process.execPath,
    ['--conditions=@halyard/source', `${import.meta.dirname}/${name}`, ...options],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [script.stdout, script.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(script, 'close')) as [number | null];
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'} ${name}\n${output}`);
  if (code !== 0) failed.push(name);
}

async function lane(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runScript(name);
}

for (const name of alone) await runScript(name);
await Promise.all(Array.from({ length: number('lanes', isLong ? 1 : 3) }, lane));
console.log(`${Math.round((performance.now() - began) / 1_000)} s; ${failed.length} failed ${failed.join(' ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
