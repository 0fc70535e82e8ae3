import type { DatabaseSync } from 'node:sqlite';
import type { DeletedUserData, JsonValue, UserDataStore, UserRecord } from '@halyard/contracts';
import {
  conversationColumns,
  type ConversationRow,
  messageColumns,
  type MessageRow,
  toConversation,
  toMessage,
} from './conversation-row.ts';
import { inTransaction } from './in-transaction.ts';
import { toText } from './text.ts';

const pageSize = 500;

/** The data of a user in the database, and the executions in another store. */
export class SqliteUserDataStore implements UserDataStore {
  readonly #database: DatabaseSync;
  readonly #executions: UserDataStore;

  constructor(database: DatabaseSync, executions: UserDataStore) {
    this.#database = database;
    this.#executions = executions;
  }

  /**
   * No statement stays open between two records, because the reader may take long or stop early.
   */
  async *export(userId: string): AsyncGenerator<UserRecord, void> {
    const ids = this.#database.prepare('SELECT id FROM conversations WHERE user_id = ?').all(toText(userId));
    for (const { id } of ids as { id: string }[]) yield* this.#conversation(id);
    const notes = this.#database.prepare('SELECT content FROM user_notes WHERE user_id = ?').get(toText(userId));
    if (notes !== undefined)
      yield { type: 'working-memory', content: JSON.parse(String(notes['content'])) as JsonValue };
    yield* this.#executions.export(userId);
  }

  async delete(userId: string): Promise<DeletedUserData> {
    const user = toText(userId);
    const deleted = inTransaction(this.#database, () => {
      const owned = 'conversation_id IN (SELECT id FROM conversations WHERE user_id = ?)';
      const messages = this.#database.prepare(`DELETE FROM messages WHERE ${owned}`).run(user).changes;
      const conversations = this.#database.prepare('DELETE FROM conversations WHERE user_id = ?').run(user).changes;
      this.#database.prepare('DELETE FROM user_notes WHERE user_id = ?').run(user);
      for (const table of ['open_approvals', 'approval_decisions'])
        this.#database.prepare(`DELETE FROM ${table} WHERE user_id = ?`).run(user);
      return { conversations: Number(conversations), messages: Number(messages) };
    });
    const { executions } = await this.#executions.delete(userId);
    return { ...deleted, executions };
  }

  *#conversation(id: string): Generator<UserRecord, void> {
    const row = this.#database.prepare(`SELECT ${conversationColumns} FROM conversations WHERE id = ?`).get(id);
    // It may have been deleted since its id was read.
    if (row === undefined) return;
    const found = row as ConversationRow;
    const conversation = toConversation(found);
    const workingMemory = found.working_memory;
    yield {
      type: 'conversation',
      conversation,
      ...(workingMemory !== null && { workingMemory: JSON.parse(workingMemory) as JsonValue }),
    };
    const page = this.#database.prepare(
      `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND created_at > ? ORDER BY created_at LIMIT ${pageSize}`,
    );
    for (let after = 0, rows: readonly MessageRow[]; ;) {
      rows = page.all(id, after) as MessageRow[];
      for (const message of rows)
        yield { type: 'message', conversationId: conversation.id, message: toMessage(message) };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.created_at;
    }
  }
}
