import type { Conversation, ConversationFilter, Owner } from '@halyard/contracts';
import { type Expression, expressionBuilder, type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy } from '../connection/sql-fragments.ts';
import type { Tables } from '../connection/tables.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationJson, toConversation } from './conversation-rows.ts';

/**
 * A page of the matching conversations, and their total number. One statement, so that both are
 * consistent.
 */
export async function listConversations(
  database: Database,
  owner: Owner,
  filter: ConversationFilter,
): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
  const matches = matching(owner, filter);
  const rows = await database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('conversations as c')
          .select(['c.key', sql<string | number>`row_number() over (order by ${order(filter)})`.as('position')])
          .where(matches)
          .orderBy(order(filter))
          .limit(filter.limit)
          .offset(filter.offset),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom('conversations as c')
          .select(eb.fn.countAll<string | number>().as('total'))
          .where(matches)
          .as('counted'),
      )
      // The total is also needed when the page is empty.
      .leftJoin('page', (join) => join.onTrue())
      // Only the page becomes JSON, not the rows before it.
      .leftJoin('conversations as c', 'c.key', 'page.key')
      .select(['counted.total', 'c.key', conversationJson])
      .orderBy('page.position')
      .execute(),
  );
  const conversations = rows.flatMap(({ conversation, key }) => (key === null ? [] : toConversation(conversation)));
  return { conversations, total: Number(rows[0]?.total ?? 0) };
}

/**
 * The index on titles contains their first 100 characters: whole titles may be too long for an
 * index entry.
 */
function order({ direction, orderBy }: ConversationFilter): RawBuilder<unknown> {
  const way = sql.raw(direction);
  switch (orderBy) {
    case 'createdAt':
      return sql`c.created_at ${way}, c.id ${way}`;
    case 'updatedAt':
      return sql`c.updated_at ${way}, c.id ${way}`;
    case 'title':
      return sql`left(c.title, 100) ${way}, c.title ${way}, c.id ${way}`;
    default:
      return orderBy satisfies never;
  }
}

function matching(owner: Owner, { resourceId, userId }: ConversationFilter): Expression<SqlBool> {
  const eb = expressionBuilder<{ readonly c: Tables['conversations'] }, 'c'>();
  const conditions: Expression<SqlBool>[] = [isOwnedBy(owner, 'c.user_id')];
  if (resourceId !== undefined) conditions.push(eb('c.resource_id', '=', toText(resourceId)));
  if (userId !== undefined) conditions.push(eb('c.user_id', '=', toText(userId)));
  return eb.and(conditions);
}
