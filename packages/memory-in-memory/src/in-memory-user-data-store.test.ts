import type { Storage, UserRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryStorage } from './in-memory-storage.ts';

const lease = { runner: 'r', leaseMs: 10_000 };

it('exports all data of a user and of no other, each conversation before its messages', async () => {
  const storage = createInMemoryStorage();
  for (const userId of ['ada', 'ben']) await fill(storage, userId);

  const records = await exported(storage, 'ada');
  expect(records.map(nameOf)).toEqual([
    'conversation ada-1',
    'message ada-1-a',
    'message ada-1-b',
    'conversation ada-2',
    'message ada-2-a',
    'message ada-2-b',
    'working-memory "of ada"',
    'execution ada-run',
    'execution ada-run-sub',
    'execution ada-run-sub-sub',
  ]);
  expect(records[0]).toMatchObject({ workingMemory: 'of ada-1' });
  expect(records[3]).not.toHaveProperty('workingMemory');
  expect(
    records.filter(({ type }) => type === 'execution').map((record) => 'events' in record && record.events.length),
  ).toEqual([1, 1, 0]);
  expect(await exported(storage, 'nobody')).toEqual([]);
});

it('does not export conversations that are deleted during the export', async () => {
  const storage = createInMemoryStorage();
  await fill(storage, 'ada');
  const names: string[] = [];
  for await (const record of storage.users.export('ada')) {
    names.push(nameOf(record));
    if (names.length === 1) await storage.users.delete('ada');
  }
  expect(names).toEqual(['conversation ada-1', 'message ada-1-a', 'message ada-1-b']);
});

it('does not export executions that are deleted during the export', async () => {
  const storage = createInMemoryStorage();
  await fill(storage, 'ada');
  const names: string[] = [];
  for await (const record of storage.users.export('ada')) {
    if (record.type !== 'execution') continue;
    names.push(nameOf(record));
    await storage.users.delete('ada');
  }
  expect(names).toEqual(['execution ada-run']);
});

it('deletes all data of a user and of no other', async () => {
  const storage = createInMemoryStorage();
  for (const userId of ['ada', 'ben']) await fill(storage, userId);
  const ofBen = JSON.stringify(await exported(storage, 'ben'));

  expect(await storage.users.delete('ada')).toEqual({ conversations: 2, messages: 4, executions: 1 });
  expect(await exported(storage, 'ada')).toEqual([]);
  expect(JSON.stringify(await exported(storage, 'ben'))).toBe(ofBen);
  for (const id of ['ada-run', 'ada-run-sub', 'ada-run-sub-sub']) {
    expect(await storage.executions.find('anyone', id)).toBeUndefined();
  }
  expect(await storage.users.delete('ada')).toEqual({ conversations: 0, messages: 0, executions: 0 });
});

it('notifies watchers of a deleted execution, and fences its runner at the next commit', async () => {
  const storage = createInMemoryStorage();
  await fill(storage, 'ada');
  const { executions } = storage;
  const changes: string[] = [];
  for (const id of ['ada-run', 'ada-run-sub']) executions.watch(id, (change) => changes.push(`${id} ${change}`));
  await storage.users.delete('ada');

  expect(changes).toEqual(['ada-run commit', 'ada-run-sub commit']);
  const commit = { executionId: 'ada-run', creationId: 'ada-run', epoch: 1, commitId: 'last', expectedSeq: 1 };
  const nothing = { entries: [], changes: [], settled: [], suspensions: [], timers: [] };
  expect(await executions.commit({ ...commit, ...nothing })).toEqual({ status: 'fenced' });
  expect(await executions.renew([{ executionId: 'ada-run', epoch: 1 }], lease)).toEqual(['ada-run']);
  expect(await executions.backlog(['order'], 10)).toEqual({ count: 0, oldestDueMs: 0 });
  const options = { definitions: { order: 'order' }, limit: 10 };
  expect(await executions.claimNext({ ...lease, runner: 'other' }, options)).toMatchObject({ nextDueInMs: undefined });
});

it('removes the finished executions of a deleted user from the retention limits', async () => {
  const storage = createInMemoryStorage({ clock: { now: () => 1_000 }, executions: { maxFinished: 1 } });
  for (const userId of ['ada', 'ben']) {
    await fill(storage, userId);
    const id = `${userId}-run`;
    const last = { executionId: id, creationId: id, epoch: 1, commitId: 'last', expectedSeq: 1 };
    const changes = [{ id, status: 'completed', events: [] } as const];
    await storage.executions.commit({ ...last, changes, entries: [], settled: [], suspensions: [], timers: [] });
    await storage.users.delete('ada');
  }
  expect(await storage.executions.purge(0, 10)).toBe(1);
  expect(await storage.executions.find('anyone', 'ben-run')).toBeUndefined();
});

async function fill(storage: Storage, userId: string): Promise<void> {
  for (const id of [`${userId}-1`, `${userId}-2`]) {
    const create = { id, userId, resourceId: 'helper', title: '', metadata: {} };
    const messages = ['a', 'b'].map((name) => ({ id: `${id}-${name}`, role: 'user', parts: [] }) as const);
    await storage.conversations.save('anyone', {
      conversationId: id,
      create,
      messages: messages.map((message) => ({ ...message, parts: [] })),
    });
  }
  const { workingMemory } = storage;
  await workingMemory.update(
    'anyone',
    { scope: 'conversation', conversationId: `${userId}-1` },
    () => `of ${userId}-1`,
  );
  await workingMemory.update('anyone', { scope: 'user', userId }, () => `of ${userId}`);
  await run(storage, userId);
}

/** An execution that runs, with a sub-workflow that has one. */
async function run({ executions }: Storage, userId: string): Promise<void> {
  const id = `${userId}-run`;
  const values = {
    workflowId: 'orders',
    workflowName: 'Orders',
    input: null,
    context: {},
    workflowState: {},
    metadata: {},
  };
  const event = { type: 'workflow-start', from: 'orders', timestamp: '2026-01-01T00:00:00.000Z' };
  await executions.create({ id, userId, ...values, events: [event] }, { requestId: id });
  await executions.claim(id, lease);
  await executions.commit({
    executionId: id,
    creationId: id,
    epoch: 1,
    commitId: 'first',
    expectedSeq: 1,
    entries: [],
    changes: [
      { id: `${id}-sub`, created: { ...values, userId, parentExecutionId: id, path: 'sub' }, events: [event] },
      {
        id: `${id}-sub-sub`,
        created: { ...values, userId, parentExecutionId: `${id}-sub`, path: 'sub/sub' },
        events: [],
      },
    ],
    settled: [],
    suspensions: [],
    timers: [],
  });
}

async function exported(storage: Storage, userId: string): Promise<readonly UserRecord[]> {
  const records: UserRecord[] = [];
  for await (const record of storage.users.export(userId)) records.push(record);
  return records;
}

function nameOf(record: UserRecord): string {
  switch (record.type) {
    case 'conversation':
      return `conversation ${record.conversation.id}`;
    case 'message':
      return `message ${record.message.id}`;
    case 'working-memory':
      return `working-memory ${JSON.stringify(record.content)}`;
    case 'execution':
      return `execution ${record.execution.id}`;
  }
}
