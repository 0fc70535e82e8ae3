import type { Conversation, ConversationChange, JsonObject, JsonValue, NewConversation } from '@halyard/contracts';
import { estimatedJsonBytes } from './estimated-bytes.ts';
import { KeptMessages } from './kept-messages.ts';
import type { Link } from './linked-list.ts';

const bytesPerConversation = 1_500;

/** What is kept of a conversation. */
export class KeptConversation {
  /** What is handed out: replaced with each change, never changed. */
  record: Conversation;
  readonly messages: KeptMessages = new KeptMessages();
  workingMemory: JsonValue | undefined = undefined;
  /** Its places in the lists by creation, and by change. */
  createdLinks: readonly Link<KeptConversation>[] = [];
  updatedLinks: readonly Link<KeptConversation>[] = [];
  /** What the table has counted for it. */
  countedMessages = 0;
  countedBytes = 0;

  constructor(conversation: NewConversation, now: number) {
    this.record = new ConversationRecord(conversation, now, now);
  }

  /** Notes that it was changed. */
  change(change: ConversationChange, now: number): void {
    const { id, resourceId, userId, createdAt } = this.record;
    const { title = this.record.title, metadata = this.record.metadata } = change;
    this.record = new ConversationRecord({ id, resourceId, userId, title, metadata }, createdAt, now);
  }

  /** About how much memory it takes. */
  estimatedBytes(): number {
    const { title, metadata } = this.record;
    const bytes = bytesPerConversation + this.messages.bytes + estimatedJsonBytes(title) + estimatedJsonBytes(metadata);
    return this.workingMemory === undefined ? bytes : bytes + estimatedJsonBytes(this.workingMemory);
  }
}

class ConversationRecord implements Conversation {
  readonly id: string;
  readonly resourceId: string;
  readonly userId: string;
  readonly title: string;
  readonly metadata: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;

  constructor({ id, resourceId, userId, title, metadata }: NewConversation, createdAt: number, updatedAt: number) {
    this.id = id;
    this.resourceId = resourceId;
    this.userId = userId;
    this.title = title;
    this.metadata = metadata;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
  }
}
