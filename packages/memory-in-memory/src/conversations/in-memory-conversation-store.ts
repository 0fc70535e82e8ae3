import type {
  ClonedConversation,
  Clock,
  Conversation,
  ConversationChange,
  ConversationClone,
  ConversationFilter,
  ConversationStore,
  Ids,
  Message,
  MessageFilter,
  MessageSave,
  NewConversation,
  Owner,
  SavedMessages,
  StoredMessage,
} from '@halyard/contracts';
import { frozenCopy } from '../frozen-copy.ts';
import type { ConversationTable } from './conversation-table.ts';
import type { KeptConversation } from './kept-conversation.ts';
import { listConversations } from './list-conversations.ts';

/**
 * Conversations of one process, gone when it ends. Each method does its work before it returns, so that nothing comes in between.
 *
 * Messages and metadata are copied when they are written; what is handed out is frozen, and not copied.
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
    const kept = this.#table.add(conversation, this.#now());
    this.#table.written(kept);
    return kept.record;
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
    return listConversations(this.#table, owner, filter);
  }

  async update(owner: Owner, id: string, change: ConversationChange): Promise<Conversation | undefined> {
    const kept = this.#table.find(owner, id);
    if (kept === undefined) return undefined;
    kept.changeTo(change, this.#now());
    this.#changed(kept);
    return kept.record;
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    const kept = this.#table.find(owner, id);
    if (kept === undefined) return false;
    this.#table.delete(kept);
    return true;
  }

  async clone(owner: Owner, clone: ConversationClone): Promise<ClonedConversation | 'not-found' | 'taken'> {
    const original = this.#table.find(owner, clone.id);
    if (original === undefined) return 'not-found';
    if (this.#table.get(clone.newId) !== undefined) return 'taken';

    const { resourceId, userId, metadata } = original.record;
    const { newId, title = original.record.title } = clone;
    const copy = this.#table.add({ id: newId, resourceId, userId, title, metadata }, this.#now());
    copy.note(original.workingMemory);
    if (clone.includeMessages) {
      for (const message of original.messages.all()) {
        copy.messages.add(message, message.createdAt, this.#ids.next());
      }
    }
    this.#table.written(copy);
    return { conversation: copy.record, messageCount: copy.messages.size };
  }

  async messages(
    owner: Owner,
    id: string,
    filter: MessageFilter,
  ): Promise<{ readonly conversation: Conversation; readonly messages: readonly StoredMessage[] } | undefined> {
    const kept = this.#table.find(owner, id);
    return kept && { conversation: kept.record, messages: kept.messages.newest(filter) };
  }

  async findMessages(owner: Owner, id: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]> {
    return this.#table.find(owner, id)?.messages.find(messageIds) ?? [];
  }

  async save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { conversationId, messages, create, dropAfter } = save;
    // Before anything is written: what cannot be read is not to leave half of it.
    const copies = messages.map(copyOf);
    const now = this.#now();
    let kept = this.#table.find(owner, conversationId);
    const isNew = kept === undefined;
    if (kept === undefined) {
      if (create === undefined || this.#table.get(conversationId) !== undefined) return 'not-found';
      kept = this.#table.add(create, now);
    }

    const deleted = dropAfter === undefined ? [] : kept.messages.dropAfter(dropAfter);
    for (const message of copies) kept.messages.put(message, now);
    if (isNew) this.#table.written(kept);
    else if (deleted.length > 0 || copies.length > 0) this.#touch(kept, now);
    return { isNew, dropped: deleted.length === 0 ? deleted : withoutThose(deleted, copies) };
  }

  async deleteMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const kept = this.#table.find(owner, id);
    if (kept === undefined) return undefined;
    const deleted = kept.messages.delete(messageIds);
    if (deleted.length > 0) this.#touch(kept, this.#now());
    return deleted;
  }

  #touch(kept: KeptConversation, now: number): void {
    kept.touch(now);
    this.#changed(kept);
  }

  #changed(kept: KeptConversation): void {
    this.#table.moveToNewest(kept);
    this.#table.written(kept);
  }

  /** Never goes back, so that lists that are kept in the order of writes are in the order of times. */
  #now(): number {
    this.#lastNow = Math.max(this.#lastNow, this.#clock.now());
    return this.#lastNow;
  }
}

/** The message itself is not kept, its parts and its metadata are. */
function copyOf({ id, role, parts, metadata }: Message): Message {
  return { id, role, parts: frozenCopy(parts), metadata: frozenCopy(metadata) };
}

function withoutThose(ids: readonly string[], messages: readonly Message[]): readonly string[] {
  const isBack = new Set(messages.map(({ id }) => id));
  return ids.filter((id) => !isBack.has(id));
}
