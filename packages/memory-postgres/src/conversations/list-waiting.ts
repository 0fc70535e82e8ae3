import type { Owner, WaitingMessage } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationJson, messageColumns, toConversation, toMessage, wholeMessage } from './conversation-rows.ts';

/**
 * The newest message of each of the conversations that changed last, where a tool call in it waits
 * for an approval. Both the conversations and their newest messages are read from an index, so the
 * cost depends on `limit` alone. Of more than `maxBytes`, the largest are left out.
 */
export async function listWaiting(
  database: Database,
  owner: Owner,
  limit: number,
  maxBytes: number = Number.MAX_SAFE_INTEGER,
  conversationIds?: readonly string[],
): Promise<readonly WaitingMessage[]> {
  // Users write messages and metadata of any size. PostgreSQL knows the length of a text without
  // reading it.
  const bytes = sql`octet_length(m.parts) + coalesce(octet_length(m.metadata), 0) + octet_length(c.metadata)`;
  const smallestFirst = sql`over (order by ${bytes}, c.id)`;
  const rows = await database.read((db) =>
    db
      .selectFrom((waiting) =>
        waiting
          .selectFrom((eb) =>
            eb
              .selectFrom('conversations as c')
              .selectAll()
              .where(isOwnedBy(owner, 'c.user_id'))
              .$if(conversationIds !== undefined, (some) =>
                some.where(sql<boolean>`c.id = any(${conversationIds?.map(toText)}::text[])`),
              )
              .orderBy('c.updated_at', 'desc')
              .orderBy('c.id', 'desc')
              .limit(limit)
              .as('c'),
          )
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom('messages as m')
                .select(wholeMessage(database.schema))
                .whereRef('m.conversation_key', '=', 'c.key')
                .where('m.role', 'in', ['user', 'assistant'])
                .orderBy('m.created_at', 'desc')
                .limit(1)
                .as('m'),
            (join) => join.onTrue(),
          )
          .select(conversationJson)
          .select(messageColumns)
          .select(['c.updated_at as changed_at', 'c.id as conversation_id'])
          .select([
            sql<number>`row_number() ${smallestFirst}`.as('place'),
            sql<number>`sum(${bytes}) ${smallestFirst}`.as('bytes'),
          ])
          .where('m.role', '=', 'assistant')
          // Most messages are not parsed: this text is in none of them, except in texts about it.
          .where(sql<boolean>`position('"approval-requested"' in m.parts) > 0`)
          .as('m'),
      )
      .select('m.conversation')
      .select(messageColumns)
      .where((eb) => eb.or([eb('m.place', '=', 1), eb('m.bytes', '<=', maxBytes)]))
      .orderBy('m.changed_at', 'desc')
      .orderBy('m.conversation_id', 'desc')
      .execute(),
  );
  return rows.flatMap(({ conversation, ...row }) => {
    const message = toMessage(row);
    const isWaiting = message.parts.some((part) => 'state' in part && part.state === 'approval-requested');
    return isWaiting ? [{ conversation: toConversation(conversation), message }] : [];
  });
}
