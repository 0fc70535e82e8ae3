import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const endChildren = '../../.ci/end-children.ts';
const resolve = { conditions: ['@halyard/source'] };
const ssr = { resolve: { conditions: ['@halyard/source', 'node'] } };
// Vitest stops polling after one second by default, which is too short on a busy machine.
const timeouts = { testTimeout: 400_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };
/** The files of a process share its browser, and the modules that they import. */
const shared = { isolate: false, ...timeouts };

/** The pages of the console whose answers come from a store. */
const ofStores = [
  'agents',
  'approvals',
  'audit',
  'conversations',
  'keyboard',
  'overview',
  'palette',
  'playground',
  'system',
  'tools',
  'traces',
  'trial',
  'users',
  'workflow-runs',
  'workflows',
];

/**
 * All tests run with storage in memory. The campaign repeats those of the console with a PostgreSQL
 * server, which is started for them: that both storages give the same replies is what the
 * conformance cases and the tests of the routes show.
 */
export default defineConfig({
  test: {
    // Vitest leaves one core free. Of two, it would use one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        resolve,
        ssr,
        test: { name: 'in memory', include: ['src/**/*.browser.ts'], globalSetup: [endChildren], ...shared },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'PostgreSQL',
          include: [`src/console-{${ofStores.join(',')}}.browser.ts`],
          globalSetup: [endChildren, 'src/start-postgres.ts'],
          ...shared,
        },
      },
    ],
  },
});
