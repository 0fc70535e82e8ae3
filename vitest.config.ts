import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'tests/*/**/*.test.ts'],
    // What hangs is to fail, but not what is slow on a machine that has others to serve.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
