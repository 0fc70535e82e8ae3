import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@halyard/source'] },
  ssr: { resolve: { conditions: ['@halyard/source', 'node'] } },
  test: { include: ['src/**/*.browser.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
