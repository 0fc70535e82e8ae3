import type { SQLOutputValue } from 'node:sqlite';
import type { Conversation, JsonObject, MessagePart, MessageRole, StoredMessage } from '@halyard/contracts';
import { fromText } from './text.ts';

export const conversationColumns = 'id, resource_id, user_id, title, metadata, working_memory, created_at, updated_at';
export const messageColumns = 'id, role, parts, metadata, created_at';

export interface ConversationRow extends Record<string, SQLOutputValue> {
  readonly id: string;
  readonly resource_id: string;
  readonly user_id: string;
  readonly title: string;
  readonly metadata: string;
  readonly working_memory: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface MessageRow extends Record<string, SQLOutputValue> {
  readonly id: string;
  readonly role: string;
  readonly parts: string;
  readonly metadata: string | null;
  readonly created_at: number;
}

export function toConversation(row: ConversationRow): Conversation {
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

export function toMessage(row: MessageRow): StoredMessage {
  return {
    id: fromText(row.id),
    role: row.role as MessageRole,
    parts: JSON.parse(row.parts) as MessagePart[],
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as unknown }),
    createdAt: row.created_at,
  };
}
