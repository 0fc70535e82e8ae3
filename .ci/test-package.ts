// node ../../.ci/test-package.ts [path or option of Vitest …]: runs the quick tests of the package
// in the current folder, or only those of the given paths of it. Filters of Vitest are
// alternatives, so the folder is given only without a path.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const isPath = (arg: string): boolean => existsSync(resolve(arg));
const fromRoot = args.map((arg) => (isPath(arg) ? relative(root, resolve(arg)) : arg));
const filters = args.some(isPath) ? [] : [`${relative(root, process.cwd())}/`];

const { status } = spawnSync('pnpm', ['--workspace-root', 'test', ...filters, ...fromRoot], { stdio: 'inherit' });
process.exitCode = status ?? 1;
