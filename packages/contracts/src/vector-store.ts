import type { MessageRole } from './message.ts';
import type { Owner } from './owner.ts';

/** The text of a message, and where it stands among all texts. */
export interface MessageVector {
  readonly conversationId: string;
  /** Unique in its conversation. */
  readonly messageId: string;
  readonly userId: string;
  readonly role: MessageRole;
  readonly text: string;
  /** When the message was written, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly embedding: readonly number[];
}

export interface VectorQuery {
  readonly embedding: readonly number[];
  readonly conversationId?: string;
  readonly userId?: string;
  readonly limit: number;
  /** The least score, 0 to 1. */
  readonly threshold: number;
}

export interface VectorMatch extends Omit<MessageVector, 'embedding'> {
  /** Cosine similarity; what points away counts as 0. */
  readonly score: number;
}

/** The texts of messages, found by what they mean. */
export interface VectorStore {
  /** Writes vectors; one of the same message is replaced. @throws ConfigurationError when they have another number of dimensions than those stored. */
  upsert(vectors: readonly MessageVector[]): Promise<void>;

  /** The nearest, best first. Filters hold before `limit` does: what others own takes no place. @throws ConfigurationError as {@link upsert}. */
  search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]>;

  /** Deletes the vectors of messages that are there no more. */
  deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void>;

  deleteConversation(conversationId: string): Promise<void>;

  deleteUser(userId: string): Promise<void>;

  /** Resolves when it can serve; rejects when it cannot. */
  check(): Promise<void>;

  close(): Promise<void>;
}
