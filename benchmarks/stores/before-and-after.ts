import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/*
 * Measures what executions cost with an older commit and with this one, in one run: each script first with the packages of the other work tree.
 * Run: node --conditions=@halyard/source benchmarks/stores/before-and-after.ts <directory of a work tree of the older commit, with its dependencies>
 */
const [before] = process.argv.slice(2);
if (before === undefined) throw new TypeError('Name the directory of a work tree of the older commit');
const root = join(import.meta.dirname, '../..');

for (const script of [
  'packages/memory-postgres/bench/execution-costs.ts',
  'packages/memory-postgres/bench/wal-of-steps.ts',
  'benchmarks/stores/idle-followers.ts',
  'packages/memory-postgres/bench/shared-backlog.ts',
]) {
  for (const TREE of [before, root]) {
    console.log(`\n${TREE === root ? 'after' : 'before'}: ${script}`);
    run([join(root, script)], { TREE });
  }
}
console.log('\nbefore and after: packages/memory-postgres/bench/replicas.ts');
run([join(root, 'packages/memory-postgres/bench/replicas.ts'), before], {});

function run(args: readonly string[], variables: Readonly<Record<string, string>>): void {
  const env = { ...process.env, ...variables };
  const { status } = spawnSync(process.execPath, ['--conditions=@halyard/source', ...args], { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
