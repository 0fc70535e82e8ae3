import { type CreateOptions, type ExecutionStore, silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { openExplainedStorage, type ExplainedStorage } from '../testing/explained-storage.ts';
import { createServerDatabase } from '../testing/server-database.ts';

/**
 * Every query must use an index. The tables have 10 000 executions, 1 000 of them sub-workflows, 30
 * 000 events of their own, and 10 000 published events.
 */
describe('query plans of executions', () => {
  let planned: ExplainedStorage;
  let storage: Storage;
  beforeAll(async () => {
    planned = await openExplainedStorage(keysAfterFill + fill);
    ({ storage } = planned);
  });
  afterAll(() => planned.close());

  const anyone = 'anyone';
  const page = { parentExecutionId: null, limit: 20, offset: 0 };
  const start = (id: string, options: Partial<CreateOptions>): Promise<unknown> => {
    const fields = { input: null, context: {}, workflowState: {}, metadata: {}, events: [] };
    return storage.executions.create(
      { id, workflowId: 'order', workflowName: 'order', ...fields },
      { requestId: id, ...options },
    );
  };
  const keys = ['["user",null,"user-7"]'];
  const reads: readonly (readonly [name: string, index: string, work: () => Promise<unknown>])[] = [
    ['find', 'executions_id_key', () => storage.executions.find(anyone, 'run-77')],
    ['journal', 'execution_journal_pkey', () => storage.executions.journal(anyone, 'run-77')],
    ['events', 'execution_events_pkey', () => storage.executions.events(anyone, 'run-77', { after: 1, limit: 50 })],
    [
      'events of one creation',
      'execution_events_pkey',
      () => storage.executions.events(anyone, 'run-77', { after: 0, limit: 50, creationId: 'run-77' }),
    ],
    ['histories', 'execution_events_pkey', () => storage.executions.histories(anyone, ['run-77', 'run-78'], 50)],
    ['list roots', 'executions_newest', () => storage.executions.list(anyone, page)],
    [
      'list roots of a workflow',
      'executions_of_workflow',
      () => storage.executions.list(anyone, { ...page, workflowId: 'w-3' }),
    ],
    [
      'list roots with a status',
      'executions_of_status',
      () => storage.executions.list(anyone, { ...page, status: 'error' }),
    ],
    [
      'list roots of a workflow with a status',
      'executions_of_workflow_and_status',
      () => storage.executions.list(anyone, { ...page, workflowId: 'w-3', status: 'running' }),
    ],
    ['list roots after one', 'executions_newest', () => storage.executions.list(anyone, { ...page, after: 'run-77' })],
    [
      'list roots of a workflow after one',
      'executions_of_workflow',
      () => storage.executions.list(anyone, { ...page, workflowId: 'w-37', after: 'run-77' }),
    ],
    ['list roots of a user', 'executions_of_user', () => storage.executions.list({ user: 'user-5' }, page)],
    [
      'list roots of a time range',
      'executions_newest',
      () => storage.executions.list(anyone, { ...page, from: 9_000_000, to: 9_010_000 }),
    ],
    [
      'list roots with metadata',
      'executions_with_metadata',
      () => storage.executions.list(anyone, { ...page, metadata: { tenant: 't' } }),
    ],
    [
      'list sub-workflows',
      'executions_of_parent',
      () => storage.executions.list(anyone, { ...page, parentExecutionId: 'run-70' }),
    ],
    ['backlog', 'executions_due_by_priority', () => storage.executions.backlog(['w-3', 'w-4'], 100)],
    ['supersede', 'executions_of_singleton', () => storage.executions.supersede('run-9000', 'replaced')],
    ['supersede', 'executions_debounced', () => storage.executions.supersede('run-9000', 'replaced')],
    ['skip a start', 'executions_of_singleton', () => start('a', { singleton: { key: 's-3', onBusy: 'skip' } })],
    ['throttle', 'executions_throttled', () => start('b', { throttle: { key: 't-3', limit: 5, periodMs: 1_000 } })],
    ['debounce', 'executions_debounced', () => start('c', { debounce: { key: 'd-3', delayMs: 1_000 } })],
    ['dueElsewhere', 'executions_due_by_priority', () => storage.executions.dueElsewhere(['w-3'], ['w-3'], 10)],
    [
      'list some by id',
      'executions_id_key',
      () => storage.executions.list(anyone, { ...page, ids: ['run-70', 'run-71'] }),
    ],
    [
      'list the quarantined',
      'executions_quarantined',
      () => storage.executions.list(anyone, { ...page, isQuarantined: true }),
    ],
    ['claim', 'executions_id_key', () => storage.executions.claim('run-78', { runner: 'a', leaseMs: 60_000 })],
    [
      'claim with a limit',
      'executions_with_place',
      () => storage.executions.claim('run-28', { runner: 'a', leaseMs: 1 }),
    ],
    [
      'claim with a limit',
      'executions_waiting',
      () => storage.executions.claim('run-228', { runner: 'a', leaseMs: 1 }),
    ],
    [
      'renew',
      'executions_of_runner',
      () => storage.executions.renew([{ executionId: 'run-78', epoch: 2 }], { runner: 'a', leaseMs: 1_000 }),
    ],
    ['backlog', 'executions_of_runner', () => storage.executions.backlog(['w-3', 'w-4'], 100)],
    [
      'resume',
      'executions_id_key',
      () => storage.executions.resume(anyone, { executionId: 'run-78', suspensionId: 's', data: 1, requestId: 'r' }),
    ],
    [
      'request',
      'executions_id_key',
      () => storage.executions.request(anyone, 'run-79', { kind: 'cancel', reason: '' }),
    ],
    [
      'rewind',
      'executions_id_key',
      () =>
        storage.executions.rewind(anyone, {
          executionId: 'run-80',
          expectedSeq: 3,
          expectedSignals: 0,
          paths: ['a'],
          entries: [],
        }),
    ],
    ['purge', 'executions_ended', () => storage.executions.purge(1_000, 10)],
    ['purge', 'deleted_executions_pkey', () => storage.executions.purge(1e12, 10)],
    ['purge events', 'published_events_age', () => storage.executions.purgeEvents(1_000, 10)],
    [
      'publish',
      'executions_of_event',
      () => storage.executions.publish(anyone, { id: 'new', name: 'paid', key: 'k', requestId: 'new', payload: null }),
    ],
    ['deliverPending', 'published_events_pending', () => storage.executions.deliverPending(10)],
    ['consume an approval', 'approvals_pkey', () => storage.approvals.consume('approval-7', 9e15)],
    ['find an approval', 'open_approvals_pkey', () => storage.approvals.find('approval-7')],
    ['decisions about an approval', 'approval_decisions_pkey', () => storage.approvals.decisions('approval-7')],
    ['list open approvals', 'open_approvals_of_approvers', () => storage.approvals.listOpen(keys, 10)],
    [
      'list of approvers',
      'executions_of_approvers',
      () => storage.executions.list(anyone, { ...page, approverKeys: keys }),
    ],
    ['purge approvals', 'approvals_expired', () => storage.approvals.purge(5)],
  ];

  it.each(reads)('%s uses %s', async (_name, index, work) => {
    const plans = await planned.plansOf(work);
    expect(plans).toContain(index);
    expect(plans.match(/Seq Scan on \w+/g) ?? []).toEqual([]);
  });

  it('reads only the place of the executions that an offset skips', async () => {
    const plans = await planned.plansOf(() => storage.executions.list(anyone, { ...page, offset: 5_000 }));
    expect(plans).toMatch(/CTE found\n +->  Limit {2}\(.*width=16\)/);
  });

  it('counts no further than `maxTotal`', async () => {
    const plans = await planned.plansOf(() => storage.executions.list(anyone, { ...page, maxTotal: 100 }));
    expect(plans).toMatch(/Limit {2}\(.*rows=100 /);
  });

  it('reads no more events than the limit, whatever the plan', async () => {
    const plans = await planned.plansOf(() => storage.executions.events(anyone, 'run-90', { after: 1, limit: 50 }));
    expect(plans).toMatch(/Index Cond: \(\(execution_key = .+\) AND \(seq > 1\) AND \(seq <= 51\)\)/);
  });

  it('reads the events of a page by a plan that PostgreSQL does not compile first', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index + 100}`);
    const plans = await planned.plansOf(() => storage.executions.histories(anyone, ids, 50, 4_000_000));
    const costs = [...plans.matchAll(/cost=[\d.]+\.\.([\d.]+)/g)].map(([, cost]) => Number(cost));
    const jitAboveCost = 100_000;
    expect(Math.max(...costs)).toBeLessThan(jitAboveCost);
    expect(plans).toContain('CTE v');
  });

  it('reads neither events of other users nor earlier ones for a new wait', async () => {
    const claimed = await storage.executions.claim('run-138', { runner: 'a', leaseMs: 60_000 });
    const { creationId = '', epoch = 0, seq = 0 } = claimed?.execution ?? {};
    const wait = {
      path: 'w',
      stepId: 'w',
      stepIndex: 0,
      executionId: 'run-138',
      kind: 'event',
      reason: 'waits',
    } as const;
    const plans = await planned.plansOf(() =>
      storage.executions.commit({
        executionId: 'run-138',
        creationId,
        epoch,
        commitId: 'c',
        expectedSeq: seq,
        entries: [],
        changes: [],
        settled: [],
        suspensions: [{ ...wait, id: '1', suspendedAt: 1, event: { name: 'paid', key: null, from: 'owner' } }],
        timers: [],
      }),
    );
    const channel = String.raw`\(channel = .+\) AND`;
    const since = String.raw`\(published_at >= `;
    expect(plans).toMatch(new RegExp(String.raw`published_events_of_anyone .+\n +Index Cond: \(${channel} ${since}`));
    expect(plans).toMatch(
      new RegExp(String.raw`published_events_of_user .+\n +Index Cond: \(${channel} \(user_id = .+\) AND ${since}`),
    );
    expect(plans).not.toMatch(/Sort {2}.+\n.+\n +->  Index Scan using published_events/);
  });

  it("commit uses the index on the root's id", async () => {
    const claimed = await storage.executions.claim('run-88', { runner: 'a', leaseMs: 60_000 });
    const { creationId = '', epoch = 0, seq = 0 } = claimed?.execution ?? {};
    const nothing = { settled: [], suspensions: [], timers: [] };
    const plans = await planned.plansOf(() =>
      storage.executions.commit({
        executionId: 'run-88',
        creationId,
        epoch,
        commitId: 'c',
        expectedSeq: seq,
        entries: [entry],
        changes: [{ id: 'run-88', events: [event] }],
        ...nothing,
      }),
    );
    expect(plans).toContain('executions_id_key');
    expect(plans).toContain('executions_pkey');
    expect(plans.match(/Seq Scan on \w+/g) ?? []).toEqual([]);
  });
});

it('claims and commits by indexes when their plans were made for empty tables', async () => {
  const planned = await openExplainedStorage('');
  onTestFinished(() => planned.close());
  const { executions } = planned.storage;
  await planned.pool.query(keysAfterFill);
  for (let time = 1; time <= 12; time += 1) await runOnce(executions, `early-${time}`);
  await planned.pool.query(fill);

  const plans = await planned.plansOf(() => runOnce(executions, 'late'));

  expect(plans).toContain('executions_id_key');
  expect(plans.match(/Seq Scan on \w+/g) ?? []).toEqual([]);
});

it('searches the index of ids, also by plans that were made before the tables were analyzed', async () => {
  const server = await createServerDatabase();
  onTestFinished(() => server.remove());
  const storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
  for (let time = 1; time <= 100; time += 1) await runOnce(storage.executions, `run-${time}`);
  // The server counts a connection's reads when it is closed.
  await storage.close();
  const [counts] = await server.query(
    `select idx_scan::integer as searches, idx_tup_read::integer as entries from pg_stat_user_indexes where indexrelname = 'executions_id_key'`,
  );
  const { entries, searches } = counts as { readonly entries: number; readonly searches: number };
  expect(searches).toBeGreaterThan(500);
  expect(entries).toBeLessThan(2 * searches);
});

/** With a second claim, which also reads the journal and the sub-workflows. */
async function runOnce(store: ExecutionStore, id: string): Promise<void> {
  const fields = {
    workflowId: 'order',
    workflowName: 'order',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
  };
  const child = { ...fields, parentExecutionId: id, path: 'a' };
  await store.create({ ...fields, id, events: [] }, { requestId: id });
  for (const claim of [1, 2]) {
    const claimed = await store.claim(id, { runner: 'a', leaseMs: 0 });
    const changes = [{ id: `${id}-child`, ...(claim === 1 && { created: child }), events: [event] }];
    await store.commit({
      executionId: id,
      creationId: id,
      epoch: claim,
      commitId: `${claim}`,
      expectedSeq: claimed?.execution.seq ?? 0,
      entries: [{ ...entry, path: `a-${claim}` }],
      changes: [{ id, events: [event] }, ...changes],
      checkpoint: { entries: ['a-1'], children: [], data: null },
      settled: ['a'],
      suspensions: [],
      timers: [],
    });
  }
}

/** So long that it is stored once. */
const output = 'x'.repeat(2_000);
const event = { type: 'step-complete', from: 'a', timestamp: '', output };
const entry = { path: 'a', type: 'step', status: 'success', output, attempts: 1, startedAt: 1, endedAt: 2 } as const;

const columns =
  'key, id, parent_id, root_key, root_id, path, workflow_id, workflow_name, user_id, status, request_id, created_at, updated_at, ended_at, wants_runner_at, seq, journal_position, metadata_digests, state, input, context, metadata';
/** The rows of `fill` have keys of their own. */
const keysAfterFill = 'alter table halyard.executions alter key restart with 1000000;';
const fill = `
insert into halyard.executions (${columns})
select n, 'run-' || n, null, null, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 500, case when n % 10 < 8 then 'completed' when n % 10 = 8 then 'running' else 'error' end,
  'r', n * 1000, n * 1000, case when n % 10 <> 8 then n * 1000 end, case when n % 10 = 8 then n * 1000 end, 3, 3,
  case when n % 9 = 0 then array['digest-' || n % 300] else '{}' end, '{}', to_json(repeat('x', 300))::text, '{}', '{}'
from generate_series(1, 9000) as n;
insert into halyard.executions (${columns})
select e.key + 9000, 'child-' || e.key, e.id, e.key, e.id, 'sub', 'w-1', 'W', null, 'completed', null, e.created_at, e.created_at, e.created_at, null, 0, 0, '{}', '{}', 'null', '{}', '{}'
from halyard.executions e where e.key <= 1000;
update halyard.executions set concurrency_key = 'k-' || key % 7, concurrency_limit = 1000, priority = key % 3 where key % 100 = 28;
update halyard.executions set waiting_since = created_at, wants_runner_at = null where concurrency_key is not null and key % 200 = 128;
insert into halyard.runners (name, since, lease_until) select 'runner-' || n, 0, case when n < 9 then 9e15 else 0 end from generate_series(0, 9) as n;
update halyard.executions set runner = 'runner-' || key / 10 % 10, runner_key = 1 + key / 10 % 10 where wants_runner_at is not null and key % 50 = 8;
update halyard.executions set singleton_key = 's-' || key % 50, throttle_key = 't-' || key % 50, throttled_at = created_at, debounce_key = 'd-' || key % 50, debounced_since = created_at where parent_id is null;
insert into halyard.execution_events select key, n, '{}' from halyard.executions, generate_series(1, 3) as n on conflict do nothing;
insert into halyard.execution_journal select key, n, 'a', '{}' from halyard.executions, generate_series(1, 3) as n on conflict do nothing;
insert into halyard.execution_events select 100000 + n, 1, '{}' from generate_series(1, 40000) as n;
insert into halyard.execution_journal select 100000 + n, 1, 'a', '{}' from generate_series(1, 40000) as n;
insert into halyard.deleted_executions select 100000 + n from generate_series(1, 10) as n;
insert into halyard.published_events (id, user_id, request_id, channel, payload, published_at, deliver_at, is_pending)
select 'event-' || n, 'user-' || n % 500, 'r-' || n, 'paid', 'null', n, 0, n % 1000 = 0 from generate_series(1, 10000) as n;
insert into halyard.event_deliveries select key, 1, 'a' from halyard.executions;
insert into halyard.execution_checkpoints select key, 1, '{}', 'null' from halyard.executions on conflict do nothing;
insert into halyard.approvals select 'approval-' || n, n from generate_series(1, 10000) as n;
insert into halyard.open_approvals select 'approval-' || n, 'user-' || n % 500, array['["user",null,"user-' || n % 900 || '"]'], n, 9e15, '{}' from generate_series(1, 10000) as n;
insert into halyard.approval_decisions select 'approval-' || n, 9e15, '[]' from generate_series(1, 10000) as n;
update halyard.executions set approver_keys = array['["user",null,"user-' || key % 900 || '"]'] where key % 10 = 0 and parent_id is null;
`;
