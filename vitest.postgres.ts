import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const endChildren = fileURLToPath(new URL('.ci/end-children.ts', import.meta.url));
const sharedServer = fileURLToPath(new URL('packages/memory-postgres/src/testing/shared-server.ts', import.meta.url));

/**
 * What needs a PostgreSQL server. Test files share one, each with a database of its own; those that
 * stop or crash their server start another.
 */
export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.postgres.ts'],
    globalSetup: [endChildren, sharedServer],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Vitest stops polling after one second by default, which is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
