import type { Conversation, NewConversation } from './conversation.ts';
import type { JsonObject } from './json.ts';
import type { Message, MessageRole, StoredMessage } from './message.ts';
import type { Owner } from './owner.ts';

/**
 * Conversations and their messages. A conversation that is not the owner's is answered like one that is not there.
 *
 * Messages stand in the order in which they were first written. What a call writes is written whole or not at all; of writes to one conversation at the same
 * time, none is lost. Times are by the store's clock. What becomes of a caller's objects after a call, or of those it was handed, changes nothing that is stored.
 */
export interface ConversationStore {
  /** @returns undefined when the id is in use, whoever uses it. */
  create(conversation: NewConversation): Promise<Conversation | undefined>;

  find(owner: Owner, id: string): Promise<Conversation | undefined>;

  /** Whether anybody has a conversation of this id: for who is about to make one. */
  isTaken(id: string): Promise<boolean>;

  /** `total` counts all that match. Titles and ids are ordered by code point. Among equals the id decides, in the same direction. */
  list(
    owner: Owner,
    filter: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }>;

  /** Changes title and metadata, which is replaced as a whole. */
  update(owner: Owner, id: string, change: ConversationChange): Promise<Conversation | undefined>;

  /** Deletes it with its messages and its working memory. @returns whether it was there. */
  delete(owner: Owner, id: string): Promise<boolean>;

  /** A copy, its working memory included. Copied messages get new ids, and keep their order and times. */
  clone(owner: Owner, clone: ConversationClone): Promise<ClonedConversation | 'not-found' | 'taken'>;

  /** The newest messages that fit, `limit` at most, oldest first. */
  messages(
    owner: Owner,
    id: string,
    filter: MessageFilter,
  ): Promise<{ readonly conversation: Conversation; readonly messages: readonly StoredMessage[] } | undefined>;

  /** Those of these messages that it has, in its order; none when it is not there. */
  findMessages(owner: Owner, id: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]>;

  /**
   * Writes messages, one after the other: one whose id it has replaces that, in its place and with its time; others come after the last. Where an id comes
   * twice, the later message is kept, in the place of the earlier.
   */
  save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'>;

  /** @returns the ids of those that were there, in its order; undefined when the conversation is not. */
  deleteMessages(owner: Owner, id: string, messageIds: readonly string[]): Promise<readonly string[] | undefined>;
}

export interface ConversationFilter {
  readonly resourceId?: string;
  readonly userId?: string;
  readonly orderBy: 'createdAt' | 'updatedAt' | 'title';
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

export interface ConversationChange {
  readonly title?: string;
  readonly metadata?: JsonObject;
}

export interface ConversationClone {
  readonly id: string;
  readonly newId: string;
  /** Default: that of the original. */
  readonly title?: string;
  readonly includeMessages: boolean;
}

export interface ClonedConversation {
  readonly conversation: Conversation;
  readonly messageCount: number;
}

export interface MessageFilter {
  readonly limit: number;
  /** Written before this time, in milliseconds since the epoch, and not at it. */
  readonly before?: number;
  /** Written after this time, and not at it. */
  readonly after?: number;
  readonly roles?: readonly MessageRole[];
}

export interface MessageSave {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  /** Made first where nobody has a conversation of this id. It has the id `conversationId`, and the owner's user. */
  readonly create?: NewConversation;
  /** Messages that stand after this one are deleted before anything is written. One that is not there: nothing is deleted. */
  readonly dropAfter?: string;
}

export interface SavedMessages {
  /** Whether this write made the conversation. */
  readonly isNew: boolean;
  /** Ids of the messages that `dropAfter` deleted, and this write did not bring back. */
  readonly dropped: readonly string[];
}
