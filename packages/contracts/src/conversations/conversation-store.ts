import type { JsonObject } from '../json.ts';
import type { Owner } from '../users/owner.ts';
import type { Conversation, NewConversation } from './conversation.ts';
import type { Message, MessagePart, MessageRole, StoredMessage } from './message.ts';

/**
 * Conversations and their messages. A conversation of another owner is treated as unknown.
 *
 * Messages are ordered by their first write. Each call is atomic, and no concurrent write to one
 * conversation is lost. Times are those of the store's clock, in milliseconds since the epoch.
 * Values are stored as they are during the call: changing a passed or returned object later changes
 * nothing in the store.
 */
export interface ConversationStore {
  /** @returns undefined when the id is in use, also by another owner. */
  create(conversation: NewConversation): Promise<Conversation | undefined>;

  find(owner: Owner, id: string): Promise<Conversation | undefined>;

  /** Whether any owner has a conversation with this id. */
  isTaken(id: string): Promise<boolean>;

  /**
   * A page of the matching conversations; `total` counts all of them. Titles and ids are ordered by
   * code point. The id orders equal values, in the same direction.
   */
  list(
    owner: Owner,
    filter: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }>;

  /**
   * Changes title and metadata, which is replaced as a whole. @returns undefined when it does not
   * exist.
   */
  update(owner: Owner, id: string, change: ConversationChange): Promise<Conversation | undefined>;

  /**
   * Deletes a conversation with its messages and its working memory. @returns whether it existed.
   */
  delete(owner: Owner, id: string): Promise<boolean>;

  /**
   * Copies a conversation with its working memory. Copied messages get new ids and keep their order
   * and times. @returns `taken` when the new id is in use.
   */
  clone(owner: Owner, clone: ConversationClone): Promise<ClonedConversation | 'not-found' | 'too-large' | 'taken'>;

  /**
   * The newest messages that match, `limit` and `maxBytes` at most, oldest first. @returns
   * undefined when the conversation does not exist.
   */
  messages(owner: Owner, id: string, filter: MessageFilter): Promise<MessagePage | undefined>;

  /**
   * How many messages of any role it has that were written before this time, in milliseconds since
   * the epoch; 0 when it does not exist.
   */
  countMessages(owner: Owner, id: string, before: number): Promise<number>;

  /**
   * The messages with these ids, in the order of the conversation; none when it does not exist.
   * Only the newest of them if they have more than `maxBytes`, but at least one.
   */
  findMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
    maxBytes?: number,
  ): Promise<readonly StoredMessage[]>;

  /**
   * Writes messages in the given order. A message with a stored id replaces the stored one and
   * keeps its place and time; others are added after the last. Of two messages with one id, the
   * later one is stored, in the place of the earlier.
   *
   * @returns `not-found` when the conversation does not exist and is not created: without `create`,
   * or when another owner has the id.
   */
  save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'>;

  /**
   * Writes some parts of a stored message, and its metadata. Its role, place and time stay. Every
   * method returns the message with these parts.
   *
   * A run calls it for a long reply after each step, and {@link save} with the whole reply at its
   * end. Absent: it calls `save` after each step, too.
   *
   * @returns false, and writes nothing, when the message does not exist, or when a part is not
   * given and the last write of the message was not a `saveParts` of the same writer.
   */
  saveParts?(owner: Owner, save: PartsSave): Promise<boolean>;

  /**
   * The messages that wait for a person: the newest message of a user or an assistant in each
   * conversation, where one of its tool calls waits for an approval. Those of the conversation that
   * changed last come first. A store looks into the `limit` conversations that changed last, and no
   * further.
   *
   * @param maxBytes Default: no limit. Of messages that have more together, with the metadata of
   * their conversations, the largest are left out, but at least one is returned. So large messages
   * of one user do not hide those of others.
   * @param conversationIds Looks into these conversations only. Default: all.
   *
   * Absent: the server lists no approvals that conversations wait for.
   */
  listWaiting?(
    owner: Owner,
    limit: number,
    maxBytes?: number,
    conversationIds?: readonly string[],
  ): Promise<readonly WaitingMessage[]>;

  /**
   * @returns the ids of the deleted messages, in the order of the conversation; undefined when it
   * does not exist.
   */
  deleteMessages(owner: Owner, id: string, messageIds: readonly string[]): Promise<readonly string[] | undefined>;
}

/** All conditions must match. Order and page apply to the conversations that match. */
export interface ConversationFilter {
  readonly resourceId?: string | undefined;
  readonly userId?: string | undefined;
  readonly orderBy: 'createdAt' | 'updatedAt' | 'title';
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Absent fields stay unchanged. */
export interface ConversationChange {
  readonly title?: string;
  readonly metadata?: JsonObject;
}

/** A conversation to copy, and the id of the copy. */
export interface ConversationClone {
  readonly id: string;
  readonly newId: string;
  /** Default: the title of the original. */
  readonly title?: string;
  readonly includeMessages: boolean;
  /** With more messages, nothing is copied: the reply is `too-large`. Default: no limit. */
  readonly maxMessages?: number;
  /**
   * How large the messages may be together, in bytes as in {@link MessageFilter}. Default: no
   * limit.
   */
  readonly maxBytes?: number;
}

/** The copy, and how many messages were copied. */
export interface ClonedConversation {
  readonly conversation: Conversation;
  readonly messageCount: number;
}

/** All conditions must match. */
export interface MessageFilter {
  readonly limit: number;
  /**
   * How large the messages may be together, in bytes of JSON, or of memory in a store that has no
   * JSON. The newest is returned even if it is larger. A store does not read the others into its
   * process. Default: no limit.
   */
  readonly maxBytes?: number | undefined;
  /** Only messages written before this time, in milliseconds since the epoch. */
  readonly before?: number | undefined;
  /** Only messages written after this time, in milliseconds since the epoch. */
  readonly after?: number | undefined;
  readonly roles?: readonly MessageRole[] | undefined;
}

/** The messages of a conversation that a {@link MessageFilter} selects, oldest first. */
export interface MessagePage {
  readonly conversation: Conversation;
  readonly messages: readonly StoredMessage[];
  /** Whether older messages match too. */
  readonly hasMore: boolean;
}

/** One atomic write of messages. */
export interface MessageSave {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  /**
   * The conversation to create when the id is not in use. Its id is `conversationId`, and its user
   * is the owner's.
   */
  readonly create?: NewConversation;
  /**
   * The id of a stored message: all messages after it are deleted before the write. Nothing is
   * deleted when it does not exist.
   */
  readonly dropAfter?: string;
}

/** One atomic write of parts of a message. */
export interface PartsSave {
  readonly conversationId: string;
  readonly messageId: string;
  /**
   * Identifies the caller. No other caller uses it, so a store can tell whether somebody else has
   * written the message since.
   */
  readonly writer: string;
  /** How many parts the message has after the write. */
  readonly length: number;
  /** Parts below `length`, each place at most once. The others stay as they are. */
  readonly parts: readonly IndexedPart[];
  /** Absent: the message has none after the write. */
  readonly metadata?: unknown;
}

/** A part of a message, and its place from 0. */
export interface IndexedPart {
  readonly place: number;
  readonly part: MessagePart;
}

/** The result of a {@link MessageSave}. */
export interface SavedMessages {
  /** Whether this write created the conversation. */
  readonly isNew: boolean;
  /** Ids of the messages that `dropAfter` deleted, except for those that this call wrote again. */
  readonly dropped: readonly string[];
}

/** A message with a tool call that waits for an approval. */
export interface WaitingMessage {
  readonly conversation: Conversation;
  readonly message: StoredMessage;
}
