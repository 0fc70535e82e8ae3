import { randomUUID } from 'node:crypto';
import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOwnedBy, ownerParameter } from '../connection/sql-fragments.ts';
import { toText } from '../connection/text-codec.ts';

type Change = (content: JsonValue | undefined) => JsonValue | undefined;

interface PendingUpdate {
  readonly change: Change;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A working memory as it was read. Revision 0: there is none. */
interface Snapshot {
  readonly revision: string | number;
  /** JSON. Null: it is empty. */
  readonly content: string | null;
}

/**
 * A row that the SQL function `write_working_memory` returns: the stored content, when the write
 * was outdated.
 */
interface WriteRow extends Snapshot {
  readonly status: 'written' | 'outdated' | 'not-found';
}

/**
 * Working memory in PostgreSQL, for any number of processes. An update reads the content, applies
 * the change in this process, and writes the result if nothing else was written since; otherwise it
 * applies the change again. No connection is reserved in between. Updates of one working memory
 * that arrive while another is in progress share the next write.
 */
export class PostgresWorkingMemoryStore implements WorkingMemoryStore {
  readonly #database: Database;
  /** The updates that wait, by working memory. An entry exists while updates are in progress. */
  readonly #pending = new Map<string, PendingUpdate[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  async read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined> {
    const snapshot = await this.#read(owner, key);
    return parseContent(snapshot?.content ?? null);
  }

  async update(owner: Owner, key: WorkingMemoryKey, change: Change): Promise<boolean> {
    const name = JSON.stringify([owner, key.scope === 'user' ? { user: key.userId } : key.conversationId]);
    return new Promise((resolve, reject) => {
      const pending = this.#pending.get(name);
      pending?.push({ change, resolve, reject });
      if (pending !== undefined) return;
      this.#pending.set(name, [{ change, resolve, reject }]);
      void this.#processPending(owner, key, name);
    });
  }

  async #processPending(owner: Owner, key: WorkingMemoryKey, name: string): Promise<void> {
    for (;;) {
      const updates = this.#pending.get(name) ?? [];
      if (updates.length === 0) break;
      // Later updates must read the content again: their callers may have seen later writes of
      // others.
      this.#pending.set(name, []);
      try {
        await this.#apply(owner, key, updates);
      } catch (error) {
        for (const { reject } of updates) reject(error);
      }
    }
    this.#pending.delete(name);
  }

  async #apply(owner: Owner, key: WorkingMemoryKey, updates: readonly PendingUpdate[]): Promise<void> {
    let snapshot = await this.#read(owner, key);
    while (snapshot !== undefined) {
      const { content, failed, succeeded } = applyChanges(updates, snapshot.content);
      const written = succeeded.length === 0 ? undefined : await this.#write(owner, key, snapshot, content);
      if (written?.status === 'outdated') {
        snapshot = written;
        continue;
      }
      for (const { error, update } of failed) update.reject(error);
      for (const { resolve } of succeeded) resolve(written?.status === 'written');
      return;
    }
    for (const { resolve } of updates) resolve(false);
  }

  /** @returns undefined when the conversation does not exist, or the owner does not match. */
  async #read(owner: Owner, key: WorkingMemoryKey): Promise<Snapshot | undefined> {
    if (key.scope === 'user') {
      if (owner !== 'anyone' && owner.user !== key.userId) return undefined;
      const row = await this.#database.read((db) =>
        db
          .selectFrom('working_memory')
          .select(['revision', 'content'])
          .where('user_id', '=', toText(key.userId))
          .executeTakeFirst(),
      );
      return row ?? { revision: 0, content: null };
    }
    return this.#database.read((db) =>
      db
        .selectFrom('conversations as c')
        .leftJoin('working_memory as w', 'w.conversation_key', 'c.key')
        .select([sql<string | number>`coalesce(w.revision, 0)`.as('revision'), 'w.content'])
        .where('c.id', '=', toText(key.conversationId))
        .where(isOwnedBy(owner, 'c.user_id'))
        .executeTakeFirst(),
    );
  }

  async #write(owner: Owner, key: WorkingMemoryKey, { revision }: Snapshot, content: string | null): Promise<WriteRow> {
    const [row] = await this.#database.call<WriteRow>('write_working_memory', [
      key.scope === 'conversation' ? toText(key.conversationId) : null,
      ownerParameter(owner),
      key.scope === 'user' ? toText(key.userId) : null,
      randomUUID(),
      revision,
      content,
    ]);
    return row ?? { status: 'not-found', revision: 0, content: null };
  }
}

interface AppliedChanges {
  readonly content: string | null;
  readonly succeeded: readonly PendingUpdate[];
  readonly failed: readonly { readonly update: PendingUpdate; readonly error: unknown }[];
}

/** Applies the changes one after the other. A change that throws is skipped. */
function applyChanges(updates: readonly PendingUpdate[], before: string | null): AppliedChanges {
  const succeeded: PendingUpdate[] = [];
  const failed: { update: PendingUpdate; error: unknown }[] = [];
  let content = before;
  for (const update of updates) {
    try {
      const changed = update.change(parseContent(content));
      content = changed === undefined ? null : JSON.stringify(changed);
      succeeded.push(update);
    } catch (error) {
      failed.push({ update, error });
    }
  }
  return { content, succeeded, failed };
}

function parseContent(content: string | null): JsonValue | undefined {
  return content === null ? undefined : (JSON.parse(content) as JsonValue);
}
