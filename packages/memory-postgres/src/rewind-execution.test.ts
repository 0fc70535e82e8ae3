import type { JournalEntry, NewExecution } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { inMemoryOpener } from './open-embedded.ts';
import { openForTests } from './testing/open-for-test.ts';

const database = openForTests(async () => inMemoryOpener());

it('forgets nothing of another execution that has the same steps', async () => {
  const { executions } = database.storage;
  const journal = [entry('a'), entry('a/x'), entry('b')];
  for (const id of ['one', 'other']) await executions.create(execution(id), { requestId: 'r', journal });
  await executions.rewind('anyone', {
    executionId: 'one',
    expectedSeq: 0,
    expectedSignals: 0,
    paths: ['a'],
    entries: ['b'],
  });
  expect(await executions.journal('anyone', 'one')).toEqual([]);
  expect(await executions.journal('anyone', 'other')).toEqual(journal);
});

function execution(id: string): NewExecution {
  const values = { input: null, context: {}, workflowState: {}, metadata: {}, events: [] };
  return { id, workflowId: 'w', workflowName: 'W', ...values };
}

function entry(path: string): JournalEntry {
  return { path, type: 'step', status: 'success', output: null, attempts: 1, startedAt: 1, endedAt: 2 };
}
