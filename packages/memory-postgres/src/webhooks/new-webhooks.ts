import type { OpenApproval, WebhookData, WebhookEventType } from '@halyard/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';

/** The columns of {@link newWebhooks}. */
export const newWebhookColumns = ['id', 'url', 'type', 'at', 'user_id', 'data', 'due_at'] as const;

/**
 * The deliveries of an event, for the statement that changes the rows.
 *
 * @param rows the name of the part that returns `user_id` and `ids` of the changed rows.
 */
export function newWebhooks(
  database: Database,
  type: WebhookEventType,
  rows: string,
  more: WebhookData = {},
): RawBuilder<unknown> {
  const name = sql.raw(`${database.schema}.new_webhooks`);
  const ids = sql`changed.ids || ${toWebhookJson(more)}::jsonb`;
  return sql`select added.* from ${sql.table(rows)} as changed,
    ${name}(${type}, ${databaseTime(database)}, changed.user_id, ${ids}) as added`;
}

/** The ids of an open approval, as its webhooks contain them. */
export function toWebhookIds({ agentId, conversationId, id, userId }: OpenApproval): string {
  return toWebhookJson({ agentId, approvalId: id, conversationId, ...(userId !== undefined && { userId }) });
}

/** As the column of a webhook's data contains it. */
export function toWebhookJson(data: WebhookData): string {
  return JSON.stringify(data, (_, value: unknown) => (typeof value === 'string' ? toText(value) : value));
}
