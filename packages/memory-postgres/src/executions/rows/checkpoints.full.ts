import type { JournalEntry } from '@halyard/contracts';
import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../../testing/embedded-template.ts';
import { openForTests } from '../../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
beforeEach(() => database.empty());

const fields = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
const nothing = { settled: [], suspensions: [], timers: [] };

it('reads the entries of the checkpoint, and everything that was written after it', async () => {
  await runWithCheckpoint();
  const { executions } = database.storage;
  await executions.claim('run', { runner: 'now', leaseMs: 60_000 });
  await executions.commit({
    executionId: 'run',
    creationId: 'r',
    epoch: 2,
    commitId: 'after',
    expectedSeq: 0,
    entries: [entry('d')],
    changes: [],
    ...nothing,
    release: { dueAt: 0, expectedSignals: 0 },
  });
  const claimed = await executions.claim('run', { runner: 'now', leaseMs: 1_000 });
  expect(claimed?.journal.map(({ path }) => path)).toEqual(['b', 'c', 'd']);
  expect(claimed?.children).toEqual([]);
  expect(claimed?.checkpoint).toEqual({ of: 'now' });
});

it('deletes the checkpoint with its execution', async () => {
  await runWithCheckpoint();
  const { executions } = database.storage;
  await executions.claim('run', { runner: 'now', leaseMs: 60_000 });
  await executions.commit({
    executionId: 'run',
    creationId: 'r',
    epoch: 2,
    commitId: 'end',
    expectedSeq: 0,
    entries: [],
    ...nothing,
    changes: [{ id: 'run', status: 'completed', output: null, events: [] }],
  });
  expect(await database.query('select from halyard.execution_checkpoints')).toHaveLength(1);
  database.advance(5_000);
  expect(await executions.purge(1_000, 10)).toBe(1);
  expect(await database.query('select from halyard.execution_checkpoints')).toHaveLength(0);
});

/**
 * An execution that is due, with the entries `a` to `c`, of which `a` is left out, and a
 * sub-workflow that is left out.
 */
async function runWithCheckpoint(): Promise<void> {
  const { executions } = database.storage;
  await executions.create({ ...fields, id: 'run', events: [] }, { requestId: 'r' });
  await executions.claim('run', { runner: 'now', leaseMs: 60_000 });
  const commit = { executionId: 'run', creationId: 'r', epoch: 1, expectedSeq: 0, ...nothing };
  const created = { ...fields, parentExecutionId: 'run', path: 'a' };
  await executions.commit({
    ...commit,
    commitId: 'first',
    entries: [entry('a'), entry('b')],
    changes: [{ id: 'child', created, status: 'completed', output: null, events: [] }],
    checkpoint: { entries: ['b'], children: [], data: { of: 'now' } },
  });
  const release = { dueAt: 0, expectedSignals: 0 };
  await executions.commit({ ...commit, commitId: 'last', entries: [entry('c')], changes: [], release });
}

function entry(path: string): JournalEntry {
  return { path, type: 'andThen', status: 'success', output: path, attempts: 1, startedAt: 1, endedAt: 2 };
}
