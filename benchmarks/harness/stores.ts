import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the part is called that measures databases. */
export const storesId = 'stores';

const scripts = [
  'memory-postgres/bench/durable-steps.ts',
  'memory-postgres/bench/replicas.ts',
  'memory-postgres/bench/text-with-memory.ts',
  'memory-postgres/bench/many-messages.ts',
  'memory-pgvector/bench/search.ts',
];

/** Runs what measures the stores, one after the other, on both cores. Each prints its own figures; one that fails makes the run exit with 1. */
export function runStores(): void {
  for (const script of scripts) {
    console.log(`\n${script}`);
    // Seen from `dist`.
    const path = fileURLToPath(new URL(`../../../packages/${script}`, import.meta.url));
    const args = ['-c', '0,1', process.execPath, '--conditions=@halyard/source', path];
    const { status } = spawnSync('taskset', args, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
