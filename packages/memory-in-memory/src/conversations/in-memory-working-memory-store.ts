import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import type { ConversationTable } from './conversation-table.ts';
import type { UserNotes } from './user-notes.ts';

/** Working memory of one process: that of a conversation is kept with it, that of users apart. Contents are copied when they are written; what is handed out is frozen. */
export class InMemoryWorkingMemoryStore implements WorkingMemoryStore {
  readonly #conversations: ConversationTable;
  readonly #users: UserNotes;

  constructor(conversations: ConversationTable, users: UserNotes) {
    this.#conversations = conversations;
    this.#users = users;
  }

  async read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined> {
    if (key.scope === 'conversation') return this.#conversations.find(owner, key.conversationId)?.workingMemory;
    return isOf(owner, key.userId) ? this.#users.get(key.userId) : undefined;
  }

  async update(
    owner: Owner,
    key: WorkingMemoryKey,
    change: (content: JsonValue | undefined) => JsonValue | undefined,
  ): Promise<boolean> {
    if (key.scope === 'user') {
      if (!isOf(owner, key.userId)) return false;
      this.#users.set(key.userId, change(this.#users.get(key.userId)));
      return true;
    }
    const conversation = this.#conversations.find(owner, key.conversationId);
    if (conversation === undefined) return false;
    conversation.note(change(conversation.workingMemory));
    this.#conversations.written(conversation);
    return true;
  }
}

function isOf(owner: Owner, userId: string): boolean {
  return owner === 'anyone' || owner.user === userId;
}
