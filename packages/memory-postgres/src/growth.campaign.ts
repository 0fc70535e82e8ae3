import type { ConversationFilter, ExecutionFilter, Storage, TelemetryStore } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { growthFill, stored } from './testing/growth-fill.ts';
import { type MeasuredStorage, openMeasuredStorage, type Reads } from './testing/measured-storage.ts';
import { startPostgresServer } from './testing/postgres-server.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The rows that a statement may read however much is stored. The tables have 40 days of {@link
 * stored}.
 */
describe('what statements read of 200 000 executions, 500 000 messages and a million spans', () => {
  let measured: MeasuredStorage;
  let storage: Storage;
  let telemetry: TelemetryStore;
  const now = Math.floor(Date.now() / dayMs) * dayMs;
  const start = now - stored.days * dayMs;
  beforeAll(async () => {
    measured = await openMeasuredStorage(await startPostgresServer({ fsync: false }), growthFill(now));
    ({ storage } = measured);
    if (storage.telemetry === undefined) expect.fail('the storage has no telemetry store');
    ({ telemetry } = storage);
  }, 600_000);
  afterAll(() => measured.close());

  const anyone = 'anyone';
  const user = { user: 'user-7' };
  const page = { limit: 20, offset: 0 };

  const executions =
    (filter: Partial<ExecutionFilter>, owner: typeof user | typeof anyone = anyone) =>
    () =>
      storage.executions.list(owner, { ...page, parentExecutionId: null, maxBytes: 4_000_000, ...filter });
  const conversations =
    (filter: Partial<ConversationFilter>, owner: typeof user | typeof anyone = anyone) =>
    () =>
      storage.conversations.list(owner, { ...page, orderBy: 'updatedAt', direction: 'desc', ...filter });
  const ids = Array.from({ length: 20 }, (_, index) => `run-${index + 190_000}`);
  const agent = { ...page, entityType: 'agent', entityId: 'agent-7' };
  const metrics = (groupBy: 'agent' | 'user', days: number) => ({
    from: now - days * dayMs,
    to: now,
    intervalMs: hourMs,
    groupBy,
    maxGroups: 10,
  });
  const definitions = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`w-${n}`, `w-${n}`]));

  const statements: readonly (readonly [name: string, most: Reads, work: () => Promise<unknown>])[] = [
    ['list', { rows: 15_000, pages: 400 }, executions({})],
    ['list without a total', { rows: 80, pages: 300 }, executions({ maxTotal: 0 })],
    ['list of a workflow', { rows: 15_000, pages: 450 }, executions({ workflowId: 'w-3' })],
    ['list with a status', { rows: 5_500, pages: 350 }, executions({ status: 'error' })],
    ['list with the most frequent status', { rows: 15_000, pages: 500 }, executions({ status: 'completed' })],
    ['list with a status that none has', { rows: 20, pages: 40 }, executions({ status: 'suspended' })],
    [
      'list of a workflow with a status',
      { rows: 3_000, pages: 350 },
      executions({ workflowId: 'w-0', status: 'error' }),
    ],
    ['list of a user', { rows: 350, pages: 300 }, executions({ userId: 'user-7' })],
    ['list of an owner', { rows: 350, pages: 300 }, executions({}, user)],
    ['list of a workflow of an owner', { rows: 1_500, pages: 1_500 }, executions({ workflowId: 'w-7' }, user)],
    ['list of a user with a status', { rows: 1_500, pages: 1_500 }, executions({ userId: 'user-7', status: 'error' })],
    ['list of an old day', { rows: 6_500, pages: 350 }, executions({ from: start, to: start + dayMs })],
    ['list after one', { rows: 80, pages: 300 }, executions({ after: 'run-100000', maxTotal: 0 })],
    ['list with metadata', { rows: 20, pages: 40 }, executions({ metadata: { tenant: 't' } })],
    ['list without some workflows', { rows: 15_000, pages: 2_000 }, executions({ exceptWorkflowIds: ['w-1', 'w-2'] })],
    ['list of sub-workflows', { rows: 20, pages: 40 }, executions({ parentExecutionId: 'run-20' })],
    ['list of the quarantined', { rows: 350, pages: 300 }, executions({ isQuarantined: true })],
    ['list of some ids', { rows: 100, pages: 600 }, executions({ ids })],
    ['find', { rows: 20, pages: 40 }, () => storage.executions.find(user, 'run-7')],
    ['histories', { rows: 150, pages: 850 }, () => storage.executions.histories(anyone, ids, 50, 4_000_000)],
    [
      'events',
      { rows: 20, pages: 40 },
      () => storage.executions.events(anyone, 'run-77', { after: 0, limit: 500, maxBytes: 1e6 }),
    ],
    ['journal', { rows: 20, pages: 40 }, () => storage.executions.journal(anyone, 'run-77')],
    ['executions elsewhere', { rows: 350, pages: 350 }, () => storage.executions.dueElsewhere(['w-3'], ['w-3'], 10)],
    [
      'claimNext',
      { rows: 8_000, pages: 25_000 },
      () => storage.executions.claimNext({ runner: 'a', leaseMs: 9e9 }, { definitions, limit: 10 }),
    ],
    ['deliverPending', { rows: 50, pages: 500 }, () => storage.executions.deliverPending(10)],
    ['purge', { rows: 15_000, pages: 45_000 }, () => storage.executions.purge(39 * dayMs, 500)],
    ['purgeEvents', { rows: 1_500, pages: 4_500 }, () => storage.executions.purgeEvents(39 * dayMs, 500)],
    ['conversations', { rows: 30_000, pages: 200 }, conversations({})],
    ['conversations by title', { rows: 30_000, pages: 250 }, conversations({ orderBy: 'title' })],
    [
      'conversations by creation',
      { rows: 30_000, pages: 200 },
      conversations({ orderBy: 'createdAt', direction: 'asc' }),
    ],
    ['conversations of a user', { rows: 100, pages: 150 }, conversations({ userId: 'user-7' })],
    ['conversations of a resource', { rows: 5_500, pages: 200 }, conversations({ resourceId: 'r-3' })],
    ['conversations of an owner and a resource', { rows: 150, pages: 200 }, conversations({ resourceId: 'r-2' }, user)],
    ['find a conversation', { rows: 20, pages: 40 }, () => storage.conversations.find(user, 'c-7')],
    ['messages', { rows: 30, pages: 45 }, () => storage.conversations.messages(anyone, 'c-7', { limit: 20 })],
    ['count messages', { rows: 35, pages: 40 }, () => storage.conversations.countMessages(anyone, 'c-7', 1e15)],
    ['messages that wait', { rows: 150, pages: 350 }, async () => storage.conversations.listWaiting?.(anyone, 50)],
    ['traces', { rows: 200, pages: 250 }, () => telemetry.listTraces(anyone, page)],
    ['traces of an entity', { rows: 30_000, pages: 1_000 }, () => telemetry.listTraces(anyone, agent)],
    [
      'traces of a type',
      { rows: 300_000, pages: 20_000 },
      () => telemetry.listTraces(anyone, { ...page, entityType: 'agent' }),
    ],
    [
      'traces with a status',
      { rows: 300_000, pages: 20_000 },
      () => telemetry.listTraces(anyone, { ...page, status: 'ok' }),
    ],
    ['traces of a user', { rows: 1_500, pages: 2_000 }, () => telemetry.listTraces(user, page)],
    [
      'traces since a time',
      { rows: 300_000, pages: 3_500 },
      () => telemetry.listTraces(anyone, { ...page, from: start }),
    ],
    [
      'traces with a text',
      { rows: 5_000, pages: 30_000 },
      () => telemetry.listTraces(anyone, { ...page, text: 'lamp' }),
    ],
    ['a trace', { rows: 20, pages: 75 }, () => telemetry.findTrace(user, 't-7')],
    ['a span', { rows: 20, pages: 150 }, () => telemetry.findSpan(anyone, 't-77777-2')],
    ['runs', { rows: 30_000, pages: 1_500 }, () => telemetry.listSpans(anyone, agent)],
    ['runs of a user', { rows: 1_500, pages: 7_500 }, () => telemetry.listSpans(user, { ...agent, userId: 'user-7' })],
    ['logs', { rows: 200, pages: 450 }, () => telemetry.listLogs(anyone, page)],
    [
      'logs of an agent',
      { rows: 30_000, pages: 1_500 },
      () => telemetry.listLogs(anyone, { ...page, agentId: 'agent-7' }),
    ],
    [
      'logs of a workflow',
      { rows: 15_000, pages: 950 },
      () => telemetry.listLogs(anyone, { ...page, workflowId: 'w-7' }),
    ],
    [
      'logs of an execution',
      { rows: 20, pages: 550 },
      () => telemetry.listLogs(anyone, { ...page, executionId: 'run-7' }),
    ],
    [
      'logs of a conversation',
      { rows: 30, pages: 650 },
      () => telemetry.listLogs(anyone, { ...page, conversationId: 'c-7' }),
    ],
    ['logs of a trace', { rows: 20, pages: 550 }, () => telemetry.listLogs(anyone, { ...page, traceId: 't-7' })],
    ['logs of a span', { rows: 20, pages: 550 }, () => telemetry.listLogs(anyone, { ...page, spanId: 't-7-1' })],
    ['logs of a user', { rows: 350, pages: 850 }, () => telemetry.listLogs(user, page)],
    ['severe logs', { rows: 15_000, pages: 2_000 }, () => telemetry.listLogs(anyone, { ...page, minSeverity: 17 })],
    [
      'logs of a rare severity',
      { rows: 5_500, pages: 1_000 },
      () => telemetry.listLogs(anyone, { ...page, severityText: 'ERROR' }),
    ],
    [
      'logs of a severity that none has',
      { rows: 20, pages: 200 },
      () => telemetry.listLogs(anyone, { ...page, severityText: 'FATAL' }),
    ],
    [
      'logs of a severity',
      { rows: 300_000, pages: 15_000 },
      () => telemetry.listLogs(anyone, { ...page, minSeverity: 9 }),
    ],
    ['logs with a text', { rows: 15_000, pages: 3_000 }, () => telemetry.listLogs(anyone, { ...page, text: 'lamp' })],
    ['logs since a time', { rows: 300_000, pages: 15_000 }, () => telemetry.listLogs(anyone, { ...page, from: start })],
    ['counts', { rows: 150, pages: 40 }, () => telemetry.counts()],
    ['metrics of agents', { rows: 30_000, pages: 4_500 }, () => telemetry.metrics(anyone, metrics('agent', 14))],
    ['metrics of users', { rows: 2_000, pages: 600 }, () => telemetry.metrics(anyone, metrics('user', 1))],
    ['metrics of one user', { rows: 6_000, pages: 9_500 }, () => telemetry.metrics(user, metrics('agent', 14))],
    ['export of a user', { rows: 10_000, pages: 30_000 }, () => readAll(storage, 'user-7')],
    ['deletion of a user', { rows: 10_000, pages: 30_000 }, () => storage.users.delete('user-7')],
  ];

  it.each(statements)('%s', async (_name, most, work) => {
    const { pages, rows } = await measured.readsOf(work);
    expect.soft(rows).toBeLessThanOrEqual(most.rows);
    expect(pages).toBeLessThanOrEqual(most.pages);
  });
});

async function readAll(storage: Storage, userId: string): Promise<void> {
  for await (const record of storage.users.export(userId)) expect(record.type).toBeDefined();
}
