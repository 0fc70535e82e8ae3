import type { Conversation, JsonObject } from '@halyard/contracts';
import { type AliasedRawBuilder, sql } from 'kysely';
import { fromText } from '../connection/text-codec.ts';

/** What is read of `conversations as c`, as text: the same from every driver. */
export const conversationJsonSql =
  'json_build_array(c.id, c.resource_id, c.user_id, c.title, c.metadata, c.created_at, c.updated_at)::text';
export const conversationJson: AliasedRawBuilder<string, 'conversation'> = sql
  .raw<string>(conversationJsonSql)
  .as('conversation');

type ConversationRow = readonly [
  id: string,
  resourceId: string,
  userId: string,
  title: string,
  metadata: string,
  createdAt: number,
  updatedAt: number,
];

/** @param json as {@link conversationJson} gives it. */
export function conversationRecord(json: string): Conversation {
  return new ConversationRecord(JSON.parse(json) as ConversationRow);
}

class ConversationRecord implements Conversation {
  readonly id: string;
  readonly resourceId: string;
  readonly userId: string;
  readonly title: string;
  readonly metadata: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;

  constructor([id, resourceId, userId, title, metadata, createdAt, updatedAt]: ConversationRow) {
    this.id = fromText(id);
    this.resourceId = fromText(resourceId);
    this.userId = fromText(userId);
    this.title = fromText(title);
    this.metadata = JSON.parse(metadata) as JsonObject;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
  }
}
