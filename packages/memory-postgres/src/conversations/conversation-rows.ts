import { randomUUID } from 'node:crypto';
import type {
  Conversation,
  JsonObject,
  Message,
  MessagePart,
  MessageRole,
  MessageSave,
  Owner,
  PartsSave,
  StoredMessage,
} from '@halyard/contracts';
import { type AliasedRawBuilder, sql } from 'kysely';
import { fromText, toText } from '../connection/text-codec.ts';

/** Selects the row of `conversations as c` as JSON. */
export const conversationJson: AliasedRawBuilder<string, 'conversation'> = sql<string>`row_to_json(c)::text`.as(
  'conversation',
);

/**
 * The columns that {@link toMessage} needs, of a query `m` that has read them with
 * {@link wholeMessage}.
 */
export const messageColumns = ['m.id', 'm.role', 'm.parts', 'm.metadata', 'm.created_at'] as const;

/**
 * Selects these columns of `messages as m`. The parts of a message that is still growing are rows
 * of their own.
 */
export function wholeMessage(
  schema: string,
): readonly ['m.id', 'm.role', AliasedRawBuilder<string, 'parts'>, 'm.metadata', 'm.created_at'] {
  return ['m.id', 'm.role', wholeParts(schema), 'm.metadata', 'm.created_at'];
}

/** Selects the parts of `messages as m`. @param schema the quoted name of the schema. */
export function wholeParts(schema: string): AliasedRawBuilder<string, 'parts'> {
  return sql<string>`case when m.open_by is null then m.parts else (
    select '[' || coalesce(string_agg(p.part, ',' order by p.place), '') || ']' from ${sql.raw(schema)}.message_parts as p
    where p.conversation_key = m.conversation_key and p.message_created_at = m.created_at) end`.as('parts');
}

interface ConversationRow {
  readonly id: string;
  readonly resource_id: string;
  readonly user_id: string;
  readonly title: string;
  readonly metadata: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface MessageRow {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: string;
  readonly metadata: string | null;
  readonly created_at: string | number;
}

/** @param json a row of `conversations` as `row_to_json` returns it. */
export function toConversation(json: string): Conversation {
  const row = JSON.parse(json) as ConversationRow;
  return {
    id: fromText(row.id),
    resourceId: fromText(row.resource_id),
    userId: fromText(row.user_id),
    title: fromText(row.title),
    metadata: JSON.parse(row.metadata) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toMessage({ created_at, id, metadata, parts, role }: MessageRow): StoredMessage {
  return {
    id: fromText(id),
    role,
    parts: JSON.parse(parts) as MessagePart[],
    ...(metadata !== null && { metadata: JSON.parse(metadata) as unknown }),
    createdAt: Number(created_at),
  };
}

/**
 * One item for the SQL function `save_messages`. The request id lets a retried call return the same
 * result.
 */
export function toSaveJson(owner: Owner, { conversationId, create, dropAfter, messages }: MessageSave): string {
  // The last of several messages with the same id replaces the others.
  const byId = new Map(messages.map((message) => [message.id, message]));
  return JSON.stringify({
    id: toText(conversationId),
    owner: owner === 'anyone' ? undefined : toText(owner.user),
    request: create === undefined && dropAfter === undefined ? undefined : randomUUID(),
    create: create && {
      resourceId: toText(create.resourceId),
      userId: toText(create.userId),
      title: toText(create.title),
      metadata: JSON.stringify(create.metadata),
    },
    dropAfter: dropAfter === undefined ? undefined : toText(dropAfter),
    messages: [...byId.values()].map(toMessageJson),
  });
}

function toMessageJson({ id, metadata, parts, role }: Message): object {
  return {
    id: toText(id),
    role,
    parts: JSON.stringify(parts),
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
  };
}

/** One item for the SQL function `save_parts`. */
export function toPartsJson(
  owner: Owner,
  { conversationId, length, messageId, metadata, parts, writer }: PartsSave,
): string {
  return JSON.stringify({
    id: toText(conversationId),
    owner: owner === 'anyone' ? undefined : toText(owner.user),
    message: toText(messageId),
    writer: toText(writer),
    length,
    parts: parts.map(({ part, place }) => [place, JSON.stringify(part)]),
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
  });
}

/** The nearest number that both JavaScript and a `bigint` can represent. */
export function toBigInteger(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
