import {
  ConfigurationError,
  isHalyardError,
  type Logger,
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
  sql,
  toText,
} from '@halyard/memory-postgres/database';
import { toSql } from 'pgvector';
import { explainMigrationFailure } from './explain-migration-failure.ts';
import { checkRange, migrationsFor, toVectorIndex, type VectorIndexOptions } from './vector-migrations.ts';

/** Where the database is (that of a storage, or one of its own), and the settings of the index. */
export type PgVectorStoreOptions = AdapterDatabaseOptions &
  VectorIndexOptions & {
    /**
     * How many candidates a search of the index examines: 1 to 1000. More candidates improve the
     * results and take longer. Default: 100.
     */
    readonly efSearch?: number | undefined;
  };

/**
 * Creates a store for the embeddings of messages in PostgreSQL with pgvector 0.8 or later.
 *
 * The store connects in the background and keeps trying while the database is down. Until it is
 * connected, `check()` rejects, and other calls wait up to 5 seconds (60 for an embedded database)
 * before they reject with an UnavailableError (`STORAGE_UNAVAILABLE`). All calls reject with a
 * ConfigurationError when the table was created for another number of dimensions.
 *
 * @throws ConfigurationError when the options are invalid, or another process uses `dataDir`.
 */
export function createPgVectorStore(options: PgVectorStoreOptions): VectorStore {
  const { efSearch = 100, logger = consoleLogger } = options;
  const index = toVectorIndex(options);
  checkRange('efSearch', efSearch, 1, 1_000);
  const database = openAdapterDatabase<VectorTables>(options, migrationsFor(index), explainMigrationFailure);
  const store = new PgVectorStore(database, { ...index, efSearch });
  void logOtherDimensions(database, store, logger);
  return store;
}

/** Apps that index messages in the background would otherwise not see the error. */
async function logOtherDimensions(database: Database<VectorTables>, store: VectorStore, logger: Logger): Promise<void> {
  if ((await database.whenOpened()) === undefined) return;
  await store.check().catch((error: unknown) => {
    if (error instanceof ConfigurationError) logger.error({ err: error }, error.message);
  });
}

interface VectorTables {
  message_vectors: {
    conversation_id: string;
    message_id: string;
    user_id: string;
    role: MessageRole;
    text: string;
    created_at: number;
    embedding: string;
  };
}

/** A row that the SQL function `nearest_messages` returns. */
interface NearestRow extends Omit<VectorTables['message_vectors'], 'embedding'> {
  /** NaN when one of the two vectors is zero. */
  readonly distance: number;
}

interface PgVectorStoreSettings {
  readonly type: 'vector' | 'halfvec';
  readonly dimensions: number;
  readonly efSearch: number;
}

/**
 * An embedded database can run nothing else during a statement, so a statement writes only this
 * many vectors.
 */
const vectorsPerStatement = 100;
const largestInteger = 2 ** 31 - 1;

class PgVectorStore implements VectorStore {
  readonly #database: Database<VectorTables>;
  readonly #settings: PgVectorStoreSettings;
  #isTableChecked = false;

  constructor(database: Database<VectorTables>, settings: PgVectorStoreSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  async upsert(vectors: readonly MessageVector[]): Promise<void> {
    for (const { embedding } of vectors) this.#checkDimensions(embedding);
    const unique = lastOfEachMessage(vectors);
    for (let from = 0; from < unique.length; from += vectorsPerStatement)
      await this.#write(unique.slice(from, from + vectorsPerStatement));
  }

  async search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]> {
    this.#checkDimensions(query.embedding);
    const userId = owner === 'anyone' ? query.userId : owner.user;
    if (query.limit < 1 || (query.userId !== undefined && query.userId !== userId)) return [];

    const rows = await this.#run((database) =>
      database.call<NearestRow>('nearest_messages', [
        toUnitVector(query.embedding),
        query.conversationId === undefined ? null : toText(query.conversationId),
        userId === undefined ? null : toText(userId),
        Math.min(Math.floor(query.limit), largestInteger),
        this.#settings.efSearch,
      ]),
    );
    return rows.map(toMatch).filter(({ score }) => score >= query.threshold);
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#delete({ conversation_id: toText(conversationId) }, messageIds.map(toText));
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await this.#delete({ conversation_id: toText(conversationId) });
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#delete({ user_id: toText(userId) });
  }

  async check(): Promise<void> {
    await this.#database.check();
    await this.#checkTable();
  }

  async opened(): Promise<void> {
    await this.#database.firstAttempt();
    // While the server is down, the database is not open yet.
    await this.check().catch((error: unknown) => {
      if (error instanceof ConfigurationError) throw error;
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /**
   * @throws ConfigurationError when the table is for embeddings of another number of dimensions.
   */
  async #checkTable(): Promise<void> {
    if (this.#isTableChecked) return;
    const { dimensions } = this.#settings;
    const table = `${this.#database.schema}.message_vectors`;
    const stored = await this.#query(async (database) => {
      const { rows } = await database.read((db) =>
        sql<{ readonly dimensions: number }>`select atttypmod as dimensions from pg_attribute
          where attrelid = ${table}::regclass and attname = 'embedding'`.execute(db),
      );
      return rows[0]?.dimensions;
    });
    if (stored !== dimensions)
      throw new ConfigurationError(
        `The table ${table} contains embeddings of ${stored} dimensions, but "dimensions" is ${dimensions}. Use the embedding model that the table was created for, or another schema`,
      );
    this.#isTableChecked = true;
  }

  #checkDimensions({ length }: readonly number[]): void {
    if (length === this.#settings.dimensions) return;
    throw new ConfigurationError(
      `An embedding has ${length} dimensions, but the vector store was created for ${this.#settings.dimensions}. Use one embedding model for all of a vector store`,
    );
  }

  async #write(vectors: readonly MessageVector[]): Promise<void> {
    const given = sql<VectorTables['message_vectors']>`unnest(
      ${vectors.map(({ conversationId }) => toText(conversationId))}::text[],
      ${vectors.map(({ messageId }) => toText(messageId))}::text[],
      ${vectors.map(({ userId }) => toText(userId))}::text[],
      ${vectors.map(({ role }) => role)}::text[],
      ${vectors.map(({ text }) => toText(text))}::text[],
      ${vectors.map(({ createdAt }) => createdAt)}::double precision[],
      ${vectors.map(({ embedding }) => toUnitVector(embedding))}::text[]::${sql.raw(this.#settings.type)}[]
    )`.as<'given'>(sql`given (conversation_id, message_id, user_id, role, text, created_at, embedding)`);
    await this.#run((database) =>
      database.run(
        (db) =>
          db
            .insertInto('message_vectors')
            .columns(['conversation_id', 'message_id', 'user_id', 'role', 'text', 'created_at', 'embedding'])
            // All statements lock rows in this order, which prevents deadlocks.
            .expression((eb) => eb.selectFrom(given).selectAll().orderBy('conversation_id').orderBy('message_id'))
            .onConflict((conflict) =>
              conflict
                .columns(['conversation_id', 'message_id'])
                .doUpdateSet((eb) => ({
                  user_id: eb.ref('excluded.user_id'),
                  role: eb.ref('excluded.role'),
                  text: eb.ref('excluded.text'),
                  created_at: eb.ref('excluded.created_at'),
                  embedding: eb.ref('excluded.embedding'),
                }))
                .where(
                  sql<boolean>`(message_vectors.user_id, message_vectors.role, message_vectors.text, message_vectors.created_at, message_vectors.embedding)
                    is distinct from (excluded.user_id, excluded.role, excluded.text, excluded.created_at, excluded.embedding)`,
                ),
            )
            .execute(),
        { retry: true },
      ),
    );
  }

  /**
   * Locks the rows in the order in which they are written, so that deletions and writes cannot
   * deadlock.
   */
  async #delete(
    column: { readonly conversation_id: string } | { readonly user_id: string },
    messageIds?: readonly string[],
  ): Promise<void> {
    await this.#run((database) =>
      database.run(
        (db) =>
          db
            .with(
              (cte) => cte('locked').materialized(),
              (cte) =>
                cte
                  .selectFrom('message_vectors')
                  .select(['conversation_id', 'message_id'])
                  .where((eb) => eb.and(column))
                  .$if(messageIds !== undefined, (query) =>
                    query.where(sql<boolean>`message_id = any(${messageIds}::text[])`),
                  )
                  .orderBy('conversation_id')
                  .orderBy('message_id')
                  .forUpdate(),
            )
            .deleteFrom('message_vectors as v')
            .using('locked')
            .whereRef('v.conversation_id', '=', 'locked.conversation_id')
            .whereRef('v.message_id', '=', 'locked.message_id')
            .execute(),
        { retry: true },
      ),
    );
  }

  /** Runs queries once the table is known to have the right dimensions. */
  async #run<Result>(work: (database: Database<VectorTables>) => Promise<Result>): Promise<Result> {
    await this.#checkTable();
    return this.#query(work);
  }

  async #query<Result>(work: (database: Database<VectorTables>) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.#database);
    } catch (error) {
      throw isHalyardError(error) && error.cause instanceof ConfigurationError ? error.cause : error;
    }
  }
}

/**
 * The text of a vector with the same direction and length 1. A zero vector stays as it is. @throws
 * ConfigurationError when a number is not finite.
 */
function toUnitVector(embedding: readonly number[]): string {
  let squares = 0;
  for (const value of embedding) squares += value * value;
  if (!Number.isFinite(squares)) throw new ConfigurationError('An embedding contains numbers that are not finite');
  const length = Math.sqrt(squares) || 1;
  return String(toSql(embedding.map((value) => value / length)));
}

function toMatch(row: NearestRow): VectorMatch {
  // Embeddings are stored with 32 bits or less: rounding gives equal texts a score of 1.
  const score = Math.min(1, Math.max(0, Math.round((1 - row.distance) * 1e6) / 1e6));
  return {
    conversationId: fromText(row.conversation_id),
    messageId: fromText(row.message_id),
    userId: fromText(row.user_id),
    role: row.role,
    text: fromText(row.text),
    createdAt: row.created_at,
    score: Number.isNaN(score) ? 0 : score,
  };
}

/** One vector for each message: the last one given. */
function lastOfEachMessage(vectors: readonly MessageVector[]): readonly MessageVector[] {
  return [
    ...new Map(vectors.map((vector) => [JSON.stringify([vector.conversationId, vector.messageId]), vector])).values(),
  ];
}
