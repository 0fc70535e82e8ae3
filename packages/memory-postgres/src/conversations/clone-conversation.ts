import type { ClonedConversation, ConversationClone, Owner } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime, isOwnedBy } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';
import { toBigInteger, toConversation, wholeParts } from './conversation-rows.ts';

/**
 * Copies a conversation with its working memory. One statement: the copy is consistent, and writers
 * of the original do not have to wait. Its advisory lock tells savers that the id is being used.
 */
export async function cloneConversation(
  database: Database,
  owner: Owner,
  { id, includeMessages, maxBytes = Infinity, maxMessages = Infinity, newId, title }: ConversationClone,
): Promise<ClonedConversation | 'not-found' | 'too-large' | 'taken'> {
  const row = await database.run((db) =>
    db
      .with('clock', (cte) => cte.selectNoFrom(databaseTime(database).as('now')))
      .with(
        (cte) => cte('locked').materialized(),
        (cte) =>
          cte.selectNoFrom(
            sql<string>`pg_advisory_xact_lock(${sql.raw(database.schema)}.conversation_lock(${toText(newId)}))::text`.as(
              'lock',
            ),
          ),
      )
      .with(
        (cte) => cte('original').materialized(),
        (cte) =>
          cte
            .selectFrom('conversations as c')
            .selectAll()
            .where('c.id', '=', toText(id))
            .where(isOwnedBy(owner, 'c.user_id')),
      )
      .with(
        (cte) => cte('sized').materialized(),
        (cte) =>
          cte
            .selectFrom('original as o')
            // Reads no more than one message beyond the limit, and only the lengths.
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom((few) =>
                    few
                      .selectFrom('messages as m')
                      .select([wholeParts(database.schema), 'm.metadata'])
                      .whereRef('m.conversation_key', '=', 'o.key')
                      .where(sql.lit(includeMessages))
                      .limit(toBigInteger(maxMessages + 1))
                      .as('few'),
                  )
                  .select([
                    sql<boolean>`count(*) <= ${toBigInteger(maxMessages)}::bigint and coalesce(sum(octet_length(few.parts) + coalesce(octet_length(few.metadata), 0)), 0) <= ${toBigInteger(maxBytes)}::bigint`.as(
                      'fits',
                    ),
                  ])
                  .as('size'),
              (join) => join.onTrue(),
            )
            .select('size.fits'),
      )
      .with('copy', (cte) =>
        cte
          .insertInto('conversations')
          .columns(['id', 'resource_id', 'user_id', 'title', 'metadata', 'created_at', 'updated_at', 'created_by'])
          .expression((eb) =>
            eb
              .selectFrom(['original as o', 'sized', 'clock', 'locked'])
              .where('sized.fits', '=', true)
              .select([
                sql<string>`${toText(newId)}`.as('id'),
                'o.resource_id',
                'o.user_id',
                title === undefined ? 'o.title' : sql<string>`${toText(title)}`.as('title'),
                'o.metadata',
                'clock.now as created_at',
                'clock.now as updated_at',
                sql<string>`''`.as('created_by'),
              ]),
          )
          .onConflict((conflict) => conflict.column('id').doNothing())
          .returning(['key', sql<string>`row_to_json(conversations)::text`.as('conversation')]),
      )
      .with('copied_messages', (cte) =>
        cte
          .insertInto('messages')
          .columns(['conversation_key', 'created_at', 'id', 'role', 'parts', 'metadata'])
          .expression((eb) =>
            eb
              .selectFrom(['copy', 'original as o'])
              .innerJoin('messages as m', 'm.conversation_key', 'o.key')
              .select([
                'copy.key as conversation_key',
                'm.created_at',
                sql<string>`gen_random_uuid()::text`.as('id'),
                'm.role',
                wholeParts(database.schema),
                'm.metadata',
              ])
              .where(sql.lit(includeMessages)),
          )
          .returning('id'),
      )
      .with('copied_memory', (cte) =>
        cte
          .insertInto('working_memory')
          .columns(['conversation_key', 'content', 'last_writes'])
          .expression((eb) =>
            eb
              .selectFrom(['copy', 'original as o'])
              .innerJoin('working_memory as w', 'w.conversation_key', 'o.key')
              .select(['copy.key as conversation_key', 'w.content', sql<string[]>`'{}'`.as('last_writes')]),
          ),
      )
      .selectFrom(['original', 'sized'])
      .leftJoin('copy', (join) => join.onTrue())
      .select((eb) => [
        'sized.fits',
        'copy.conversation',
        eb.selectFrom('copied_messages').select(eb.fn.countAll<string | number>().as('count')).as('message_count'),
      ])
      .executeTakeFirst(),
  );
  if (row === undefined) return 'not-found';
  if (!row.fits) return 'too-large';
  if (row.conversation === null) return 'taken';
  return { conversation: toConversation(row.conversation), messageCount: Number(row.message_count) };
}
