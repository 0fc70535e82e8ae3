import { defineConfig } from 'vitest/config';

/** What builds the image, and runs it with a PostgreSQL server. */
export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['src/**/*.deploy.ts'],
    globalSetup: ['../../.ci/end-children.ts', 'src/deploy/image/global-image.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 300_000 } },
    fileParallelism: false,
  },
});
