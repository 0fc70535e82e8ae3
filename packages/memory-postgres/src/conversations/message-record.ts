import type { MessagePart, MessageRole, StoredMessage } from '@halyard/contracts';
import { fromText } from '../connection/text-codec.ts';

/** A row of `messages`. */
export interface MessageRow {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: string;
  readonly metadata: string | null;
  readonly created_at: string | number;
}

export function messageRecord(row: MessageRow): StoredMessage {
  return new MessageRecord(row);
}

class MessageRecord implements StoredMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: MessagePart[];
  // Declared only: where there is none, there is no such key.
  declare readonly metadata?: unknown;
  readonly createdAt: number;

  constructor({ created_at, id, metadata, parts, role }: MessageRow) {
    this.id = fromText(id);
    this.role = role;
    this.parts = JSON.parse(parts) as MessagePart[];
    if (metadata !== null) this.metadata = JSON.parse(metadata);
    this.createdAt = Number(created_at);
  }
}
