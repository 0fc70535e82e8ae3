import { randomUUID } from 'node:crypto';
import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { ownerValue } from '../connection/of-owner.ts';
import { toText } from '../connection/text-codec.ts';

type Change = (content: JsonValue | undefined) => JsonValue | undefined;

interface Waiting {
  readonly change: Change;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** As it was read; revision 0: there is none. */
interface Content {
  readonly revision: string | number;
  readonly content: string | null;
}

interface WriteAnswer extends Content {
  readonly status: 'written' | 'outdated' | 'not-found';
}

/**
 * Working memory in PostgreSQL, for any number of processes. A change is made here and written if nothing else was written since it was read; no connection is
 * kept meanwhile. Changes of one memory that come while another is under way go together into one write, each seeing what the one before made of it.
 */
export class PostgresWorkingMemoryStore implements WorkingMemoryStore {
  readonly #database: Database;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  async read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined> {
    return parsed((await this.#read(owner, key))?.content ?? null);
  }

  async update(owner: Owner, key: WorkingMemoryKey, change: Change): Promise<boolean> {
    const name = JSON.stringify([owner, key.scope === 'user' ? { user: key.userId } : key.conversationId]);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(name);
      waiting?.push({ change, resolve, reject });
      if (waiting !== undefined) return;
      this.#waiting.set(name, [{ change, resolve, reject }]);
      void this.#work(owner, key, name);
    });
  }

  async #work(owner: Owner, key: WorkingMemoryKey, name: string): Promise<void> {
    for (;;) {
      const gathered = this.#waiting.get(name) ?? [];
      if (gathered.length === 0) break;
      // Who comes from now on may have seen what is written after this is read.
      this.#waiting.set(name, []);
      try {
        await this.#apply(owner, key, gathered);
      } catch (error) {
        for (const { reject } of gathered) reject(error);
      }
    }
    this.#waiting.delete(name);
  }

  async #apply(owner: Owner, key: WorkingMemoryKey, changes: readonly Waiting[]): Promise<void> {
    let current = await this.#read(owner, key);
    while (current !== undefined) {
      const applied = applyAll(changes, current.content);
      const answer = applied.kept.length === 0 ? undefined : await this.#write(owner, key, current, applied.content);
      if (answer?.status === 'outdated') {
        current = answer;
        continue;
      }
      for (const { waiting, error } of applied.thrown) waiting.reject(error);
      for (const { resolve } of applied.kept) resolve(answer?.status === 'written');
      return;
    }
    for (const { resolve } of changes) resolve(false);
  }

  /** @returns undefined when the conversation is not there, or the key another owner's. */
  async #read(owner: Owner, key: WorkingMemoryKey): Promise<Content | undefined> {
    const { schema } = this.#database;
    if (key.scope === 'user') {
      if (!isOf(owner, key.userId)) return undefined;
      const rows = await this.#database.query<Content>(
        `select w.revision, w.content from ${schema}.working_memory w where w.user_id = $1`,
        [toText(key.userId)],
        { bearsTwice: true },
      );
      return rows[0] ?? { revision: 0, content: null };
    }
    const rows = await this.#database.query<Content>(
      `select coalesce(w.revision, 0) as revision, w.content
      from ${schema}.conversations c left join ${schema}.working_memory w on w.conversation_key = c.key
      where c.id = $1 and ($2::text is null or c.user_id = $2)`,
      [toText(key.conversationId), ownerValue(owner)],
      { bearsTwice: true },
    );
    return rows[0];
  }

  async #write(
    owner: Owner,
    key: WorkingMemoryKey,
    { revision }: Content,
    content: string | null,
  ): Promise<WriteAnswer> {
    const [answer] = await this.#database.query<WriteAnswer>(
      `select * from ${this.#database.schema}.write_working_memory($1, $2, $3, $4, $5, $6)`,
      [
        key.scope === 'conversation' ? toText(key.conversationId) : null,
        ownerValue(owner),
        key.scope === 'user' ? toText(key.userId) : null,
        randomUUID(),
        revision,
        content,
      ],
      { bearsTwice: true },
    );
    return answer ?? { status: 'not-found', revision: 0, content: null };
  }
}

interface Applied {
  readonly content: string | null;
  readonly kept: readonly Waiting[];
  readonly thrown: readonly { readonly waiting: Waiting; readonly error: unknown }[];
}

/** One change after the other; what one throws is its own affair. */
function applyAll(changes: readonly Waiting[], before: string | null): Applied {
  const kept: Waiting[] = [];
  const thrown: { waiting: Waiting; error: unknown }[] = [];
  let content = before;
  for (const waiting of changes) {
    try {
      content = textOf(waiting.change(parsed(content)));
      kept.push(waiting);
    } catch (error) {
      thrown.push({ waiting, error });
    }
  }
  return { content, kept, thrown };
}

function textOf(content: JsonValue | undefined): string | null {
  return content === undefined ? null : JSON.stringify(content);
}

function parsed(content: string | null): JsonValue | undefined {
  return content === null ? undefined : (JSON.parse(content) as JsonValue);
}

function isOf(owner: Owner, userId: string): boolean {
  return owner === 'anyone' || owner.user === userId;
}
