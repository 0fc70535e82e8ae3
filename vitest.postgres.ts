import { defineConfig } from 'vitest/config';

/** What needs a PostgreSQL server: the tests of a package start and stop their own. */
export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['src/**/*.postgres.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Vitest waits one second, which a busy machine needs for what takes half of it.
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
