import type { NewExecutionEvent, UserRecord } from '@halyard/contracts';
import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
beforeEach(() => database.empty());

it('exports all data of a user in pages, and nothing of others', async () => {
  for (const userId of ['ada', 'ben']) await fill(userId);
  const records = await exported('ada');
  const idsOf = (userId: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${userId}-${index}`);
  const conversations = records.flatMap((record) => (record.type === 'conversation' ? record.conversation.id : []));
  expect(conversations).toEqual(idsOf('ada', 120));
  const messages = records.flatMap((record) => (record.type === 'message' ? record.message.id : []));
  expect(messages).toEqual([...idsOf('m', 700), ...idsOf('large', 5)]);
  expect(records.flatMap((record) => (record.type === 'working-memory' ? record.content : []))).toEqual([
    'ada likes tea',
  ]);
  const executions = records.flatMap((record) => (record.type === 'execution' ? [record] : []));
  expect(executions.map(({ execution }) => execution.id)).toEqual(idsOf('run-ada', 25));
  expect(executions.map(({ events }) => events.length)).toEqual(executions.map(() => 1));
});

it('exports a long output in each event that has it', async () => {
  const { executions } = database.storage;
  const fields = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  await executions.create({ id: 'run', userId: 'ada', ...fields, events: [] }, { requestId: 'r' });
  const claimed = await executions.claim('run', { runner: 'r', leaseMs: 60_000 });
  const long = 'x'.repeat(16_000);
  const events: readonly NewExecutionEvent[] = [
    { type: 'step-complete', from: 'a', timestamp: '', output: long },
    { type: 'step-start', from: 'b', timestamp: '', input: long },
  ];
  const nothing = { entries: [], settled: [], suspensions: [], timers: [] };
  const epoch = claimed?.execution.epoch ?? 0;
  const changes = [{ id: 'run', events }];
  await executions.commit({
    executionId: 'run',
    creationId: 'r',
    epoch,
    commitId: 'c',
    expectedSeq: 0,
    changes,
    ...nothing,
  });

  const [record] = await exported('ada');
  expect(record).toMatchObject({
    type: 'execution',
    events: events.map((event, index) => ({ seq: index + 1, event })),
  });
});

it('deletes all data of a user and nothing of others, and fences the runner of a deleted execution', async () => {
  for (const userId of ['ada', 'ben']) await fill(userId);
  const { executions, users } = database.storage;
  const claimed = await executions.claim('run-ada-7', { runner: 'r', leaseMs: 60_000 });
  const changes: string[] = [];
  const stop = executions.watch('run-ada-7', (change) => void changes.push(change));
  expect(await users.delete('ada')).toEqual({ conversations: 120, messages: 705, executions: 25 });
  stop();
  expect(changes).toEqual(['commit']);
  const commit = {
    executionId: 'run-ada-7',
    creationId: claimed?.execution.creationId ?? '',
    epoch: claimed?.execution.epoch ?? 0,
    commitId: 'late',
    expectedSeq: 1,
    entries: [],
    changes: [{ id: 'run-ada-7', events: [{ type: 'late', from: '', timestamp: '' }] }],
    settled: [],
    suspensions: [],
    timers: [],
  };
  expect(await executions.commit(commit)).toEqual({ status: 'fenced' });
  expect(await exported('ada')).toEqual([]);
  expect((await exported('ben')).length).toBe(120 + 705 + 1 + 25);
  expect(await users.delete('ada')).toEqual({ conversations: 0, messages: 0, executions: 0 });
  await users.delete('ben');
  const [left] = await database.query(`select
    (select count(*)::integer from halyard.messages) + (select count(*)::integer from halyard.working_memory)
    + (select count(*)::integer from halyard.execution_events) + (select count(*)::integer from halyard.execution_journal) as count`);
  expect(left).toEqual({ count: 0 });
});

async function exported(userId: string): Promise<readonly UserRecord[]> {
  const records: UserRecord[] = [];
  for await (const record of database.storage.users.export(userId)) records.push(record);
  return records;
}

/**
 * 120 conversations, one of them with 700 messages and one with 5 of a megabyte each, working
 * memory, and 25 executions.
 */
async function fill(userId: string): Promise<void> {
  const { conversations, executions, workingMemory } = database.storage;
  for (let index = 0; index < 120; index += 1) {
    const conversation = { id: `${userId}-${index}`, resourceId: 'a', userId, title: '', metadata: {} };
    await conversations.create(conversation);
  }
  const messages = Array.from({ length: 700 }, (_, index) => message(`m-${index}`, 'short'));
  await conversations.save('anyone', { conversationId: `${userId}-3`, messages });
  const large = Array.from({ length: 5 }, (_, index) => message(`large-${index}`, 'x'.repeat(1_000_000)));
  await conversations.save('anyone', { conversationId: `${userId}-110`, messages: large });
  await workingMemory.update('anyone', { scope: 'user', userId }, () => `${userId} likes tea`);
  const values = { workflowId: 'w', workflowName: 'W', input: null, context: {}, workflowState: {}, metadata: {} };
  const events = [{ type: 'workflow-start', from: 'w', timestamp: '' }];
  for (let index = 0; index < 25; index += 1) {
    await executions.create({ id: `run-${userId}-${index}`, userId, ...values, events }, { requestId: 'r' });
  }
}

function message(id: string, text: string) {
  return { id, role: 'user' as const, parts: [{ type: 'text' as const, text }] };
}
