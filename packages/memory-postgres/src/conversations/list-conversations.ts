import type { Conversation, ConversationFilter, Owner } from '@halyard/contracts';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { ofOwner } from '../connection/of-owner.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationJson, conversationRecord } from './conversation-record.ts';

/** A page of what matches, and how many match in all: one statement, so that both are of one moment. */
export async function listConversations(
  database: Database,
  owner: Owner,
  filter: ConversationFilter,
): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
  const matches = sql.join<SqlBool>([ofOwner(owner, 'c'), ...conditions(filter)], sql` and `);
  const rows = await database.read((db) =>
    db
      .with('page', (cte) =>
        cte
          .selectFrom('conversations as c')
          .select([conversationJson, sql<string | number>`row_number() over (order by ${order(filter)})`.as('place')])
          .where(matches)
          .orderBy(order(filter))
          .limit(filter.limit)
          .offset(filter.offset),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom('conversations as c')
          .select(sql<string | number>`count(*)`.as('total'))
          .where(matches)
          .as('t'),
      )
      .leftJoin('page', (join) => join.onTrue())
      .select(['t.total', 'page.conversation'])
      .orderBy('page.place')
      .execute(),
  );
  const conversations = rows.flatMap(({ conversation }) =>
    conversation === null ? [] : conversationRecord(conversation),
  );
  return { conversations, total: Number(rows[0]?.total ?? 0) };
}

/** Of titles the index has the beginning: the whole may be longer than an entry can be. */
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

function conditions({ resourceId, userId }: ConversationFilter): readonly RawBuilder<SqlBool>[] {
  const found: RawBuilder<SqlBool>[] = [];
  if (resourceId !== undefined) found.push(sql`c.resource_id = ${toText(resourceId)}`);
  if (userId !== undefined) found.push(sql`c.user_id = ${toText(userId)}`);
  return found;
}
