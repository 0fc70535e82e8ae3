import type { Conversation, MessageVector, StoredMessage } from '@halyard/contracts';
import { messageText } from './message-text.ts';

/** The text of a message, and where it stands: a vector without its embedding. */
export class IndexedMessage implements Omit<MessageVector, 'embedding'> {
  readonly conversationId: string;
  readonly messageId: string;
  readonly userId: string;
  readonly role: StoredMessage['role'];
  readonly text: string;
  readonly createdAt: number;

  constructor({ id, userId }: Conversation, message: StoredMessage) {
    this.conversationId = id;
    this.messageId = message.id;
    this.userId = userId;
    this.role = message.role;
    this.text = messageText(message);
    this.createdAt = message.createdAt;
  }

  withEmbedding(embedding: readonly number[]): MessageVector {
    return { ...this, embedding };
  }
}
