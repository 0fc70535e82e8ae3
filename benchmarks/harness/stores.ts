import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The name that selects the database benchmarks with `--only`. */
export const storesId = 'stores';

const scripts = [
  'memory-postgres/bench/durable-steps.ts',
  'memory-postgres/bench/replicas.ts',
  'memory-postgres/bench/text-with-memory.ts',
  'memory-postgres/bench/many-messages.ts',
  'memory-postgres/bench/execution-costs.ts',
  'memory-pgvector/bench/search.ts',
];

/** Runs the database benchmarks one after the other on both cores. Each prints its own figures. If one fails, the exit code is 1. */
export function runStores(): void {
  for (const script of scripts) {
    console.log(`\n${script}`);
    // Relative to `dist`, where this file is built to.
    const path = fileURLToPath(new URL(`../../../packages/${script}`, import.meta.url));
    const args = ['-c', '0,1', process.execPath, '--conditions=@halyard/source', path];
    const { status } = spawnSync('taskset', args, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
