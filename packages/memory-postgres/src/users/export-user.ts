import type { JsonValue, UserRecord } from '@halyard/contracts';
import { sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { toText } from '../connection/text-codec.ts';
import {
  conversationJson,
  messageColumns,
  type MessageRow,
  toConversation,
  toMessage,
  wholeMessage,
} from '../conversations/conversation-rows.ts';
import { eventsJson, rootWaitsJson, rowJson, toEvents, toExecution } from '../executions/rows/execution-rows.ts';

const conversationsPerPage = 100;
const messagesPerPage = 500;
/** Limits the sum of the messages' parts. A page has at least one message. */
const bytesPerPage = 1_000_000;
const rootsPerPage = 100;
const executionsPerPage = 10;

type Key = string | number;

/**
 * Everything that is stored about a user, page by page. Each page begins after the last key of the
 * page before.
 */
export async function* exportUser(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  yield* exportConversations(database, userId);
  yield* exportWorkingMemory(database, userId);
  yield* exportExecutions(database, userId);
}

async function* exportConversations(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  let after: Key = 0;
  for (;;) {
    const rows = await readConversations(database, userId, after);
    for (const { conversation: json, key, memory } of rows) {
      const conversation = toConversation(json);
      yield {
        type: 'conversation',
        conversation,
        ...(memory !== null && { workingMemory: JSON.parse(memory) as JsonValue }),
      };
      yield* exportMessages(database, conversation.id, key);
      after = key;
    }
    if (rows.length < conversationsPerPage) return;
  }
}

function readConversations(database: Database, userId: string, after: Key) {
  return database.read((db) =>
    db
      .selectFrom('conversations as c')
      .leftJoin('working_memory as w', 'w.conversation_key', 'c.key')
      .select(['c.key', conversationJson, 'w.content as memory'])
      .where('c.user_id', '=', toText(userId))
      .where('c.key', '>', after)
      .orderBy('c.key')
      .limit(conversationsPerPage)
      .execute(),
  );
}

async function* exportMessages(
  database: Database,
  conversationId: string,
  conversationKey: Key,
): AsyncGenerator<UserRecord, void> {
  let after: Key = 0;
  for (;;) {
    const rows = await readMessages(database, conversationKey, after);
    if (rows.length === 0) return;
    for (const row of rows) {
      yield { type: 'message', conversationId, message: toMessage(row) };
      after = row.created_at;
    }
  }
}

function readMessages(database: Database, conversationKey: Key, after: Key): Promise<readonly MessageRow[]> {
  // PostgreSQL knows the length of a text without reading it.
  const bytesBefore = sql<number>`sum(octet_length(m.parts)) over (order by m.created_at) - octet_length(m.parts)`;
  return database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('messages as m')
          .select(wholeMessage(database.schema))
          .where('m.conversation_key', '=', conversationKey)
          .where('m.created_at', '>', after)
          .orderBy('m.created_at')
          .limit(messagesPerPage),
      )
      .selectFrom((eb) => eb.selectFrom('page as m').selectAll().select(bytesBefore.as('bytes_before')).as('m'))
      .select(messageColumns)
      .where('m.bytes_before', '<', bytesPerPage)
      .orderBy('m.created_at')
      .execute(),
  );
}

async function* exportWorkingMemory(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  const rows = await database.read((db) =>
    db.selectFrom('working_memory').select('content').where('user_id', '=', toText(userId)).execute(),
  );
  for (const { content } of rows) {
    if (content !== null) yield { type: 'working-memory', content: JSON.parse(content) as JsonValue };
  }
}

/** Each root is followed by its sub-workflows. */
async function* exportExecutions(database: Database, userId: string): AsyncGenerator<UserRecord, void> {
  for await (const roots of listRoots(database, userId)) {
    let after: readonly [root: Key, key: Key] = [0, 0];
    for (;;) {
      const rows = await readTrees(database, roots, after);
      for (const { events, key, root_key, root_waits, row } of rows) {
        yield { type: 'execution', execution: toExecution({ row, root_waits }), events: toEvents(events) };
        after = [root_key, key];
      }
      if (rows.length < executionsPerPage) break;
    }
  }
}

async function* listRoots(database: Database, userId: string): AsyncGenerator<readonly Key[], void> {
  let after: readonly [createdAt: Key, key: Key] = [0, 0];
  for (;;) {
    const isAfter = sql<SqlBool>`(created_at, key) > (${after[0]}::bigint, ${after[1]}::bigint)`;
    const rows = await database.read((db) =>
      db
        .selectFrom('executions')
        .select(['created_at', 'key'])
        .where('user_id', '=', toText(userId))
        .where('parent_id', 'is', null)
        .where(isAfter)
        .orderBy('created_at')
        .orderBy('key')
        .limit(rootsPerPage)
        .execute(),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ key }) => key);
    after = [last.created_at, last.key];
  }
}

interface ExportedExecution {
  readonly key: Key;
  readonly root_key: Key;
  readonly row: string;
  readonly root_waits: string | null;
  readonly events: string | null;
}

/** A page of these roots and their sub-workflows, ordered by root. */
async function readTrees(
  database: Database,
  roots: readonly Key[],
  [lastRoot, lastKey]: readonly [root: Key, key: Key],
): Promise<readonly ExportedExecution[]> {
  const rootKey = sql<Key>`coalesce(e.root_key, e.key)`;
  const isAmongRoots = (column: string) => sql<SqlBool>`${sql.ref(column)} = any(${roots}::bigint[])`;
  return database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('executions as e')
          .select(['e.key', rootKey.as('root_key')])
          .where((eb) => eb.or([isAmongRoots('e.key'), isAmongRoots('e.root_key')]))
          .where(sql<SqlBool>`(${rootKey}, e.key) > (${lastRoot}::bigint, ${lastKey}::bigint)`)
          .orderBy(rootKey)
          .orderBy('e.key')
          .limit(executionsPerPage),
      )
      .selectFrom('page')
      .innerJoin('executions as e', 'e.key', 'page.key')
      .leftJoin('executions as r', 'r.key', 'e.root_key')
      .select((eb) => [
        'page.key',
        'page.root_key',
        rowJson,
        rootWaitsJson,
        eb
          .selectFrom('execution_events as v')
          .select(eventsJson)
          .whereRef('v.execution_key', '=', 'e.key')
          .as('events'),
      ])
      .orderBy('page.root_key')
      .orderBy('page.key')
      .execute(),
  );
}
