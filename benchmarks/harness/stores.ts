import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The name that selects the database benchmarks with `--only`. */
export const storesId = 'stores';

const scripts = [
  'packages/memory-postgres/bench/durable-steps.ts',
  'packages/memory-postgres/bench/replicas.ts',
  'packages/memory-postgres/bench/text-with-memory.ts',
  'packages/memory-postgres/bench/many-messages.ts',
  'packages/memory-postgres/bench/execution-costs.ts',
  'packages/memory-postgres/bench/wal-of-steps.ts',
  'packages/memory-postgres/bench/shared-backlog.ts',
  'benchmarks/stores/idle-followers.ts',
  'benchmarks/stores/long-journals.ts',
  'benchmarks/stores/durable-chats.ts',
  'packages/memory-pgvector/bench/search.ts',
];

/**
 * Runs the database benchmarks one after the other on both cores. Each prints its own figures. If
 * one fails, the exit code is 1.
 */
export function runStores(): void {
  for (const script of scripts) {
    console.log(`\n${script}`);
    // Relative to `dist`, where this file is built to.
    const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
    const args = ['-c', '0,1', process.execPath, '--conditions=@halyard/source', path];
    const { status } = spawnSync('taskset', args, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
