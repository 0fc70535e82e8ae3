import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: {
    include: ['tools/mutation/src/session.ts'],
    // Vitest stops polling after one second by default, which is less than some tests of leases need.
    expect: { poll: { timeout: 20_000 } },
    runner: fileURLToPath(new URL('src/session-worker.ts', import.meta.url)),
  },
});
