import { defineConfig } from 'vitest/config';

/** What needs a PostgreSQL server: the tests of a package start and stop their own. */
export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['src/**/*.postgres.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Vitest stops polling after one second by default, which is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
