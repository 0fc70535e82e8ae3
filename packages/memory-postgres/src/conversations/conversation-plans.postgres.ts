import type { ConversationFilter, Storage } from '@halyard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleMessage } from '../testing/conversation-workload.ts';
import { openExplainedStorage, type ExplainedStorage } from '../testing/explained-storage.ts';

/**
 * Every query must use an index. The tables have 10 000 conversations and 50 000 messages, 10 000
 * of them in one conversation.
 */
describe('query plans of conversations', () => {
  let planned: ExplainedStorage;
  let storage: Storage;
  beforeAll(async () => {
    planned = await openExplainedStorage(fill);
    ({ storage } = planned);
  });
  afterAll(() => planned.close());

  const anyone = 'anyone';
  const ada = { user: 'user-5' };
  const page: ConversationFilter = { orderBy: 'updatedAt', direction: 'desc', limit: 20, offset: 0 };
  const list =
    (owner: typeof ada | typeof anyone, filter: Partial<ConversationFilter> = {}) =>
    (): Promise<unknown> =>
      storage.conversations.list(owner, { ...page, ...filter });
  const messages = (filter: object) => (): Promise<unknown> =>
    storage.conversations.messages(anyone, 'large', { limit: 10, ...filter });
  const ofConversation = { scope: 'conversation', conversationId: 'c-77' } as const;
  const ofUser = { scope: 'user', userId: 'user-5' } as const;
  const created = { id: 'new', resourceId: 'r-1', userId: 'user-5', title: '', metadata: {} };

  const reads: readonly (readonly [name: string, indexes: readonly string[], work: () => Promise<unknown>])[] = [
    ['find', ['conversations_id_key'], () => storage.conversations.find(ada, 'c-77')],
    ['check whether an id is taken', ['conversations_id_key'], () => storage.conversations.isTaken('c-77')],
    ['list all by update time', ['conversations_by_update'], list(anyone)],
    [
      'list all by creation time',
      ['conversations_by_creation'],
      list(anyone, { orderBy: 'createdAt', direction: 'asc' }),
    ],
    ['list all by title', ['conversations_by_title'], list(anyone, { orderBy: 'title', direction: 'asc' })],
    ['list those of a user', ['conversations_of_user'], list(ada)],
    ['list those of a user by title', ['conversations_of_user'], list(ada, { orderBy: 'title' })],
    ['list those of a user and resource', ['conversations_of_user'], list(ada, { resourceId: 'r-5' })],
    ['list those of a resource', ['conversations_of_resource'], list(anyone, { resourceId: 'r-3' })],
    [
      'list those of a resource by title',
      ['conversations_of_resource'],
      list(anyone, { resourceId: 'r-3', orderBy: 'title' }),
    ],
    ['newest messages', ['conversations_id_key', 'Index Scan Backward using messages_pkey'], messages({})],
    [
      'messages before a time',
      ['conversations_id_key', 'Index Scan Backward using messages_pkey'],
      messages({ before: 5_000 }),
    ],
    ['messages of users', ['Index Scan Backward using messages_pkey'], messages({ after: 100, roles: ['user'] })],
    ['messages of a rare role', ['messages_of_rare_roles'], messages({ roles: ['system'] })],
    [
      'find messages by id',
      ['messages_conversation_key_id_key'],
      () => storage.conversations.findMessages(ada, 'c-5', ['m-1', 'm-2']),
    ],
    ['count messages', ['messages_pkey'], () => storage.conversations.countMessages(ada, 'c-5', 1e15)],
    [
      'save messages',
      ['conversations_id_key', 'messages_pkey'],
      () => storage.conversations.save(anyone, { conversationId: 'large', messages: [sampleMessage('new', 'user')] }),
    ],
    [
      'save messages and drop others',
      ['conversations_id_key', 'messages_conversation_key_id_key', 'messages_pkey'],
      () => storage.conversations.save(anyone, { conversationId: 'large', messages: [], dropAfter: 'm-9990' }),
    ],
    [
      'save parts of a message',
      ['conversations_id_key', 'messages_conversation_key_id_key', 'message_parts_pkey', 'messages_pkey'],
      () =>
        storage.conversations.saveParts?.(anyone, {
          conversationId: 'c-9',
          messageId: 'm-4',
          writer: 'w',
          length: 3,
          parts: [{ place: 2, part: { type: 'step-start' } }],
        }) ?? Promise.resolve(),
    ],
    [
      'save a message that has parts',
      ['message_parts_pkey'],
      () =>
        storage.conversations.save(anyone, { conversationId: 'c-9', messages: [sampleMessage('m-4', 'assistant')] }),
    ],
    [
      'find messages that have parts',
      ['message_parts_pkey'],
      () => storage.conversations.findMessages(ada, 'c-10', ['m-4']),
    ],
    [
      'messages that have parts',
      ['message_parts_pkey'],
      () => storage.conversations.messages(anyone, 'c-10', { limit: 9 }),
    ],
    [
      'messages that wait',
      ['message_parts_pkey'],
      () => storage.conversations.listWaiting?.(anyone, 5) ?? Promise.resolve(),
    ],
    [
      'messages that wait in some conversations',
      ['conversations_id_key'],
      () => storage.conversations.listWaiting?.(anyone, 5, undefined, ['c-1', 'c-2']) ?? Promise.resolve(),
    ],
    ['create', ['conversations_id_key'], () => storage.conversations.create(created)],
    ['update', ['conversations_id_key'], () => storage.conversations.update(ada, 'c-5', { title: 'New' })],
    [
      'clone',
      ['conversations_id_key'],
      () => storage.conversations.clone(anyone, { id: 'c-6', newId: 'copy', includeMessages: true }),
    ],
    [
      'delete messages',
      ['conversations_id_key', 'messages_conversation_key_id_key'],
      () => storage.conversations.deleteMessages(anyone, 'c-7', ['m-1', 'm-2']),
    ],
    ['delete', ['conversations_id_key'], () => storage.conversations.delete(anyone, 'c-8')],
    [
      'read working memory of a conversation',
      ['conversations_id_key', 'working_memory_conversation_key_key'],
      () => storage.workingMemory.read(anyone, ofConversation),
    ],
    ['read working memory of a user', ['working_memory_user_id_key'], () => storage.workingMemory.read(anyone, ofUser)],
    [
      'update working memory of a conversation',
      ['conversations_id_key', 'working_memory_conversation_key_key'],
      () => storage.workingMemory.update(anyone, ofConversation, () => 'new'),
    ],
    [
      'update working memory of a user',
      ['working_memory_user_id_key'],
      () => storage.workingMemory.update(anyone, ofUser, () => 'new'),
    ],
    [
      'list what a user did, what was done to an execution, and the newest records',
      ['audit_log_of_actor', 'audit_log_of_target', 'audit_log_pkey'],
      async () => {
        for (const filter of [{ actor: 'user-7' }, { target: 'run-7' }, {}])
          expect(await storage.audit.list({ ...filter, limit: 10 })).not.toEqual([]);
      },
    ],
    [
      'list and take webhooks',
      [
        'webhook_deliveries_pkey',
        'webhook_deliveries_of_url',
        'webhook_deliveries_of_status',
        'webhook_deliveries_due',
      ],
      async () => {
        for (const filter of [{}, { url: 'https://example.org/7' }, { status: 'failed' as const }])
          expect(await storage.webhooks?.list({ ...filter, limit: 10 })).not.toEqual([]);
        expect(await storage.webhooks?.take('https://example.org/7', 5, 1_000)).toHaveLength(5);
      },
    ],
    [
      'redeliver a webhook, and disable an endpoint',
      ['webhook_deliveries_id_key', 'webhook_deliveries_of_url', 'webhook_endpoints_pkey'],
      async () => {
        await storage.webhooks?.redeliver('msg_7');
        await storage.webhooks?.disable('https://example.org/9');
      },
    ],
    ['purge webhooks', ['webhook_deliveries_by_time'], async () => storage.webhooks?.purge(1_000, 10)],
    ['purge the audit trail', ['audit_log_by_time'], () => storage.audit.purge(100, 10)],
    [
      'export a user',
      ['conversations_of_user', 'messages_pkey', 'executions_of_user'],
      () => readAll(storage, 'user-6'),
    ],
    [
      'delete a user',
      [
        'conversations_of_user',
        'executions_of_user',
        'open_approvals_of_user',
        'approval_decisions_of_user',
        'webhook_deliveries_of_user',
        'published_events_requests',
      ],
      () => storage.users.delete('user-7'),
    ],
  ];

  it.each(reads)('%s uses %s', async (_name, indexes, work) => {
    const plans = await planned.plansOf(work);
    for (const index of indexes) expect(plans).toContain(index);
    expect(plans.match(/Seq Scan on \w+/g) ?? []).toEqual([]);
  });
});

async function readAll(storage: Storage, userId: string): Promise<void> {
  for await (const record of storage.users.export(userId)) expect(record.type).toBeDefined();
}

const fill = `
insert into halyard.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
select 'c-' || n, 'r-' || n % 200, 'user-' || n % 500, 'About ' || md5(n::text), '{}', n * 1000, n * 1000, '' from generate_series(1, 10000) as n
union all select 'large', 'r-1', 'user-1', '', '{}', 1, 1, '';
insert into halyard.messages (conversation_key, created_at, id, role, parts)
select c.key, n, 'm-' || n, case when n % 2 = 1 then 'user' else 'assistant' end, '[]' from halyard.conversations c, generate_series(1, 4) as n where c.id <> 'large'
union all select c.key, n, 'm-' || n, case when n % 2 = 1 then 'user' else 'assistant' end, '[]'
  from halyard.conversations c, generate_series(1, 10000) as n where c.id = 'large';
insert into halyard.message_parts select conversation_key, created_at, place, '{}' from halyard.messages, generate_series(0, 1) as place where id = 'm-4';
update halyard.messages set open_by = 'w' where id = 'm-4';
insert into halyard.working_memory (conversation_key, content, last_writes) select key, '"x"', '{}' from halyard.conversations;
insert into halyard.working_memory (user_id, content, last_writes) select 'user-' || n, '"x"', '{}' from generate_series(1, 500) as n;
insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, metadata_digests, state, input, context, metadata)
select 'run-' || n, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 500, 'completed', n, n, n, 1, '{}', '{}', 'null', '{}', '{}' from generate_series(1, 10000) as n;
insert into halyard.execution_events select key, 1, '{}' from halyard.executions;
insert into halyard.execution_journal select key, 1, 'a', '{}' from halyard.executions;
insert into halyard.execution_events select 100000 + n, 1, '{}' from generate_series(1, 18000) as n;
insert into halyard.execution_journal select 100000 + n, 1, 'a', '{}' from generate_series(1, 18000) as n;
insert into halyard.published_events (id, user_id, request_id, channel, payload, published_at, deliver_at)
select 'event-' || n, 'user-' || n % 500, 'r-' || n, 'paid', 'null', n, 0 from generate_series(1, 10000) as n;
insert into halyard.event_deliveries select key, 1, 'a' from halyard.executions;
insert into halyard.open_approvals select 'approval-' || n, 'user-' || n % 500, array['k-' || n], n, 9e15, '{}' from generate_series(1, 10000) as n;
insert into halyard.audit_log (id, at, user_id, action, target_ids, record)
select 'audit-' || n, n, 'user-' || n % 500, 'execution.cancel', array['run-' || n], '{}' from generate_series(1, 10000) as n;
insert into halyard.webhook_endpoints select 'https://example.org/' || n, '{}', n from generate_series(1, 1000) as n;
insert into halyard.webhook_deliveries (id, url, type, at, user_id, data, status, due_at)
select 'msg_' || n, 'https://example.org/' || n % 100, 'execution.completed', n, 'user-' || n % 500, '{}',
  case when n % 1000 = 0 then 'failed' else 'pending' end, case when n % 1000 > 0 then n end from generate_series(1, 10000) as n;
insert into halyard.approval_decisions (id, user_id, expires_at, decisions) select 'approval-' || n, 'user-' || n % 500, 9e15, '[]' from generate_series(1, 10000) as n;
`;
