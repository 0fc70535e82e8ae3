/** Runs the short form of every script, several in parallel, because they mostly wait. `--lanes=1` runs one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { scriptOptions } from './harness/script-options.ts';

const { number, seed } = scriptOptions();
const began = performance.now();
/** Runs alone, because it measures latency. */
const alone = 'sse.faults.ts';
/** The slowest scripts start first. */
const longest = ['kills.faults.ts', 'stops.faults.ts', 'restarts.faults.ts'];
const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.faults.ts') && name !== alone);
const waiting = [...new Set([...longest, ...names])];
const failed: string[] = [];

/** Runs a script and prints its output at the end. */
async function runShort(name: string): Promise<void> {
  const script = spawn(
    process.execPath,
    ['--conditions=@halyard/source', `${import.meta.dirname}/${name}`, '--short', `--seed=${seed}`],
    { stdio: ['ignore', 'pipe', 'pipe'] },
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
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runShort(name);
}

await runShort(alone);
await Promise.all(Array.from({ length: number('lanes', 3) }, lane));
console.log(
  `seed ${seed}, ${Math.round((performance.now() - began) / 1_000)} s; ${failed.length} failed ${failed.join(' ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
