import type {
  ClonedConversation,
  Clock,
  Conversation,
  ConversationChange,
  ConversationClone,
  ConversationFilter,
  ConversationStore,
  Ids,
  MessageFilter,
  MessagePage,
  MessageSave,
  NewConversation,
  Owner,
  PartsSave,
  SavedMessages,
  StoredMessage,
  WaitingMessage,
} from '@halyard/contracts';
import { firstWithin } from '../first-within.ts';
import { frozenCopy } from '../frozen-copy.ts';
import type { ConversationTable } from './conversation-table.ts';
import type { StoredConversation } from './stored-conversation.ts';
import { countBytes } from './stored-messages.ts';

/**
 * Conversations of one process, gone when it ends. Each method does its work before it returns, so
 * that no other call runs in between.
 *
 * Messages and metadata are copied when they are written. Returned values are frozen, and not
 * copied.
 */
export class InMemoryConversationStore implements ConversationStore {
  readonly #table: ConversationTable;
  readonly #clock: Clock;
  readonly #ids: Ids;
  #lastNow = 0;

  constructor(table: ConversationTable, clock: Clock, ids: Ids) {
    this.#table = table;
    this.#clock = clock;
    this.#ids = ids;
  }

  async create(conversation: NewConversation): Promise<Conversation | undefined> {
    if (this.#table.get(conversation.id) !== undefined) return undefined;
    return this.#table.add(conversation, this.#now()).record;
  }

  async find(owner: Owner, id: string): Promise<Conversation | undefined> {
    return this.#table.find(owner, id)?.record;
  }

  async isTaken(id: string): Promise<boolean> {
    return this.#table.get(id) !== undefined;
  }

  async list(
    owner: Owner,
    filter: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
    return this.#table.list(owner, filter);
  }

  async update(owner: Owner, id: string, { title, metadata }: ConversationChange): Promise<Conversation | undefined> {
    const stored = this.#table.find(owner, id);
    if (stored === undefined) return undefined;
    this.#table.change(stored, {
      ...(title !== undefined && { title }),
      ...(metadata !== undefined && { metadata: frozenCopy(metadata) }),
      updatedAt: this.#now(),
    });
    return stored.record;
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    const stored = this.#table.find(owner, id);
    if (stored !== undefined) this.#table.delete(stored);
    return stored !== undefined;
  }

  async clone(
    owner: Owner,
    clone: ConversationClone,
  ): Promise<ClonedConversation | 'not-found' | 'too-large' | 'taken'> {
    const original = this.#table.find(owner, clone.id);
    if (original === undefined) return 'not-found';
    const {
      newId: id,
      title = original.record.title,
      includeMessages,
      maxBytes = Infinity,
      maxMessages = Infinity,
    } = clone;
    const { bytes, size } = original.messages;
    if (includeMessages && (size > maxMessages || bytes > maxBytes)) return 'too-large';
    if (this.#table.get(id) !== undefined) return 'taken';

    const messages = includeMessages ? original.messages.all() : [];
    const copy = this.#table.add({ ...original.record, id, title }, this.#now(), (stored) => {
      stored.workingMemory = original.workingMemory;
      for (const message of messages) stored.messages.add({ ...message, id: this.#ids.next() }, message.createdAt);
    });
    return { conversation: copy.record, messageCount: copy.messages.size };
  }

  async messages(owner: Owner, id: string, filter: MessageFilter): Promise<MessagePage | undefined> {
    const stored = this.#table.find(owner, id);
    return stored && { conversation: stored.record, ...stored.messages.newest(filter) };
  }

  async countMessages(owner: Owner, id: string, before: number): Promise<number> {
    return this.#table.find(owner, id)?.messages.countBefore(before) ?? 0;
  }

  async findMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
    maxBytes?: number,
  ): Promise<readonly StoredMessage[]> {
    return this.#table.find(owner, id)?.messages.find(messageIds, maxBytes) ?? [];
  }

  async save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { conversationId, create, dropAfter } = save;
    // Copied before anything is written: a message that cannot be copied must not leave a half of
    // the save behind.
    const messages = save.messages.map((message) => frozenCopy(message));
    const now = this.#now();
    const write = (stored: StoredConversation): void => {
      for (const message of messages) stored.messages.put(message, now);
    };

    const stored = this.#table.find(owner, conversationId);
    if (stored === undefined) {
      if (create === undefined || this.#table.get(conversationId) !== undefined) return 'not-found';
      this.#table.add(create, now, write);
      return { isNew: true, dropped: [] };
    }

    const deleted = dropAfter === undefined ? [] : stored.messages.idsAfter(dropAfter);
    if (deleted.length === 0 && messages.length === 0) return { isNew: false, dropped: [] };
    this.#table.change(stored, { updatedAt: now }, () => {
      stored.messages.delete(deleted);
      write(stored);
    });
    const written = new Set(messages.map(({ id }) => id));
    return { isNew: false, dropped: deleted.filter((id) => !written.has(id)) };
  }

  async saveParts(owner: Owner, save: PartsSave): Promise<boolean> {
    const copied = frozenCopy(save);
    const stored = this.#table.find(owner, save.conversationId);
    if (stored === undefined || !stored.messages.takesParts(copied)) return false;
    const now = this.#now();
    this.#table.change(stored, { updatedAt: now }, () => stored.messages.putParts(copied, now));
    return true;
  }

  async listWaiting(
    owner: Owner,
    limit: number,
    maxBytes?: number,
    conversationIds?: readonly string[],
  ): Promise<readonly WaitingMessage[]> {
    const changedLast = { orderBy: 'updatedAt', direction: 'desc', limit, offset: 0 } as const;
    const conversations =
      conversationIds === undefined
        ? this.#table.list(owner, changedLast).conversations
        : this.#changedLast(owner, conversationIds).slice(0, limit);
    const waiting = conversations.flatMap((conversation) => {
      const newest = this.#table.get(conversation.id)?.messages.newest({ limit: 1, roles: ['user', 'assistant'] });
      const message = newest?.messages[0];
      return message !== undefined && waitsForApproval(message) ? [{ conversation, message }] : [];
    });
    const bytes = ({ message }: WaitingMessage): number => countBytes(message);
    const smallestFirst = waiting.toSorted((one, other) => bytes(one) - bytes(other));
    const kept = new Set(firstWithin(smallestFirst, maxBytes ?? Infinity, bytes));
    return waiting.filter((each) => kept.has(each));
  }

  async deleteMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const stored = this.#table.find(owner, id);
    if (stored === undefined) return undefined;
    const deleted = stored.messages.find(messageIds).map((message) => message.id);
    if (deleted.length > 0) {
      this.#table.change(stored, { updatedAt: this.#now() }, () => stored.messages.delete(deleted));
    }
    return deleted;
  }

  #changedLast(owner: Owner, ids: readonly string[]): readonly Conversation[] {
    return [...new Set(ids)]
      .flatMap((id) => this.#table.find(owner, id)?.record ?? [])
      .toSorted((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1));
  }

  /** Never goes back when the clock does: a later change has a later or the same time. */
  #now(): number {
    this.#lastNow = Math.max(this.#lastNow, this.#clock.now());
    return this.#lastNow;
  }
}

function waitsForApproval({ parts, role }: StoredMessage): boolean {
  return role === 'assistant' && parts.some((part) => 'state' in part && part.state === 'approval-requested');
}
