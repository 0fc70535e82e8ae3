import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Servers that tests start as processes of their own load the sources three times as fast with it. */
const compileCache = fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));
const oldestAi = fileURLToPath(new URL('tests/parity/node_modules/ai-oldest', import.meta.url));

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    testTimeout: 20_000,
    // Vitest stops polling after one second by default, which is too short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    // Vitest leaves one core free. Of two, it would use one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    env: { NODE_COMPILE_CACHE: compileCache },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/console/app/**/*.test.ts',
            'examples/*/src/**/*.test.ts',
            'tests/*/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        // Agents, and the tests, run on the oldest version of the AI SDK that they support.
        resolve: { alias: [{ find: /^ai$/, replacement: oldestAi }] },
        test: { name: 'oldest AI SDK', include: ['tests/parity/src/**/*.test.ts'] },
      },
    ],
  },
});
