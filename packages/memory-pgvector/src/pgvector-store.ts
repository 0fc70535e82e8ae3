import {
  ConfigurationError,
  type MessageRole,
  type MessageVector,
  type Owner,
  type VectorMatch,
  type VectorQuery,
  type VectorStore,
} from '@halyard/contracts';
import {
  type AdapterDatabaseOptions,
  consoleLogger,
  type Database,
  fromText,
  openAdapterDatabase,
  toText,
} from '@halyard/memory-postgres/database';
import { directionOf } from './direction-of.ts';
import { reasonOf } from './reason-of.ts';
import { inRange, vectorIndex, type VectorIndexOptions } from './vector-index.ts';
import { migrationsFor } from './vector-migrations.ts';

/** Where the database is: that of a storage, or one of its own. */
export type PgVectorStoreOptions = AdapterDatabaseOptions &
  VectorIndexOptions & {
    /** How many candidates a search by the index looks at, 1 to 1000: more find better, and take longer. Default: 100. */
    readonly efSearch?: number;
  };

/**
 * Texts of messages, found by what they mean, in PostgreSQL with pgvector 0.8 or later.
 *
 * It opens by itself, and keeps trying while the database is down: meanwhile `check()` rejects, and calls wait a few seconds before they reject with
 * `STORAGE_UNAVAILABLE`. When the table was created for another number of dimensions, all of them reject with a ConfigurationError.
 *
 * @throws ConfigurationError when the options cannot be right, or another process has the directory.
 */
export function createPgVectorStore(options: PgVectorStoreOptions): VectorStore {
  const { efSearch = 100, logger = consoleLogger } = options;
  const index = vectorIndex(options);
  inRange('efSearch', efSearch, 1, 1_000);
  const database = openAdapterDatabase(options, migrationsFor(index));
  const store = new PgVectorStore(database, { ...index, efSearch });
  store.prepare().catch((error: unknown) => {
    if (error instanceof ConfigurationError) logger.error({ err: error }, error.message);
  });
  return store;
}

/** A statement holds this many vectors: an embedded database does nothing else meanwhile. */
const atOnce = 100;
const mostFound = 2 ** 31 - 1;

interface PgVectorStoreSettings {
  readonly type: 'vector' | 'halfvec';
  readonly dimensions: number;
  readonly efSearch: number;
}

class PgVectorStore implements VectorStore {
  readonly #database: Database;
  readonly #settings: PgVectorStoreSettings;
  #isPrepared = false;

  constructor(database: Database, settings: PgVectorStoreSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  async upsert(vectors: readonly MessageVector[]): Promise<void> {
    for (const { embedding } of vectors) this.#checkDimensions(embedding);
    const last = lastOfEach(vectors);
    for (let from = 0; from < last.length; from += atOnce) await this.#write(last.slice(from, from + atOnce));
  }

  async search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]> {
    this.#checkDimensions(query.embedding);
    const { efSearch, type } = this.#settings;
    const userId = owner === 'anyone' ? query.userId : owner.user;
    if (query.limit < 1 || (query.userId !== undefined && query.userId !== userId)) return [];

    const rows = await this.#query<FoundRow>(
      `select * from ${this.#database.schema}.nearest_messages($1::${type}, $2, $3, $4, $5)`,
      [
        directionOf(query.embedding),
        query.conversationId === undefined ? null : toText(query.conversationId),
        userId === undefined ? null : toText(userId),
        Math.min(Math.floor(query.limit), mostFound),
        efSearch,
      ],
    );
    return rows.map(matchOf).filter(({ score }) => score >= query.threshold);
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#delete('conversation_id = $1 and message_id = any($2::text[])', [
      toText(conversationId),
      messageIds.map(toText),
    ]);
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await this.#delete('conversation_id = $1', [toText(conversationId)]);
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#delete('user_id = $1', [toText(userId)]);
  }

  async check(): Promise<void> {
    try {
      await this.#database.check();
    } catch (error) {
      throw reasonOf(error);
    }
    await this.prepare();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** @throws ConfigurationError when the table is not for vectors of these dimensions. */
  async prepare(): Promise<void> {
    if (this.#isPrepared) return;
    const [table] = await this.#ask<{ readonly dimensions: number }>(
      `select atttypmod as dimensions from pg_attribute where attrelid = $1::regclass and attname = 'embedding'`,
      [`${this.#database.schema}.message_vectors`],
    );
    const { dimensions } = this.#settings;
    if (table?.dimensions !== dimensions)
      throw new ConfigurationError(
        `The table ${this.#database.schema}.message_vectors holds embeddings of ${table?.dimensions} dimensions, but "dimensions" is ${dimensions}. Use the embedding model that it was made with, or another schema`,
      );
    this.#isPrepared = true;
  }

  #checkDimensions({ length }: readonly number[]): void {
    if (length === this.#settings.dimensions) return;
    throw new ConfigurationError(
      `An embedding has ${length} dimensions, but the vector store was made for ${this.#settings.dimensions}. Use one embedding model for all of a vector store`,
    );
  }

  async #write(vectors: readonly MessageVector[]): Promise<void> {
    await this.#query(
      `insert into ${this.#database.schema}.message_vectors as v
        (conversation_id, message_id, user_id, role, text, created_at, embedding)
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::double precision[], $7::text[]::${this.#settings.type}[]
      ) as given (conversation_id, message_id, user_id, role, text, created_at, embedding)
      order by conversation_id, message_id
      on conflict (conversation_id, message_id) do update set
        user_id = excluded.user_id, role = excluded.role, text = excluded.text, created_at = excluded.created_at, embedding = excluded.embedding
      where (v.user_id, v.role, v.text, v.created_at, v.embedding)
        is distinct from (excluded.user_id, excluded.role, excluded.text, excluded.created_at, excluded.embedding)`,
      [
        vectors.map(({ conversationId }) => toText(conversationId)),
        vectors.map(({ messageId }) => toText(messageId)),
        vectors.map(({ userId }) => toText(userId)),
        vectors.map(({ role }) => role),
        vectors.map(({ text }) => toText(text)),
        vectors.map(({ createdAt }) => createdAt),
        vectors.map(({ embedding }) => directionOf(embedding)),
      ],
    );
  }

  /** Rows are taken in the order in which they are written: who deletes and who writes wait for each other, and not both. */
  async #delete(conditions: string, values: readonly unknown[]): Promise<void> {
    const table = `${this.#database.schema}.message_vectors`;
    await this.#query(
      `with held as materialized (
        select conversation_id, message_id from ${table} where ${conditions} order by conversation_id, message_id for update
      )
      delete from ${table} v using held where v.conversation_id = held.conversation_id and v.message_id = held.message_id`,
      values,
    );
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.prepare();
    return this.#ask<Row>(text, values);
  }

  /** Everything that is asked bears being asked twice. */
  async #ask<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      return await this.#database.query<Row>(text, values, { bearsTwice: true });
    } catch (error) {
      throw reasonOf(error);
    }
  }
}

interface FoundRow {
  readonly conversation_id: string;
  readonly message_id: string;
  readonly user_id: string;
  readonly role: MessageRole;
  readonly text: string;
  readonly created_at: number;
  /** NaN when one of the two points nowhere. */
  readonly distance: number;
}

function matchOf(row: FoundRow): VectorMatch {
  const score = Math.min(1, Math.max(0, Math.round((1 - row.distance) * 1e6) / 1e6));
  return {
    conversationId: fromText(row.conversation_id),
    messageId: fromText(row.message_id),
    userId: fromText(row.user_id),
    role: row.role,
    text: fromText(row.text),
    createdAt: row.created_at,
    // What is lost to 32 bits must not keep a text from being like itself.
    score: Number.isNaN(score) ? 0 : score,
  };
}

/** One vector for each message, the last that was given. */
function lastOfEach(vectors: readonly MessageVector[]): readonly MessageVector[] {
  return [
    ...new Map(vectors.map((vector) => [JSON.stringify([vector.conversationId, vector.messageId]), vector])).values(),
  ];
}
