import type { NewConversation, Owner } from '@halyard/contracts';
import { ListsByKey } from '../telemetry/lists-by-key.ts';
import { KeptConversation } from './kept-conversation.ts';
import type { LinkedList } from './linked-list.ts';

export interface ConversationLimits {
  /** How many conversations are kept. Default: 10 000. */
  readonly maxConversations?: number;
  /** How many messages are kept, of all conversations together. Default: 100 000. */
  readonly maxMessages?: number;
  /** How many messages of one conversation are kept: the newest. Default: 10 000. */
  readonly maxMessagesPerConversation?: number;
  /** How many bytes conversations may hold, roughly. Default: 128 MiB. */
  readonly maxBytes?: number;
}

/** All conversations, and the orders they are listed in. Keeps no more of them than it may: the one whose last change is the longest ago goes first. */
export class ConversationTable {
  readonly #maxConversations: number;
  readonly #maxMessages: number;
  readonly #maxMessagesPerConversation: number;
  readonly #maxBytes: number;
  readonly #byId = new Map<string, KeptConversation>();
  readonly #byCreation = new ListsByKey<KeptConversation>();
  readonly #byUpdate = new ListsByKey<KeptConversation>();
  #messages = 0;
  #bytes = 0;

  constructor({
    maxConversations = 10_000,
    maxMessages = 100_000,
    maxMessagesPerConversation = 10_000,
    maxBytes = 128 * 1024 * 1024,
  }: ConversationLimits = {}) {
    this.#maxConversations = maxConversations;
    this.#maxMessages = maxMessages;
    this.#maxMessagesPerConversation = maxMessagesPerConversation;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): KeptConversation | undefined {
    return this.#byId.get(id);
  }

  find(owner: Owner, id: string): KeptConversation | undefined {
    const kept = this.#byId.get(id);
    return kept !== undefined && (owner === 'anyone' || kept.record.userId === owner.user) ? kept : undefined;
  }

  /** Exactly those of this user and resource, in the order of creation or of the last change. */
  listOf(
    userId: string | undefined,
    resourceId: string | undefined,
    order: 'createdAt' | 'updatedAt',
  ): LinkedList<KeptConversation> | undefined {
    const lists = order === 'createdAt' ? this.#byCreation : this.#byUpdate;
    return lists.get(keyOf(userId, resourceId));
  }

  /** To be followed by {@link written}. */
  add(conversation: NewConversation, now: number): KeptConversation {
    const kept = new KeptConversation(conversation, now);
    const keys = keysOf(kept);
    kept.createdLinks = keys.map((key) => this.#byCreation.add(key, kept));
    kept.updatedLinks = keys.map((key) => this.#byUpdate.add(key, kept));
    this.#byId.set(kept.record.id, kept);
    return kept;
  }

  /** Notes that a conversation was changed just now. To be followed by {@link written}. */
  moveToNewest(kept: KeptConversation): void {
    for (const link of kept.updatedLinks) link.moveToNewest();
  }

  /** To be called after each write: counts what it has become, and deletes its oldest messages and others beyond the limits. */
  written(kept: KeptConversation): void {
    kept.messages.keepNewest(this.#maxMessagesPerConversation);
    this.#count(kept, kept.messages.size, kept.bytes);
    if (!this.#isOver()) return;
    let link = this.listOf(undefined, undefined, 'updatedAt')?.oldest;
    while (link !== undefined && this.#isOver()) {
      const { value, newer } = link;
      if (value !== kept) this.delete(value);
      link = newer;
    }
  }

  delete(kept: KeptConversation): void {
    for (const link of kept.createdLinks) link.remove();
    for (const link of kept.updatedLinks) link.remove();
    for (const key of keysOf(kept)) {
      this.#byCreation.dropEmpty(key);
      this.#byUpdate.dropEmpty(key);
    }
    this.#byId.delete(kept.record.id);
    this.#count(kept, 0, 0);
  }

  #count(kept: KeptConversation, messages: number, bytes: number): void {
    this.#messages += messages - kept.countedMessages;
    this.#bytes += bytes - kept.countedBytes;
    kept.countedMessages = messages;
    kept.countedBytes = bytes;
  }

  #isOver(): boolean {
    return (
      this.#byId.size > this.#maxConversations || this.#messages > this.#maxMessages || this.#bytes > this.#maxBytes
    );
  }
}

/** Of the lists that a conversation is in. */
function keysOf({ record: { userId, resourceId } }: KeptConversation): readonly string[] {
  return [
    keyOf(undefined, undefined),
    keyOf(userId, undefined),
    keyOf(undefined, resourceId),
    keyOf(userId, resourceId),
  ];
}

function keyOf(userId: string | undefined, resourceId: string | undefined): string {
  return JSON.stringify([userId, resourceId]);
}
