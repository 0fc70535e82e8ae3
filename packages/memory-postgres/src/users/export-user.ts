import type { ExecutionEvent, JsonValue, NewExecutionEvent, UserRecord } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationJsonSql, conversationRecord } from '../conversations/conversation-record.ts';
import { messageRecord, type MessageRow } from '../conversations/message-record.ts';
import { selectedExecution } from '../executions/execution-record.ts';

const conversationsAtOnce = 100;
const messagesAtOnce = 500;
/** Of the parts of messages; one message may be longer. */
const bytesAtOnce = 1_000_000;
const rootsAtOnce = 100;
const executionsAtOnce = 10;

type Key = string | number;

/** All that is stored of a person, page by page: each begins after the last key of the one before. */
export async function* exportUser(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  yield* conversationsOf(database, userId);
  yield* notesOf(database, userId);
  yield* executionsOf(database, userId);
}

async function* conversationsOf(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  const { schema } = database;
  let after: Key = 0;
  for (;;) {
    const rows: readonly { key: Key; conversation: string; memory: string | null }[] = await database.query(
      `select c.key, ${conversationJsonSql} as conversation, w.content as memory
      from ${schema}.conversations c left join ${schema}.working_memory w on w.conversation_key = c.key
      where c.user_id = $1 and c.key > $2 order by c.key limit ${conversationsAtOnce}`,
      [toText(userId), after],
      { bearsTwice: true },
    );
    for (const { conversation: json, key, memory } of rows) {
      const conversation = conversationRecord(json);
      yield {
        type: 'conversation',
        conversation,
        ...(memory !== null && { workingMemory: JSON.parse(memory) as JsonValue }),
      };
      yield* messagesOf(database, conversation.id, key);
      after = key;
    }
    if (rows.length < conversationsAtOnce) return;
  }
}

async function* messagesOf(database: Database, conversationId: string, key: Key): AsyncGenerator<UserRecord, void> {
  const { schema } = database;
  let after: Key = 0;
  for (;;) {
    // What is left of the page when it is long enough comes with the next one; lengths are known without reading the texts.
    const rows: readonly MessageRow[] = await database.query(
      `select id, role, parts, metadata, created_at from (
        select *, sum(octet_length(parts)) over (order by created_at) - octet_length(parts) as bytes_before
        from (
          select * from ${schema}.messages where conversation_key = $1 and created_at > $2 order by created_at limit ${messagesAtOnce}
        ) m
      ) m where bytes_before < ${bytesAtOnce} order by created_at`,
      [key, after],
      { bearsTwice: true },
    );
    if (rows.length === 0) return;
    for (const row of rows) {
      yield { type: 'message', conversationId, message: messageRecord(row) };
      after = row.created_at;
    }
  }
}

async function* notesOf(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  const rows = await database.query<{ content: string }>(
    `select content from ${database.schema}.working_memory where user_id = $1 and content is not null`,
    [toText(userId)],
    { bearsTwice: true },
  );
  for (const { content } of rows) yield { type: 'working-memory', content: JSON.parse(content) as JsonValue };
}

interface ExportedExecution {
  readonly key: Key;
  readonly root_key: Key;
  readonly row: string;
  readonly root_waits: string | null;
  readonly events: string | null;
}

/** Each root before its sub-workflows. */
async function* executionsOf(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  for await (const roots of rootsOf(database, userId)) {
    let after: readonly [root: Key, key: Key] = [0, 0];
    for (;;) {
      const rows = await treesOf(database, roots, after);
      for (const { events, key, root_key, root_waits, row } of rows) {
        yield { type: 'execution', execution: selectedExecution({ row, root_waits }), events: eventsFrom(events) };
        after = [root_key, key];
      }
      if (rows.length < executionsAtOnce) break;
    }
  }
}

async function* rootsOf(database: Database, userId: string): AsyncGenerator<readonly Key[], void> {
  const { schema } = database;
  let after: readonly [createdAt: Key, key: Key] = [0, 0];
  for (;;) {
    const rows: readonly { created_at: Key; key: Key }[] = await database.query(
      `select created_at, key from ${schema}.executions
      where user_id = $1 and parent_id is null and (created_at, key) > ($2::bigint, $3::bigint)
      order by created_at, key limit ${rootsAtOnce}`,
      [toText(userId), ...after],
      { bearsTwice: true },
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ key }) => key);
    after = [last.created_at, last.key];
  }
}

async function treesOf(
  database: Database,
  roots: readonly Key[],
  after: readonly [root: Key, key: Key],
): Promise<readonly ExportedExecution[]> {
  const { schema } = database;
  return database.query<ExportedExecution>(
    `select page.key, page.root_key, row_to_json(e)::text as row, r.waits::text as root_waits,
      (select json_agg(v.event order by v.seq)::text from ${schema}.execution_events v where v.execution_key = e.key) as events
    from (
      select e.key, coalesce(e.root_key, e.key) as root_key from ${schema}.executions e
      where (e.key = any($1::bigint[]) or e.root_key = any($1::bigint[])) and (coalesce(e.root_key, e.key), e.key) > ($2::bigint, $3::bigint)
      order by 2, 1 limit ${executionsAtOnce}
    ) page
    join ${schema}.executions e on e.key = page.key left join ${schema}.executions r on r.key = e.root_key
    order by page.root_key, page.key`,
    [roots, ...after],
    { bearsTwice: true },
  );
}

function eventsFrom(json: string | null): readonly ExecutionEvent[] {
  const texts = JSON.parse(json ?? '[]') as readonly string[];
  return texts.map((text, index) => ({ seq: index + 1, event: JSON.parse(text) as NewExecutionEvent }));
}
