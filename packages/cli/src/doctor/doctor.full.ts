import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppFolder } from '../testing/app-folder.ts';
import type { Check } from './check.ts';

let app: AppFolder;
beforeEach(() => {
  app = new AppFolder({ hasPackages: false });
});
afterEach(() => app.remove());

/** Installs packages, which contain nothing but what `package.json` says. */
function install(packages: Readonly<Record<string, object | undefined>>): void {
  for (const [path, manifest] of Object.entries(packages)) {
    if (manifest === undefined) continue;
    const name = path.split('node_modules/').at(-1);
    const content = JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...manifest });
    app.write(`node_modules/${path}/package.json`, content);
    app.write(`node_modules/${path}/index.js`, '');
  }
}

async function check(
  dependencies: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly checks: readonly Check[] }> {
  app.write(
    'package.json',
    JSON.stringify({ dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])) }),
  );
  const { code, stdout } = await app.run(['doctor', '--json'], { PORT: '0', ...env });
  return { code, checks: (JSON.parse(stdout) as { checks: readonly Check[] }).checks };
}

const complete = {
  '@halyard/core': { peerDependencies: { ai: '^7.0.0' }, dependencies: { '@ai-sdk/provider': '^4.0.0' } },
  '@halyard/console': {},
  '@ai-sdk/provider': { version: '4.0.38' },
  ai: { version: '7.0.173', peerDependencies: { zod: '^3.25.76 || ^4.1.8' } },
  zod: { version: '4.6.7' },
};

it('finds nothing to fix in a complete app, and exits with 0', async () => {
  install(complete);
  const { checks, code } = await check(['@halyard/core', 'ai']);
  expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(checks.map(({ id }) => id)).toEqual(['node', 'halyard-versions', 'packages', 'port']);
  expect(code).toBe(0);
});

it('prints each check with a mark, and the fix below it', async () => {
  install({ ...complete, zod: { version: '3.20.0' } });
  app.write('package.json', JSON.stringify({ dependencies: { '@halyard/core': '*', ai: '*' } }));
  const { code, stdout } = await app.run(['doctor'], { PORT: '0' });
  expect(stdout).toMatch(/^✓ Node \d/);
  expect(stdout).toContain(
    '✗ ai needs zod ^3.25.76 || ^4.1.8, but 3.20.0 is installed\n    npm install "zod@^4.1.8"\n',
  );
  expect(stdout).toMatch(/\n1 thing must be fixed\.\n$/);
  expect(code).toBe(1);
});

it.each([
  {
    what: 'packages of Halyard with different versions',
    packages: { '@halyard/console': { version: '0.9.0' } },
    dependencies: ['@halyard/console'],
    id: 'halyard-versions',
    fix: 'npm install @halyard/console@1.0.0',
  },
  {
    what: 'a missing peer',
    packages: { '@halyard/memory-postgres': { peerDependencies: { pg: '^8.16.0' } } },
    dependencies: ['@halyard/memory-postgres'],
    id: 'peer:pg',
    fix: 'npm install "pg@^8.16.0"',
  },
  {
    what: 'an old version of the AI SDK',
    packages: { ai: { version: '5.0.1' } },
    dependencies: [],
    id: 'peer:ai',
    fix: 'npm install "ai@^7.0.0"',
  },
  {
    what: 'a provider of an old version of the AI SDK',
    packages: {
      '@ai-sdk/xai': { version: '2.0.0', dependencies: { '@ai-sdk/provider': '^2.0.0' } },
      '@ai-sdk/xai/node_modules/@ai-sdk/provider': { version: '2.0.1' },
    },
    dependencies: ['@ai-sdk/xai'],
    id: 'provider:@ai-sdk/xai',
    fix: 'npm install @ai-sdk/xai@latest',
  },
  {
    what: 'a second copy of the AI SDK',
    packages: { own: { dependencies: { ai: '*' } }, 'own/node_modules/ai': { version: '7.0.1' } },
    dependencies: ['own'],
    id: 'copies:ai',
    fix: 'delete node_modules',
  },
  {
    what: 'a dependency that is not installed',
    packages: {},
    dependencies: ['fastify'],
    id: 'installed',
    fix: 'npm install',
  },
])('finds $what', async ({ dependencies, fix, id, packages }) => {
  install({ ...complete, ...packages });
  const { checks, code } = await check(['@halyard/core', 'ai', ...dependencies], { XAI_API_KEY: 'set' });
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([
    expect.objectContaining({ id, fix: expect.stringContaining(fix) as string }),
  ]);
  expect(code).toBe(1);
});

it('finds the key that a provider needs, also in .env', async () => {
  install({ ...complete, '@ai-sdk/openai': {} });
  const missing = await check(['@halyard/core', 'ai', '@ai-sdk/openai'], { OPENAI_API_KEY: ' ' });
  expect(missing.checks).toContainEqual({
    id: 'key:OPENAI_API_KEY',
    status: 'failed',
    message: 'OPENAI_API_KEY is not set, and @ai-sdk/openai reads it',
    fix: 'Add OPENAI_API_KEY=… to .env, or set it in the environment',
  });
  app.write('.env', 'OPENAI_API_KEY=sk-1\n');
  const found = await check(['@halyard/core', 'ai', '@ai-sdk/openai'], { OPENAI_API_KEY: undefined });
  expect(found.code).toBe(0);
  expect(JSON.stringify(found.checks)).not.toContain('sk-1');
});

it('finds a port that another program uses', async () => {
  install(complete);
  const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { checks } = await check(['@halyard/core', 'ai'], { PORT: String(port) });
  other.close();
  expect(checks.at(-1)).toMatchObject({
    id: 'port',
    status: 'failed',
    message: `Another program uses port ${port} on 127.0.0.1`,
  });
});

it('finds telemetry that is configured and not installed, and optional packages', async () => {
  const { '@halyard/console': _console, ...rest } = complete;
  install(rest);
  const { checks, code } = await check(['@halyard/core', 'ai'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  });
  expect(checks.slice(-2)).toMatchObject([
    { id: 'optional:@halyard/console', status: 'skipped', fix: 'npm install @halyard/console' },
    { id: 'optional:@halyard/telemetry', status: 'failed', fix: 'npm install @halyard/telemetry' },
  ]);
  expect(code).toBe(1);
});
