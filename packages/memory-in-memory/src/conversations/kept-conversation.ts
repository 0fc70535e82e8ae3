import type { Conversation, ConversationChange, JsonObject, JsonValue, NewConversation } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';
import { frozenCopy } from '../frozen-copy.ts';
import { KeptMessages } from './kept-messages.ts';
import type { Link } from './linked-list.ts';

const bytesPerConversation = 1_500;

/** What is kept of a conversation. */
export class KeptConversation {
  readonly messages: KeptMessages = new KeptMessages();
  /** Its places in the lists by creation, and by change. */
  createdLinks: readonly Link<KeptConversation>[] = [];
  updatedLinks: readonly Link<KeptConversation>[] = [];
  /** What the table has counted for it. */
  countedMessages = 0;
  countedBytes = 0;
  #record: Conversation;
  #recordBytes: number;
  #workingMemory: JsonValue | undefined = undefined;
  #workingMemoryBytes = 0;

  constructor(conversation: NewConversation, now: number) {
    const kept = { ...conversation, metadata: frozenCopy(conversation.metadata) };
    this.#record = new ConversationRecord(kept, now, now);
    this.#recordBytes = bytesOf(this.#record);
  }

  /** Frozen, since it is handed out: replaced with each change. */
  get record(): Conversation {
    return this.#record;
  }

  /** Frozen, too. */
  get workingMemory(): JsonValue | undefined {
    return this.#workingMemory;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#recordBytes + this.#workingMemoryBytes + this.messages.bytes;
  }

  changeTo({ title, metadata }: ConversationChange, now: number): void {
    const before = this.#record;
    const kept = {
      ...before,
      title: title ?? before.title,
      metadata: metadata === undefined ? before.metadata : frozenCopy(metadata),
    };
    this.#record = new ConversationRecord(kept, before.createdAt, now);
    this.#recordBytes = bytesOf(this.#record);
  }

  /** Notes that something was written that is kept beside the record. */
  touch(now: number): void {
    this.#record = new ConversationRecord(this.#record, this.#record.createdAt, now);
  }

  note(content: JsonValue | undefined): void {
    this.#workingMemory = frozenCopy(content);
    this.#workingMemoryBytes = content === undefined ? 0 : estimatedJsonBytes(this.#workingMemory);
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
    Object.freeze(this);
  }
}

function bytesOf({ title, metadata }: Conversation): number {
  return bytesPerConversation + estimatedJsonBytes(title) + estimatedJsonBytes(metadata);
}
