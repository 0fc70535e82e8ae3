import type { ConversationFilter, Storage } from '@halyard/contracts';
import { Pool } from 'pg';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { latency, once } from './measure.ts';

/*
 * Measures reads and writes on a server with 1.3 million messages in 50 000 conversations and 200 000 executions: latencies of sequential calls, throughput of concurrent
 * writes, and with the argument `plans` also the query plans of the reads.
 * Run: node --conditions=@halyard/source bench/many-messages.ts [plans]
 */
const sizes = { '1 k': 1_000, '100 k': 100_000, '1 M': 1_000_000 } as const;
const server = await startPostgresServer();
try {
  const pool = new Pool({ connectionString: server.connectionString });
  const storage = createPostgresStorage({ pool });
  await storage.executions.backlog(['order'], 1);
  await fill(pool);
  await windows(storage);
  await lists(storage);
  await writes(storage);
  await windows(storage);
  if (process.argv.includes('plans')) await plans();
  await whole(storage);
  await storage.close();
  await pool.end();
} finally {
  await server.remove();
}

async function fill(pool: Pool): Promise<void> {
  const began = performance.now();
  const part = (length: number): string => `'[{"type":"text","text":"' || repeat('word ', ${length}) || n || '"}]'`;
  await pool.query(`
insert into halyard.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
select 'conversation-' || n, 'agent-' || n % 20, 'user-' || n % 5000, 'About ' || md5(n::text), '{}', n * 1000, n * 1000, '' from generate_series(1, 50000) as n;
insert into halyard.messages (conversation_key, created_at, id, role, parts)
select c.key, n, 'message-' || n, case when n % 2 = 1 then 'user' else 'assistant' end, ${part(60)}
from halyard.conversations c, generate_series(1, 4) as n where c.key <= 50000;`);
  for (const [name, count] of Object.entries(sizes)) {
    await pool.query(`
with made as (
  insert into halyard.conversations (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
  values ('${name}', 'agent-1', 'user-1', '${name}', '{}', 1, 1, '') returning key)
insert into halyard.messages (conversation_key, created_at, id, role, parts)
select key, n, 'message-' || n, case when n % 2 = 1 then 'user' else 'assistant' end, ${part(60)} from made, generate_series(1, ${count}) as n`);
  }
  await pool.query(`
insert into halyard.executions (id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, metadata_digests, state, input, context, metadata)
select 'run-' || n, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 5000, case when n % 10 < 9 then 'completed' else 'error' end,
  n * 1000, n * 1000, n * 1000, 0, '{}', '{}', to_json(repeat('x', 300))::text, '{}', '{}' from generate_series(1, 200000) as n`);
  await pool.query('vacuum analyze');
  console.log(`filled in ${Math.round(performance.now() - began)} ms`);
}

async function windows({ conversations }: Storage): Promise<void> {
  for (const [id, count] of Object.entries(sizes)) {
    const owner = { user: 'user-1' };
    const newest = () => conversations.messages(owner, id, { limit: 10 });
    await latency(`the newest 10 of ${id} messages`, newest, 1_000);
    await latency(`the newest 100 of ${id}`, () => conversations.messages(owner, id, { limit: 100 }), 300);
    await latency(
      `10 before the middle of ${id}`,
      () => conversations.messages(owner, id, { limit: 10, before: count / 2 }),
      500,
    );
    await latency(
      `those of a role that ${id} do not have`,
      () => conversations.messages(owner, id, { limit: 10, roles: ['system'] }),
      500,
    );
    await latency(
      `two messages of ${id} by their ids`,
      () => conversations.findMessages(owner, id, ['message-1', 'message-900']),
      500,
    );
  }
}

async function lists({ conversations, executions }: Storage): Promise<void> {
  const page: ConversationFilter = { orderBy: 'updatedAt', direction: 'desc', limit: 50, offset: 0 };
  for (const orderBy of ['updatedAt', 'createdAt', 'title'] as const) {
    const name = `50 conversations by ${orderBy}`;
    const filter = { ...page, orderBy };
    await latency(`${name} of a user`, () => conversations.list({ user: 'user-77' }, filter), 300);
    await latency(
      `${name} of a resource`,
      () => conversations.list('anyone', { ...filter, resourceId: 'agent-3' }),
      100,
    );
    await latency(`${name} of all`, () => conversations.list('anyone', filter), 50);
  }
  const roots = { parentExecutionId: null, limit: 50, offset: 0 };
  await latency('50 executions of a user', () => executions.list({ user: 'user-77' }, roots), 300);
  await latency('50 executions of all', () => executions.list('anyone', roots), 50);
}

async function writes({ conversations, workingMemory }: Storage): Promise<void> {
  let count = 0;
  const message = (text: string) => {
    count += 1;
    return { id: `new-${count}`, role: 'user' as const, parts: [{ type: 'text' as const, text }] };
  };
  const text = 'word '.repeat(60);
  for (const id of Object.keys(sizes)) {
    await latency(
      `a write to ${id}`,
      () => conversations.save('anyone', { conversationId: id, messages: [message(text)] }),
      500,
    );
  }
  await rate('writes to 1 000 conversations, 200 at once', 20_000, 200, (index) =>
    conversations.save('anyone', { conversationId: `conversation-${(index % 1_000) + 1}`, messages: [message(text)] }),
  );
  await rate('writes to one conversation, 50 at once', 5_000, 50, () =>
    conversations.save('anyone', { conversationId: 'conversation-1', messages: [message(text)] }),
  );
  await rate('new conversations with their first message, 50 at once', 5_000, 50, (index) => {
    const id = `begun-${index}`;
    const create = { id, resourceId: 'agent-1', userId: 'user-1', title: '', metadata: {} };
    return conversations.save({ user: 'user-1' }, { conversationId: id, messages: [message(text)], create });
  });
  await rate('windows of 10, 50 at once', 20_000, 50, (index) =>
    conversations.messages('anyone', `conversation-${(index % 1_000) + 1}`, { limit: 10 }),
  );
  const key = { scope: 'user', userId: 'user-1' } as const;
  await latency('an update of working memory', () => workingMemory.update('anyone', key, () => text), 300);
  await rate('changes of one working memory, 200 at once', 2_000, 200, (index) =>
    workingMemory.update('anyone', key, () => index),
  );
}

/** Operations on a whole conversation or user. */
async function whole({ conversations, users }: Storage): Promise<void> {
  await once('clone a conversation of 100 k messages', () =>
    conversations.clone('anyone', { id: '100 k', newId: 'copy', includeMessages: true }),
  );
  await once('export 1.2 million messages', async () => {
    let records = 0;
    for await (const record of users.export('user-1')) if (record.type === 'message') records += 1;
    return records;
  });
  await once('delete a conversation of 1 M messages', () => conversations.delete('anyone', '1 M'));
  await once('delete the rest of that user', () => users.delete('user-1'));
}

async function rate(
  name: string,
  total: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const began = performance.now();
  const cpu = process.cpuUsage();
  const one = async (): Promise<void> => {
    while (next < total) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const tookMs = performance.now() - began;
  const { system, user } = process.cpuUsage(cpu);
  console.log(
    `${name}: ${Math.round((total * 1_000) / tookMs)} a second (CPU of this process ${((user + system) / 10 / tookMs).toFixed(0)} %)`,
  );
}

/** Prints the query plans of the reads. */
async function plans(): Promise<void> {
  const pool = new Pool({ connectionString: server.connectionString, max: 1 });
  pool.on('connect', (client) => client.on('notice', ({ message }) => console.log(message)));
  const storage = createPostgresStorage({ pool });
  await storage.executions.backlog(['order'], 1);
  await pool.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
    set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice; set client_min_messages = notice`);
  const page: ConversationFilter = { orderBy: 'updatedAt', direction: 'desc', limit: 50, offset: 0 };
  await storage.conversations.messages({ user: 'user-1' }, '1 M', { limit: 10 });
  await storage.conversations.messages('anyone', '1 M', { limit: 10, before: 500_000, roles: ['user'] });
  await storage.conversations.messages('anyone', '1 M', { limit: 10, roles: ['system'] });
  for (const orderBy of ['updatedAt', 'createdAt', 'title'] as const) {
    await storage.conversations.list({ user: 'user-77' }, { ...page, orderBy });
    await storage.conversations.list('anyone', { ...page, orderBy, resourceId: 'agent-3' });
    await storage.conversations.list('anyone', { ...page, orderBy });
  }
  await storage.close();
  await pool.end();
}
