// pnpm test [path …] [vitest options]: the quick level. Without a path, it checks the types first.
import { spawnSync } from 'node:child_process';

const chosen = process.argv.slice(2);
const isWatching = chosen.some((argument) => argument === '--watch' || argument === '-w');
const isPartial = chosen.some((argument) => !argument.startsWith('-'));

if (!isWatching && !isPartial) run('turbo', ['run', 'build', 'types']);
run('vitest', [...(isWatching ? [] : ['run']), '--project=quick*', ...chosen]);

function run(command: string, options: readonly string[]): void {
  const { status, error } = spawnSync(command, options, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
