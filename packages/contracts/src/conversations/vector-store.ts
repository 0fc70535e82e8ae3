import type { Owner } from '../users/owner.ts';
import type { MessageRole } from './message.ts';

/** The text of a message and its embedding. */
export interface MessageVector {
  readonly conversationId: string;
  /** Unique in its conversation. */
  readonly messageId: string;
  readonly userId: string;
  readonly role: MessageRole;
  readonly text: string;
  /** Time of the message, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly embedding: readonly number[];
}

/** All conditions must match. */
export interface VectorQuery {
  readonly embedding: readonly number[];
  readonly conversationId?: string;
  readonly userId?: string;
  readonly limit: number;
  /** The minimum score, 0 to 1. */
  readonly threshold: number;
}

/** A message whose text is similar to the query. */
export interface VectorMatch extends Omit<MessageVector, 'embedding'> {
  /** Cosine similarity, 0 to 1; a negative similarity counts as 0. */
  readonly score: number;
}

/** Searches the texts of messages by meaning. */
export interface VectorStore {
  /**
   * Writes vectors; a stored vector of the same message is replaced. @throws ConfigurationError
   * when their number of dimensions differs from that of the stored ones.
   */
  upsert(vectors: readonly MessageVector[]): Promise<void>;

  /**
   * The best matches first. Filters apply before `limit`, so vectors of other owners do not
   * displace matches. @throws ConfigurationError like {@link upsert}.
   */
  search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]>;

  /** Deletes the vectors of deleted messages. */
  deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void>;

  /** Deletes all vectors of a conversation. */
  deleteConversation(conversationId: string): Promise<void>;

  /** Deletes all vectors of a user. */
  deleteUser(userId: string): Promise<void>;

  /** Resolves when the store is available, and rejects when it is not. */
  check(): Promise<void>;

  /**
   * Resolves after the first attempt to open the database. Absent: the store needs no opening.
   * @throws ConfigurationError when it cannot be opened until somebody acts.
   */
  opened?(): Promise<void>;

  /** Closes the connections that the store has opened. */
  close(): Promise<void>;
}
