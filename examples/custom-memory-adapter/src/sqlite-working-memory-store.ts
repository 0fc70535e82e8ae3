import type { DatabaseSync } from 'node:sqlite';
import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { inTransaction } from './in-transaction.ts';
import { isOwners, ownerParameter } from './owner-condition.ts';
import { toText } from './text.ts';

/**
 * The working memory of a conversation is a column of its row, so it is copied and deleted with the
 * row.
 */
export class SqliteWorkingMemoryStore implements WorkingMemoryStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined> {
    return fromColumn(this.#find(owner, key)?.content);
  }

  async update(
    owner: Owner,
    key: WorkingMemoryKey,
    change: (content: JsonValue | undefined) => JsonValue | undefined,
  ): Promise<boolean> {
    return inTransaction(this.#database, () => {
      const found = this.#find(owner, key);
      if (found === undefined) return false;
      const content = change(fromColumn(found.content));
      this.#write(key, content === undefined ? null : JSON.stringify(content));
      return true;
    });
  }

  /** Undefined when the conversation does not exist or has another owner. */
  #find(owner: Owner, key: WorkingMemoryKey): { readonly content: string | null } | undefined {
    if (key.scope === 'user') {
      if (owner !== 'anyone' && owner.user !== key.userId) return undefined;
      const row = this.#database.prepare('SELECT content FROM user_notes WHERE user_id = ?').get(toText(key.userId));
      return (row as { content: string } | undefined) ?? { content: null };
    }
    return this.#database
      .prepare(`SELECT working_memory AS content FROM conversations WHERE id = :id AND ${isOwners}`)
      .get({ id: toText(key.conversationId), owner: ownerParameter(owner) }) as { content: string | null } | undefined;
  }

  #write(key: WorkingMemoryKey, content: string | null): void {
    if (key.scope === 'conversation') {
      const sql = 'UPDATE conversations SET working_memory = ? WHERE id = ?';
      this.#database.prepare(sql).run(content, toText(key.conversationId));
    } else if (content === null) {
      this.#database.prepare('DELETE FROM user_notes WHERE user_id = ?').run(toText(key.userId));
    } else {
      this.#database
        .prepare('REPLACE INTO user_notes (user_id, content) VALUES (?, ?)')
        .run(toText(key.userId), content);
    }
  }
}

function fromColumn(content: string | null | undefined): JsonValue | undefined {
  return content === null || content === undefined ? undefined : (JSON.parse(content) as JsonValue);
}
