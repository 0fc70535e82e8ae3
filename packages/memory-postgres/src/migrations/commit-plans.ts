import type { Migration } from './migration.ts';

/**
 * The plans of commits are kept for a connection. One that was made for a few hundred executions compared the sub-workflows of a commit with the whole index of ids: it read more with each execution until
 * the table was analyzed. A nested loop that keeps nothing can only search the index for each sub-workflow.
 */
export const commitPlans: Migration = {
  number: 20,
  name: 'commit-plans',
  sql: (schema) => `
alter function ${schema}.commit_executions(jsonb, bigint)
  set enable_hashjoin = off set enable_mergejoin = off set enable_material = off;`,
};
