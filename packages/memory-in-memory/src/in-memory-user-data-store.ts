import type { DeletedUserData, UserDataStore, UserRecord } from '@halyard/contracts';
import type { ConversationTable } from './conversations/conversation-table.ts';
import type { InMemoryWorkingMemoryStore } from './conversations/in-memory-working-memory-store.ts';
import type { InMemoryExecutionStore } from './executions/in-memory-execution-store.ts';
import type { InMemoryApprovalStore } from './in-memory-approval-store.ts';
import type { InMemoryWebhookStore } from './in-memory-webhook-store.ts';
import type { InMemoryStreamStore } from './streams/in-memory-stream-store.ts';

interface UserDataStores {
  readonly approvals: InMemoryApprovalStore;
  readonly conversations: ConversationTable;
  readonly workingMemory: InMemoryWorkingMemoryStore;
  readonly executions: InMemoryExecutionStore;
  readonly streams: InMemoryStreamStore;
  readonly webhooks: InMemoryWebhookStore;
}

/** Exports and deletes a user's data in the stores of one process. */
export class InMemoryUserDataStore implements UserDataStore {
  readonly #stores: UserDataStores;

  constructor(stores: UserDataStores) {
    this.#stores = stores;
  }

  async *export(userId: string): AsyncGenerator<UserRecord, void> {
    const { conversations, workingMemory, executions } = this.#stores;
    for (const stored of conversations.listOfUser(userId)) {
      // It may have been deleted since the export began.
      if (conversations.get(stored.record.id) !== stored) continue;
      const { record: conversation, workingMemory: content } = stored;
      const messages = stored.messages.all();
      yield { type: 'conversation', conversation, ...(content !== undefined && { workingMemory: content }) };
      for (const message of messages) yield { type: 'message', conversationId: conversation.id, message };
    }
    const content = workingMemory.ofUser(userId);
    if (content !== undefined) yield { type: 'working-memory', content };
    for (const { execution, events } of executions.listOfUser(userId)) yield { type: 'execution', execution, events };
  }

  async delete(userId: string): Promise<DeletedUserData> {
    const { approvals, conversations, workingMemory, executions, streams, webhooks } = this.#stores;
    approvals.deleteUser(userId);
    const ofUser = conversations.listOfUser(userId);
    const messages = ofUser.reduce((count, conversation) => count + conversation.messages.size, 0);
    for (const conversation of ofUser) conversations.delete(conversation);
    workingMemory.deleteUser(userId);
    await streams.deleteUser(userId);
    const deleted = executions.deleteUser(userId);
    webhooks.deleteUser(userId);
    return { conversations: ofUser.length, messages, executions: deleted };
  }
}
