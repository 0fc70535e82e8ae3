import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./cli.ts', import.meta.url));
/** No test downloads packages. */
const noRegistry = {
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
  npm_config_offline: 'false',
};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-halyard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program without a terminal. */
async function create(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '', GOOGLE_GENERATIVE_AI_API_KEY: '', ...noRegistry },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, output: stdout + stderr };
}

it('asks nothing without a terminal, and names the next steps', async () => {
  const { code, output } = await create('shop', '--no-install', '--package-manager', 'pnpm');
  expect(code).toBe(0);
  expect(output).toMatch(/cd shop[^]*pnpm install[^]*pnpm run dev/);
  expect(readdirSync(folder)).toEqual(['shop']);
  expect(readdirSync(join(folder, 'shop'))).toContain('package.json');
  expect(statSync(join(folder, 'shop/.env')).mode & 0o777).toBe(0o600);
});

it('creates an app in the current folder, which may be a repository', async () => {
  mkdirSync(join(folder, 'shop/.git'), { recursive: true });
  const { code } = await create('shop', '--no-install');
  expect(code).toBe(0);
  expect(readdirSync(join(folder, 'shop'))).toEqual(expect.arrayContaining(['.git', 'src']));
});

it('refuses a folder that is not empty, and leaves it as it is', async () => {
  mkdirSync(join(folder, 'shop'));
  writeFileSync(join(folder, 'shop/notes.txt'), 'mine');
  const { code, output } = await create('shop', '--yes');
  expect(code).toBe(1);
  expect(output).toContain('shop is not empty: it contains notes.txt.');
  expect(readdirSync(join(folder, 'shop'))).toEqual(['notes.txt']);
});

it.each([
  { name: 'My Shop', message: 'such as my-shop' },
  { name: '../up/.hidden', message: 'such as hidden' },
  { name: 'node_modules', message: 'such as my-app' },
])('refuses the name $name', async ({ message, name }) => {
  const { code, output } = await create(name, '--no-install');
  expect(code).toBe(1);
  expect(output).toContain(message);
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves nothing when it cannot write', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { code, output } = await create('file/shop', '--no-install');
  expect(code).toBe(1);
  expect(output).toContain('The app cannot be written');
  expect(readdirSync(folder)).toEqual(['file']);
});

it('keeps the app if its dependencies cannot be installed, and says so', async () => {
  const { code, output } = await create('shop', '--package-manager', 'npm', '--yes');
  expect(code).toBe(1);
  expect(output).toContain('The app is complete. Run "npm install" again.');
  expect(readdirSync(folder)).toContain('shop');
});

it('adds parts, changes no file, and names the remaining steps', async () => {
  await create('shop', '--no-install', '--storage', 'none');
  const app = join(folder, 'shop');
  rmSync(join(app, 'Dockerfile'));
  writeFileSync(join(app, 'AGENTS.md'), 'mine');
  const before = readFileSync(join(app, 'package.json'), 'utf8');

  const { code, output } = await create(
    'shop',
    '--package-manager',
    'npm',
    '--add',
    'auth-jwt,postgres,docker,agents-md',
  );

  expect(code).toBe(0);
  expect(output).toMatch(/Written:[^]*src\/auth\.ts[^]*compose\.yaml[^]*Dockerfile/);
  expect(output).toMatch(/Not changed, because they exist:[^]*src\/storage\.ts[^]*AGENTS\.md/);
  expect(output).toContain(
    'npm install --save-exact @halyard/auth-jwt@0.0.0 @halyard/memory-postgres@0.0.0 pg@^8.23.1',
  );
  expect(output).toContain('createServer({ …, auth: createAuth() })');
  expect(readFileSync(join(app, 'AGENTS.md'), 'utf8')).toBe('mine');
  expect(readFileSync(join(app, 'package.json'), 'utf8')).toBe(before);
  expect(readFileSync(join(app, 'Dockerfile'), 'utf8')).toContain('npm ci --omit=dev');
});

it('adds nothing to a folder without an app', async () => {
  writeFileSync(join(folder, 'package.json'), '{}');
  const { code, output } = await create('--add', 'docker');
  expect(code).toBe(1);
  expect(output).toContain('does not depend on @halyard/core');
  expect(readdirSync(folder)).toEqual(['package.json']);
});

it('shows its options and its version', async () => {
  expect((await create('--help')).output).toContain('--package-manager <name>');
  expect((await create('--version')).output).toBe('0.0.0\n');
});
