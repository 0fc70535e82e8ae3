import type { ClonedConversation, ConversationClone, Owner } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { ownerValue } from '../connection/of-owner.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationJsonSql, conversationRecord } from './conversation-record.ts';

interface CloneRow {
  readonly is_there: boolean;
  readonly conversation: string | null;
  readonly copied: number;
}

/** Copies a conversation as it is at one moment: one statement, which holds up nobody who writes to the original. */
export async function cloneConversation(
  database: Database,
  owner: Owner,
  { id, includeMessages, newId, title }: ConversationClone,
): Promise<ClonedConversation | 'not-found' | 'taken'> {
  const { schema, shiftMs } = database;
  const [row] = await database.query<CloneRow>(
    `with original as materialized (
      select * from ${schema}.conversations c where c.id = $1 and ($2::text is null or c.user_id = $2)
    ), copy as (
      insert into ${schema}.conversations as c (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
      select $3, o.resource_id, o.user_id, coalesce($4, o.title), o.metadata, now_ms, now_ms, ''
      from original o, (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $5::bigint as now_ms) as clock
      on conflict (id) do nothing
      returning c.key, ${conversationJsonSql} as conversation
    ), messages as (
      insert into ${schema}.messages (conversation_key, created_at, id, role, parts, metadata)
      select copy.key, m.created_at, gen_random_uuid()::text, m.role, m.parts, m.metadata
      from copy, original o join ${schema}.messages m on m.conversation_key = o.key where $6::boolean
      returning 1
    ), memory as (
      insert into ${schema}.working_memory (conversation_key, content, last_writes)
      select copy.key, w.content, '{}' from copy, original o join ${schema}.working_memory w on w.conversation_key = o.key
    )
    select exists (select from original) as is_there, (select conversation from copy), (select count(*)::integer from messages) as copied`,
    [
      toText(id),
      ownerValue(owner),
      toText(newId),
      title === undefined ? null : toText(title),
      shiftMs,
      includeMessages,
    ],
  );
  if (row?.is_there !== true) return 'not-found';
  if (row.conversation === null) return 'taken';
  return { conversation: conversationRecord(row.conversation), messageCount: row.copied };
}
