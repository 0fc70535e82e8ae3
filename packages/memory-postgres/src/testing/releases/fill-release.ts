import type { Message, SpanRecord, Storage } from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '../../postgres-storage.ts';
import { oddText, type UpgradeInput, upgradeWorkflow, working } from './upgrade-workflow.ts';

/*
 * Fills a database with data of the current code and kills its own process while an execution runs. `dump-release.ts` saves the data in `schemas/`.
 * The argument is the connection string.
 */
const [connectionString = ''] = process.argv.slice(2);
// Earlier versions, in which this script can also run, lack some stores.
const storage: Partial<Storage> & Pick<Storage, 'approvals' | 'executions'> = createPostgresStorage({
  connectionString,
});
const runtime = new WorkflowRuntime({ workflows: [upgradeWorkflow({ isOld: true })], storage, leaseMs: 2_000 });
runtime.start();

const start = (executionId: string, input: UpgradeInput): Promise<unknown> =>
  runtime.execute('upgrade', input, {
    executionId,
    userId: 'ada',
    conversationId: 'c1',
    context: { language: oddText },
    metadata: { shop: 'Oslo', odd: oddText },
  });
await start('completed', {});
await start('failed', { fails: true });
await start('asks', { asks: true });
await start('asks-below', { asksBelow: true });
await start('rewound', { asks: true });
await runtime.resume({ owner: 'anyone', workflowId: 'upgrade', executionId: 'rewound' }, { stepId: 'price' });
await runtime.wait({ owner: 'anyone', executionId: 'rewound' });
await storage.approvals.consume('used', 9e15);
if (storage.conversations !== undefined) await fillConversations(storage.conversations);
if (storage.workingMemory !== undefined) {
  await storage.workingMemory.update('anyone', { scope: 'user', userId: 'ada' }, () => ({ noted: oddText }));
  await storage.workingMemory.update('anyone', { scope: 'conversation', conversationId: 'c1' }, () => ['a', 'b']);
}
await storage.telemetry?.write({
  spans: [span('0000000000000001', null), span('0000000000000002', '0000000000000001')],
  logs: [
    {
      timestamp: 1_700_000_000_000,
      traceId: '0'.repeat(31) + '1',
      spanId: null,
      severityNumber: 13,
      severityText: 'WARN',
      body: oddText,
      attributes: { userId: 'ada' },
    },
  ],
});
if (storage.streams !== undefined) {
  const place = { agentId: 'clerk', userId: 'ada' };
  for (const id of ['ended', 'live']) {
    await storage.streams.begin({ ...place, id, conversationId: `of-${id}` }, 2_000);
    await storage.streams.append(id, { after: 0, chunks: ['one', oddText] }, 2_000);
  }
  await storage.streams.end('ended', { after: 2, chunks: ['three'] });
}
void start('sleeps', { napMs: 5_000 });
void start('works', { works: true });
await working.promise;
while ((await storage.executions.find('anyone', 'sleeps'))?.timers.length !== 1);
process.kill(process.pid, 'SIGKILL');

async function fillConversations(conversations: Storage['conversations']): Promise<void> {
  const create = { id: 'c1', resourceId: 'clerk', userId: 'ada', title: oddText, metadata: { odd: oddText } };
  const message = (id: string, role: Message['role']): Message => ({
    id,
    role,
    parts: [{ type: 'text', text: `${id} ${oddText}` }],
    metadata: { of: id },
  });
  await conversations.save('anyone', {
    conversationId: 'c1',
    create,
    messages: [message('q1', 'user'), message('a1', 'assistant'), message('other', 'assistant')],
  });
  await conversations.save('anyone', { conversationId: 'c1', messages: [message('a2', 'assistant')], dropAfter: 'a1' });
  await conversations.save('anyone', { conversationId: 'c1', messages: [message('s1', 'system')] });
}

function span(spanId: string, parentSpanId: string | null): SpanRecord {
  return {
    traceId: '0'.repeat(31) + '1',
    spanId,
    parentSpanId,
    isEntry: parentSpanId === null,
    name: `chat ${oddText}`,
    kind: 0,
    startTime: 1_700_000_000_000,
    endTime: 1_700_000_000_500.25,
    attributes: { 'entity.id': 'clerk', 'entity.type': 'agent', 'user.id': 'ada', odd: oddText },
    status: { code: 1 },
    events: [],
    links: [],
    resource: { 'service.name': 'shop' },
    instrumentationScope: { name: 'halyard' },
  };
}
