import type { Conversation, ConversationFilter, NewConversation, Owner } from '@halyard/contracts';
import { SortedArray } from '../sorted-array.ts';
import { StoredConversation } from './stored-conversation.ts';

export interface ConversationLimits {
  /** How many conversations are stored. Default: 10 000. */
  readonly maxConversations?: number | undefined;
  /** How many messages are stored, of all conversations together. Default: 100 000. */
  readonly maxMessages?: number | undefined;
  /** How many messages of one conversation are stored: the newest. Default: 10 000. */
  readonly maxMessagesPerConversation?: number | undefined;
  /** Roughly how many bytes conversations may take. Default: 128 MiB. */
  readonly maxBytes?: number | undefined;
}

type Order = ConversationFilter['orderBy'];

/**
 * All conversations, in the orders in which they are listed. Beyond its limits, it deletes the
 * conversation whose last change is the oldest.
 */
export class ConversationTable {
  readonly #limits: Required<ConversationLimits>;
  readonly #byId = new Map<string, StoredConversation>();
  readonly #orders = {
    createdAt: new ConversationOrder('createdAt'),
    updatedAt: new ConversationOrder('updatedAt'),
    title: new ConversationOrder('title'),
  };
  #messages = 0;
  #bytes = 0;

  constructor({
    maxConversations = 10_000,
    maxMessages = 100_000,
    maxMessagesPerConversation = 10_000,
    maxBytes = 128 * 1024 * 1024,
  }: ConversationLimits = {}) {
    this.#limits = { maxConversations, maxMessages, maxMessagesPerConversation, maxBytes };
  }

  get(id: string): StoredConversation | undefined {
    return this.#byId.get(id);
  }

  find(owner: Owner, id: string): StoredConversation | undefined {
    const stored = this.#byId.get(id);
    return stored !== undefined && (owner === 'anyone' || stored.record.userId === owner.user) ? stored : undefined;
  }

  list(
    owner: Owner,
    { userId: wantedUserId, resourceId, orderBy, direction, offset, limit }: ConversationFilter,
  ): { readonly conversations: readonly Conversation[]; readonly total: number } {
    const userId = owner === 'anyone' ? wantedUserId : owner.user;
    if (wantedUserId !== undefined && wantedUserId !== userId) return { conversations: [], total: 0 };

    const matches =
      resourceId === undefined
        ? undefined
        : ({ record }: StoredConversation): boolean => record.resourceId === resourceId;
    const { page, total } = this.#orders[orderBy].of(userId).page(matches, { limit, offset, direction });
    return { conversations: page.map(({ record }) => record), total };
  }

  /** All conversations of a user in the order of their creation. */
  listOfUser(userId: string): readonly StoredConversation[] {
    return [...this.#orders.createdAt.of(userId).ascending()];
  }

  /** Adds a conversation with what `fill` writes into it. */
  add(
    conversation: NewConversation,
    now: number,
    fill: (stored: StoredConversation) => void = () => {},
  ): StoredConversation {
    const stored = new StoredConversation(conversation, now);
    fill(stored);
    stored.messages.keepNewest(this.#limits.maxMessagesPerConversation);
    this.#count(stored, 1);
    this.#byId.set(stored.record.id, stored);
    for (const order of Object.values(this.#orders)) order.add(stored);
    this.#deleteBeyondLimits(stored);
    return stored;
  }

  /**
   * Every write to a conversation that is in the table goes through this method: fields of its
   * record, and what `apply` writes.
   */
  change(stored: StoredConversation, fields: Partial<Conversation>, apply: () => void = () => {}): void {
    const moved = Object.entries(this.#orders).filter(([field]) => field in fields);
    for (const [, order] of moved) order.remove(stored);
    this.#count(stored, -1);
    stored.change(fields);
    apply();
    stored.messages.keepNewest(this.#limits.maxMessagesPerConversation);
    this.#count(stored, 1);
    for (const [, order] of moved) order.add(stored);
    this.#deleteBeyondLimits(stored);
  }

  delete(stored: StoredConversation): void {
    for (const order of Object.values(this.#orders)) order.remove(stored);
    this.#byId.delete(stored.record.id);
    this.#count(stored, -1);
  }

  #count(stored: StoredConversation, sign: 1 | -1): void {
    this.#messages += sign * stored.messages.size;
    this.#bytes += sign * stored.bytes;
  }

  /** Never deletes the conversation that was just written. */
  #deleteBeyondLimits(written: StoredConversation): void {
    while (this.#isBeyondLimits() && this.#byId.size > 1) {
      const [oldest, next] = this.#orders.updatedAt.of(undefined).ascending();
      const deleted = oldest === written ? next : oldest;
      if (deleted !== undefined) this.delete(deleted);
    }
  }

  #isBeyondLimits(): boolean {
    const { maxConversations, maxMessages, maxBytes } = this.#limits;
    return this.#byId.size > maxConversations || this.#messages > maxMessages || this.#bytes > maxBytes;
  }
}

/**
 * Conversations sorted by one field: all of them, and those of each user. The id decides between
 * equal ones.
 */
class ConversationOrder {
  readonly #compare: (one: StoredConversation, other: StoredConversation) => number;
  readonly #all: SortedArray<StoredConversation>;
  readonly #byUser = new Map<string, SortedArray<StoredConversation>>();

  constructor(field: Order) {
    this.#compare = ({ record: one }, { record: other }) =>
      compareValues(one[field], other[field]) || compareValues(one.id, other.id);
    this.#all = new SortedArray(this.#compare);
  }

  of(userId: string | undefined): SortedArray<StoredConversation> {
    if (userId === undefined) return this.#all;
    return this.#byUser.get(userId) ?? new SortedArray(this.#compare);
  }

  add(stored: StoredConversation): void {
    const { userId } = stored.record;
    this.#all.add(stored);
    const ofUser = this.of(userId);
    ofUser.add(stored);
    this.#byUser.set(userId, ofUser);
  }

  remove(stored: StoredConversation): void {
    const { userId } = stored.record;
    this.#all.remove(stored);
    const ofUser = this.of(userId);
    ofUser.remove(stored);
    if (ofUser.size === 0) this.#byUser.delete(userId);
  }
}

/**
 * Texts by code point, like a database that compares bytes of UTF-8. `<` compares UTF-16 units and
 * puts emoji before U+FFFD.
 */
function compareValues(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
