import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ExplainedStorage, openExplainedStorage } from '../testing/explained-storage.ts';

let planned: ExplainedStorage;
beforeAll(async () => {
  planned = await openExplainedStorage(backlog);
}, 60_000);
afterAll(() => planned.close());

it('reads what is due in the order of an index, without sorting the backlog', async () => {
  const plans = await planned.plansOf(() => planned.storage.executions.due(['order'], 100));
  expect(plans).toMatch(/Index Scan using executions_due_by_priority on executions e /);
  expect(plans).not.toMatch(/Sort Key: e\.wants_runner_at/);
});

it('steps over the backlog of one user to that of another', async () => {
  const { executions } = planned.storage;
  let users: readonly (string | null)[] = [];
  const plans = await planned.plansOf(async () => {
    users = (await executions.due(['order'], 100)).map(({ userId }) => userId);
  });
  expect(users.filter((userId) => userId === 'ada')).toHaveLength(1);
  expect(plans).toMatch(/Index Scan using executions_due_by_subject/);
});

/** Five thousand executions of a user that are due, and one of another user that became due last. */
const columns =
  'id, root_id, path, workflow_id, workflow_name, definition, subject, user_id, status, request_id, created_at, updated_at, wants_runner_at, seq, journal_position, metadata_digests, state, input, context, metadata';
const backlog = `
insert into halyard.executions (${columns})
select 'run-' || n, 'run-' || n, '', 'order', 'order', 'order', case when n = 5001 then 'ada' else 'eve' end, case when n = 5001 then 'ada' else 'eve' end, 'running', 'r', n, n, n, 0, 0, '{}', '{}', 'null', '{}', '{}'
from generate_series(1, 5001) as n`;
