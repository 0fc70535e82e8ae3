import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const oldestAi = fileURLToPath(new URL('tests/parity/node_modules/ai-oldest', import.meta.url));

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'tests/*/**/*.test.ts'],
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
