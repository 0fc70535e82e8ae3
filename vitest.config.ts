import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/src/**/*.test.ts', 'tests/*/**/*.test.ts'],
    testTimeout: 20_000,
  },
});
