import type { Conversation, MessageFilter, MessageRole, Owner, StoredMessage } from '@halyard/contracts';
import { conversationJsonSql, conversationRecord } from './conversation-record.ts';
import type { Database } from './database.ts';
import { messageRecord, type MessageRow } from './message-record.ts';
import { ownerValue } from './of-owner.ts';
import { toText } from './text-codec.ts';

/** As the first row has it; where there are no messages, that row has nothing else. */
type ReadRow = { readonly conversation: string | null } & (MessageRow | { readonly id: null });

/** Roles that an index of their own finds, however seldom they are. */
const seldomRoles: readonly MessageRole[] = ['system', 'tool'];

/** A conversation and the newest of its messages that fit, oldest first: one statement. */
export async function readMessages(
  database: Database,
  owner: Owner,
  id: string,
  filter: MessageFilter,
): Promise<{ readonly conversation: Conversation; readonly messages: readonly StoredMessage[] } | undefined> {
  const { schema } = database;
  const values: unknown[] = [toText(id), ownerValue(owner), filter.limit];
  const conditions = conditionsOf(filter, values);
  const rows = await database.query<ReadRow>(
    `select case when row_number() over (order by m.created_at) = 1 then ${conversationJsonSql} end as conversation,
      m.id, m.role, m.parts, m.metadata, m.created_at
    from ${schema}.conversations c left join lateral (
      select m.id, m.role, m.parts, m.metadata, m.created_at from ${schema}.messages m
      where m.conversation_key = c.key${conditions} order by m.created_at desc limit $3
    ) m on true
    where c.id = $1 and ($2::text is null or c.user_id = $2) order by m.created_at`,
    values,
    { bearsTwice: true },
  );
  const json = rows[0]?.conversation;
  if (json === undefined || json === null) return undefined;
  return {
    conversation: conversationRecord(json),
    messages: rows.flatMap((row) => (row.id === null ? [] : messageRecord(row))),
  };
}

function conditionsOf({ after, before, roles }: MessageFilter, values: unknown[]): string {
  let conditions = '';
  if (before !== undefined) conditions += ` and m.created_at < $${values.push(wholeTime(Math.ceil(before)))}::bigint`;
  if (after !== undefined) conditions += ` and m.created_at > $${values.push(wholeTime(Math.floor(after)))}::bigint`;
  if (roles !== undefined) {
    conditions += ` and m.role = any($${values.push(roles)}::text[])`;
    // Said so that the index is known to fit, whatever the values are.
    if (roles.every((role) => seldomRoles.includes(role))) conditions += ` and m.role in ('system', 'tool')`;
  }
  return conditions;
}

function wholeTime(time: number): number {
  return Math.min(Math.max(time, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
