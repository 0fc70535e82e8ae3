// pnpm campaign [--only=faults,bench] [--seed=7] [--minutes=120]: what takes hours, uses random
// seeds, or has bounds of time that a busy machine exceeds. Writes a report to benchmarks/results.
// Run it on a quiet machine.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    minutes: { type: 'string', default: '120' },
  },
});
const { minutes, seed } = values;
/** How many lines of each step the report shows. */
const shownLines = 60;

const steps: Readonly<Record<string, readonly string[]>> = {
  tests: ['exec', 'vitest', 'run', '--project=campaign*'],
  'browser-postgres': ['--filter', '@halyard/test-browser', 'exec', 'vitest', 'run', '--project=PostgreSQL'],
  'planted-faults': ['test:faults', '--strict', `--seed=${seed}`],
  faults: ['test:faults', '--long', `--seed=${seed}`],
  attacks: ['test:attacks', `--seed=${seed}`],
  soak: ['test:attacks', '--only=soak', `--seed=${seed}`, `--minutes=${minutes}`],
  mutation: ['test:mutation'],
  bench: ['bench'],
};

const chosen = values.only?.split(',') ?? Object.keys(steps);
const unknown = chosen.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`There is no "${unknown.join('", "')}". --only takes: ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}

const date = new Date().toISOString().slice(0, 10);
const file = `benchmarks/results/campaign-${date}.md`;
const rows: string[] = [];
const outputs: string[] = [];
for (const name of chosen) {
  const began = performance.now();
  const command = steps[name] ?? [];
  console.log(`\n── ${name}: pnpm ${command.join(' ')} (seed ${seed})`);
  const { output, status } = await run(command);
  const took = Math.round((performance.now() - began) / 60_000);
  rows.push(`| ${name} | ${status === 0 ? 'passed' : 'FAILED'} | ${took} | \`pnpm ${command.join(' ')}\` |`);
  outputs.push(`## ${name}\n\n\`\`\`\n${output.trim().split('\n').slice(-shownLines).join('\n')}\n\`\`\``);
  if (status !== 0) process.exitCode = 1;
  const table = ['| step | result | minutes | command |', '| --- | --- | --- | --- |', ...rows].join('\n');
  writeFileSync(file, `# Campaign of ${date}, seed ${seed}\n\n${table}\n\n${outputs.join('\n\n')}\n`);
}
console.log(`\nThe report is in ${file}. HALYARD_SEED=${seed} repeats the tests with the same values.`);

/** Runs a script of the workspace, and shows its output at once. */
async function run(command: readonly string[]): Promise<{ readonly output: string; readonly status: number | null }> {
  const child = spawn('pnpm', command, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HALYARD_SEED: seed, NO_COLOR: '1' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { output, status };
}
