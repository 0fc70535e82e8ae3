import type { DeletedUserData, UserDataStore, UserRecord } from '@halyard/contracts';
import type { ConversationTable } from './conversations/conversation-table.ts';
import type { KeptConversation } from './conversations/kept-conversation.ts';
import type { UserNotes } from './conversations/user-notes.ts';
import type { InMemoryExecutionStore } from './executions/in-memory-execution-store.ts';
import type { InMemoryStreamStore } from './streams/in-memory-stream-store.ts';

/** What one process has stored of a user. */
export class InMemoryUserDataStore implements UserDataStore {
  readonly #conversations: ConversationTable;
  readonly #notes: UserNotes;
  readonly #executions: InMemoryExecutionStore;
  readonly #streams: InMemoryStreamStore;

  constructor(
    conversations: ConversationTable,
    notes: UserNotes,
    executions: InMemoryExecutionStore,
    streams: InMemoryStreamStore,
  ) {
    this.#conversations = conversations;
    this.#notes = notes;
    this.#executions = executions;
    this.#streams = streams;
  }

  async *export(userId: string): AsyncGenerator<UserRecord, void> {
    for (const kept of this.#conversationsOf(userId)) {
      // Deleted while the export was read.
      if (this.#conversations.get(kept.record.id) !== kept) continue;
      const { record: conversation, workingMemory } = kept;
      const messages = kept.messages.all();
      yield { type: 'conversation', conversation, ...(workingMemory === undefined ? {} : { workingMemory }) };
      for (const message of messages) yield { type: 'message', conversationId: conversation.id, message };
    }
    const content = this.#notes.get(userId);
    if (content !== undefined) yield { type: 'working-memory', content };
    for (const { execution, events } of this.#executions.allOf(userId)) yield { type: 'execution', execution, events };
  }

  async delete(userId: string): Promise<DeletedUserData> {
    const kept = this.#conversationsOf(userId);
    const messages = kept.reduce((count, conversation) => count + conversation.messages.size, 0);
    for (const conversation of kept) this.#conversations.delete(conversation);
    this.#notes.set(userId, undefined);
    this.#streams.deleteAllOf(userId);
    return { conversations: kept.length, messages, executions: this.#executions.deleteAllOf(userId) };
  }

  #conversationsOf(userId: string): readonly KeptConversation[] {
    return this.#conversations.listOf(userId, undefined, 'createdAt')?.toArray() ?? [];
  }
}
