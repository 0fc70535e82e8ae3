import type { Conversation, JsonValue, NewConversation } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { frozenCopy } from '../frozen-copy.ts';
import { StoredMessages } from './stored-messages.ts';

const bytesPerConversation = 1_500;

/** A conversation with everything that is deleted with it. */
export class StoredConversation {
  readonly messages: StoredMessages = new StoredMessages();
  /** Frozen, so that stores can return it: each change replaces it. */
  record: Conversation;
  /** Frozen as well; undefined when there is none. */
  workingMemory: JsonValue | undefined = undefined;

  constructor({ id, resourceId, userId, title, metadata }: NewConversation, now: number) {
    const copied = { id, resourceId, userId, title, metadata: frozenCopy(metadata) };
    this.record = Object.freeze({ ...copied, createdAt: now, updatedAt: now });
  }

  change(fields: Partial<Conversation>): void {
    this.record = Object.freeze({ ...this.record, ...fields });
  }

  /** Roughly how much memory it takes. */
  get bytes(): number {
    const { title, metadata } = this.record;
    const own = estimateBytes(title) + estimateBytes(metadata) + estimateBytes(this.workingMemory);
    return bytesPerConversation + own + this.messages.bytes;
  }
}
