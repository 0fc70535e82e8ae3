import type { ExecutionStore } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MeasuredStorage, openMeasuredStorage } from '../../testing/measured-storage.ts';
import { createServerDatabase } from '../../testing/server-database.ts';

const lease = { runner: 'a runner', leaseMs: 60_000 };
const definitions = { order: 'order' };

describe('beside 5 000 executions that wait for a place of the same key', () => {
  let measured: MeasuredStorage;
  let executions: ExecutionStore;
  beforeAll(async () => {
    measured = await openMeasuredStorage(await createServerDatabase(), [fill]);
    ({ executions } = measured.storage);
  }, 60_000);
  afterAll(() => measured.close());

  it.each([
    ['a claim of one that must wait', undefined, () => executions.claim('new', lease)],
    ['a claim of the first in line', 'run-1', () => executions.claim('run-1', lease)],
    [
      'a termination, which wakes the next one',
      undefined,
      async () => void (await executions.terminate('anyone', 'run-1', {})),
    ],
    [
      'a claim of what is due',
      'run-2',
      async () => (await executions.claimNext(lease, { definitions, limit: 9 })).claimed[0],
    ],
  ])('%s reads a few', async (_what, id, work) => {
    const { rows } = await measured.readsOf(async () => expect((await work())?.execution.id).toBe(id));
    expect(rows).toBeLessThanOrEqual(60);
  });
});

/** The first in line is due: a place has become free for it. */
const fill = `
insert into halyard.executions (
  id, root_id, path, workflow_id, workflow_name, definition, status, request_id, created_at, updated_at, wants_runner_at,
  concurrency_key, concurrency_limit, waiting_since, seq, journal_position, metadata_digests, state, input, context, metadata)
select id, id, '', 'order', 'order', 'order', 'running', 'r', n, n, case when n <= 1 then n end,
  'eu', 1, case when n > 0 then n end, 0, 0, '{}', '{}', 'null', '{}', '{}'
from (select n, case when n = 0 then 'new' else 'run-' || n end as id from generate_series(0, 5000) as n) as one`;
