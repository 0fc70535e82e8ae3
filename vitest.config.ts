import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/**
 * Servers that tests start as processes of their own load the sources three times as fast with it.
 */
const compileCache = fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));
const oldestAi = fileURLToPath(new URL('tests/providers/node_modules/ai-oldest', import.meta.url));

const folders = ['packages/*/{src,app}', 'examples/*/src', 'tests/*/src', 'tools/*', '.ci'];

/** The tests with a suffix in all folders. `CONTRIBUTING.md` explains the levels. */
function level(name: string, suffix: string, testTimeout: number): TestProjectInlineConfiguration {
  const include = folders.map((folder) => `${folder}/**/*.${suffix}.ts`);
  return { extends: true, test: { name, include, testTimeout, hookTimeout: testTimeout } };
}

/**
 * Files share the modules that they import: loading these took two thirds of the time. No test may
 * change a module.
 */
const shared = { isolate: false, pool: 'threads' } as const;
const quick = level('quick', 'test', 120_000);

/**
 * Fake timers replace the timers of a whole thread, also for a socket that an earlier file left
 * open. These files share threads with each other only.
 */
const withFakeTimers = globSync(quick.test?.include ?? [], { cwd: import.meta.dirname })
  .filter((file) => readFileSync(new URL(file, import.meta.url), 'utf8').includes('useFakeTimers'))
  .map((file) => file.replaceAll(sep, '/'));

/** The tests of routes whose executions can be in an engine, with that of `packages/engine-restate`. */
const engine = fileURLToPath(new URL('packages/engine-restate/src/testing/engine-of-tests.ts', import.meta.url));
const routes = 'packages/server-fastify/src/api/routes';

function onRestate(name: string, include: readonly string[]): TestProjectInlineConfiguration {
  const env = { HALYARD_ENGINE: engine };
  return {
    extends: true,
    test: { name, include: [...include], env, setupFiles: [engine], testTimeout: 240_000, hookTimeout: 240_000 },
  };
}

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    globalSetup: [fileURLToPath(new URL('.ci/end-children.ts', import.meta.url))],
    // Vitest stops polling after one second by default, which is too short on a busy machine.
    expect: { poll: { timeout: 100_000 } },
    // Vitest leaves one core free. Of two, it would use one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    env: { NODE_COMPILE_CACHE: compileCache },
    projects: [
      { ...quick, test: { ...quick.test, ...shared, exclude: [...configDefaults.exclude, ...withFakeTimers] } },
      { ...quick, test: { ...quick.test, name: 'quick, fake timers', include: withFakeTimers, ...shared } },
      {
        extends: true,
        // Agents, and the tests, run on the oldest version of the AI SDK that they support.
        resolve: { alias: [{ find: /^ai$/, replacement: oldestAi }] },
        test: {
          name: 'full, oldest AI SDK',
          include: ['tests/providers/src/parity/**/*.test.ts'],
          testTimeout: 120_000,
          ...shared,
        },
      },
      onRestate('full, Restate', [
        `${routes}/workflows/{events,reused-ids}.test.ts`,
        `${routes}/agents/durable-chat.test.ts`,
      ]),
      onRestate('campaign, Restate', [
        `${routes}/agents/{durable-chat,durable-chat-recovery,resume-executions}.test.ts`,
        `${routes}/approvals/approvals.test.ts`,
        `${routes}/executions/{bulk,execution-{control,owners,streams},executions,failure-reasons,reused-ids,users-replay}.test.ts`,
        `${routes}/workflows/{code-steps,concurrency,events,reused-ids,runs}.test.ts`,
      ]),
      level('full', 'full', 240_000),
      level('campaign', 'campaign', 3_600_000),
    ],
  },
});
