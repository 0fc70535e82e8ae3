import type { Owner, WaitingMessage } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy } from '../connection/sql-fragments.ts';
import { conversationJson, messageColumns, toConversation, toMessage } from './conversation-rows.ts';

/**
 * The newest message of each of the conversations that changed last, where a tool call in it waits for an approval. Both the conversations and their newest
 * messages are read from an index, so the cost depends on `limit` alone.
 */
export async function listWaiting(database: Database, owner: Owner, limit: number): Promise<readonly WaitingMessage[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom('conversations as c')
          .selectAll()
          .where(isOwnedBy(owner, 'c.user_id'))
          .orderBy('c.updated_at', 'desc')
          .orderBy('c.id', 'desc')
          .limit(limit)
          .as('c'),
      )
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('messages as m')
            .select(messageColumns)
            .whereRef('m.conversation_key', '=', 'c.key')
            .where('m.role', 'in', ['user', 'assistant'])
            .orderBy('m.created_at', 'desc')
            .limit(1)
            .as('m'),
        (join) => join.onTrue(),
      )
      .select(conversationJson)
      .select(messageColumns)
      .where('m.role', '=', 'assistant')
      // Most messages are not parsed: this text is in none of them, except in texts about it.
      .where(sql<boolean>`position('"approval-requested"' in m.parts) > 0`)
      .orderBy('c.updated_at', 'desc')
      .orderBy('c.id', 'desc')
      .execute(),
  );
  return rows.flatMap(({ conversation, ...row }) => {
    const message = toMessage(row);
    const isWaiting = message.parts.some((part) => 'state' in part && part.state === 'approval-requested');
    return isWaiting ? [{ conversation: toConversation(conversation), message }] : [];
  });
}
