import { randomUUID } from 'node:crypto';
import type {
  ClonedConversation,
  Conversation,
  ConversationChange,
  ConversationClone,
  ConversationFilter,
  ConversationStore,
  MessageFilter,
  MessagePage,
  MessageSave,
  NewConversation,
  Owner,
  PartsSave,
  SavedMessages,
  StoredMessage,
  WaitingMessage,
} from '@halyard/contracts';
import { sql } from 'kysely';
import { Batcher } from '../connection/batcher.ts';
import type { Database } from '../connection/database.ts';
import { databaseTime, isOneOf, isOwnedBy, ownerParameter } from '../connection/sql-fragments.ts';
import { storageUnavailable } from '../connection/storage-unavailable.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { whileBusy } from '../connection/while-busy.ts';
import { cloneConversation } from './clone-conversation.ts';
import {
  conversationJson,
  messageColumns,
  type MessageRow,
  toConversation,
  toMessage,
  toBigInteger,
  toPartsJson,
  toSaveJson,
  wholeMessage,
} from './conversation-rows.ts';
import { listConversations } from './list-conversations.ts';
import { listWaiting } from './list-waiting.ts';

/**
 * A row that the SQL function `read_messages` returns. The first row has the conversation; it has
 * no message when there is none.
 */
type ReadRow = { readonly conversation: string | null; readonly matching: number | null } & (
  | MessageRow
  | { readonly id: null }
);

/**
 * How long a save tries again while another transaction has locked its conversation, or creates it.
 */
const saveTimeoutMs = 5_000;

/** A row that the SQL function `save_messages` returns. */
interface SaveRow {
  readonly status: 'saved' | 'not-found' | 'busy';
  readonly is_new: boolean;
  /** JSON: the ids of messages that were dropped. */
  readonly dropped: string | null;
}

/** A row that the SQL function `save_parts` returns. */
interface SavePartsRow {
  readonly status: 'saved' | 'refused' | 'busy';
}

/**
 * Conversations in PostgreSQL, for any number of processes. Each method is one statement. Messages
 * are saved in batches: calls that arrive while a batch is in flight share the next one, and so one
 * transaction. It waits for no other: a conversation that is locked is saved by a later batch.
 */
export class PostgresConversationStore implements ConversationStore {
  readonly #database: Database;
  readonly #saves: Batcher<SaveRow>;
  readonly #partsSaves: Batcher<SavePartsRow>;

  constructor(database: Database) {
    this.#database = database;
    const batched = <Row>(name: string): Batcher<Row> =>
      new Batcher((items) => database.call<Row>(name, [`[${items.join()}]`, database.shiftMs]), { concurrency: 2 });
    this.#saves = batched('save_messages');
    this.#partsSaves = batched('save_parts');
  }

  async create(conversation: NewConversation): Promise<Conversation | undefined> {
    const id = toText(conversation.id);
    const createdBy = randomUUID();
    const values = {
      id,
      resource_id: toText(conversation.resourceId),
      user_id: toText(conversation.userId),
      title: toText(conversation.title),
      metadata: JSON.stringify(conversation.metadata),
      created_by: createdBy,
    };
    const row = await this.#database.run(
      (db) =>
        db
          .with('clock', (cte) => cte.selectNoFrom(databaseTime(this.#database).as('now')))
          .with('c', (cte) =>
            cte
              .insertInto('conversations')
              .values((eb) => {
                const now = eb.selectFrom('clock').select('now');
                return { ...values, created_at: now, updated_at: now };
              })
              .onConflict((conflict) => conflict.column('id').doNothing())
              .returningAll(),
          )
          .selectFrom('c')
          .select(conversationJson)
          // A retried call finds the conversation that its first attempt has created.
          .unionAll((eb) =>
            eb
              .selectFrom('conversations as c')
              .select(conversationJson)
              .where('c.id', '=', id)
              .where('c.created_by', '=', createdBy),
          )
          .executeTakeFirst(),
      { retry: true },
    );
    return row && toConversation(row.conversation);
  }

  async find(owner: Owner, id: string): Promise<Conversation | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('conversations as c')
        .select(conversationJson)
        .where('c.id', '=', toText(id))
        .where(isOwnedBy(owner, 'c.user_id'))
        .executeTakeFirst(),
    );
    return row && toConversation(row.conversation);
  }

  async isTaken(id: string): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db.selectFrom('conversations').select('key').where('id', '=', toText(id)).executeTakeFirst(),
    );
    return row !== undefined;
  }

  async list(
    owner: Owner,
    filter: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
    return listConversations(this.#database, owner, filter);
  }

  async update(owner: Owner, id: string, { metadata, title }: ConversationChange): Promise<Conversation | undefined> {
    const row = await this.#database.run(
      (db) =>
        db
          .updateTable('conversations as c')
          .set({
            ...(title !== undefined && { title: toText(title) }),
            ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
            updated_at: sql<number>`greatest(c.updated_at, ${databaseTime(this.#database)})`,
          })
          .where('c.id', '=', toText(id))
          .where(isOwnedBy(owner, 'c.user_id'))
          .returning(conversationJson)
          .executeTakeFirst(),
      { retry: true },
    );
    return row && toConversation(row.conversation);
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db
        .deleteFrom('conversations as c')
        .where('c.id', '=', toText(id))
        .where(isOwnedBy(owner, 'c.user_id'))
        .executeTakeFirst(),
    );
    return numDeletedRows > 0n;
  }

  async clone(
    owner: Owner,
    clone: ConversationClone,
  ): Promise<ClonedConversation | 'not-found' | 'too-large' | 'taken'> {
    return cloneConversation(this.#database, owner, clone);
  }

  async messages(
    owner: Owner,
    id: string,
    { after = -Infinity, before = Infinity, limit, maxBytes = Infinity, roles }: MessageFilter,
  ): Promise<MessagePage | undefined> {
    const rows = await this.#database.call<ReadRow>('read_messages', [
      toText(id),
      ownerParameter(owner),
      limit,
      toBigInteger(Math.floor(maxBytes)),
      toBigInteger(Math.floor(after)),
      toBigInteger(Math.ceil(before)),
      roles ?? null,
    ]);
    const json = rows[0]?.conversation;
    if (json === undefined || json === null) return undefined;
    const messages = limit === 0 ? [] : rows.flatMap((row) => (row.id === null ? [] : toMessage(row)));
    return { conversation: toConversation(json), messages, hasMore: (rows[0]?.matching ?? 0) > messages.length };
  }

  async countMessages(owner: Owner, id: string, before: number): Promise<number> {
    const { count } = await this.#database.read((db) =>
      db
        .selectFrom('conversations as c')
        .innerJoin('messages as m', 'm.conversation_key', 'c.key')
        .select(sql<string>`count(*)`.as('count'))
        .where('c.id', '=', toText(id))
        .where(isOwnedBy(owner, 'c.user_id'))
        .where('m.created_at', '<', toBigInteger(Math.ceil(before)))
        .executeTakeFirstOrThrow(),
    );
    return Number(count);
  }

  async findMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
    maxBytes: number = Infinity,
  ): Promise<readonly StoredMessage[]> {
    if (messageIds.length === 0) return [];
    const newestFirst = sql`over (order by m.created_at desc)`;
    const rows = await this.#database.read((db) =>
      db
        .with('found', (cte) =>
          cte
            .selectFrom('conversations as c')
            .innerJoin('messages as m', 'm.conversation_key', 'c.key')
            .select(wholeMessage(this.#database.schema))
            .where('c.id', '=', toText(id))
            .where(isOwnedBy(owner, 'c.user_id'))
            .where(isOneOf('m.id', messageIds.map(toText))),
        )
        .selectFrom((eb) =>
          eb
            .selectFrom('found as m')
            .select(messageColumns)
            .select([
              sql<number>`row_number() ${newestFirst}`.as('place'),
              sql<number>`sum(octet_length(m.parts) + coalesce(octet_length(m.metadata), 0)) ${newestFirst}`.as(
                'bytes',
              ),
            ])
            .as('m'),
        )
        .select(messageColumns)
        .where((eb) => eb.or([eb('m.place', '=', 1), eb('m.bytes', '<=', toBigInteger(Math.floor(maxBytes)))]))
        .orderBy('m.created_at')
        .execute(),
    );
    return rows.map(toMessage);
  }

  async save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { dropped, is_new, status } = await untilSaved(this.#saves, save.conversationId, toSaveJson(owner, save));
    if (status === 'not-found') return status;
    return { isNew: is_new, dropped: toIds(dropped) };
  }

  async saveParts(owner: Owner, save: PartsSave): Promise<boolean> {
    const { status } = await untilSaved(this.#partsSaves, save.conversationId, toPartsJson(owner, save));
    return status === 'saved';
  }

  async listWaiting(
    owner: Owner,
    limit: number,
    maxBytes?: number,
    conversationIds?: readonly string[],
  ): Promise<readonly WaitingMessage[]> {
    return listWaiting(this.#database, owner, limit, maxBytes, conversationIds);
  }

  async deleteMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const row = await this.#database.run((db) =>
      db
        .with(
          (cte) => cte('locked').materialized(),
          (cte) =>
            cte
              .selectFrom('conversations as c')
              .select('c.key')
              .where('c.id', '=', toText(id))
              .where(isOwnedBy(owner, 'c.user_id'))
              .forNoKeyUpdate(),
        )
        .with('deleted', (cte) =>
          cte
            .deleteFrom('messages as m')
            .using('locked')
            .whereRef('m.conversation_key', '=', 'locked.key')
            .where(isOneOf('m.id', messageIds.map(toText)))
            .returning(['m.id', 'm.created_at']),
        )
        .with('updated', (cte) =>
          cte
            .updateTable('conversations as c')
            .from('locked')
            .set({ updated_at: sql<number>`greatest(c.updated_at, ${databaseTime(this.#database)})` })
            .whereRef('c.key', '=', 'locked.key')
            .where((eb) => eb.exists(eb.selectFrom('deleted').select('deleted.id'))),
        )
        .selectFrom('locked')
        .select((eb) =>
          eb
            .selectFrom('deleted')
            .select(sql<string>`json_agg(id order by created_at)::text`.as('ids'))
            .as('deleted'),
        )
        .executeTakeFirst(),
    );
    return row && toIds(row.deleted);
  }
}

/**
 * @throws UnavailableError (`STORAGE_UNAVAILABLE`) when another transaction has the conversation
 * locked for too long.
 */
async function untilSaved<Row extends { readonly status: string }>(
  saves: Batcher<Row>,
  conversationId: string,
  json: string,
): Promise<Row> {
  const row = await whileBusy(
    () => saves.add(toText(conversationId), json),
    ({ status }) => status === 'busy',
    saveTimeoutMs,
  );
  if (row.status === 'busy')
    throw storageUnavailable(new Error(`Another transaction has locked the conversation ${conversationId}`));
  return row;
}

/** @param json a list of ids as they are stored; null: none. */
function toIds(json: string | null): readonly string[] {
  return json === null ? [] : (JSON.parse(json) as readonly string[]).map(fromText);
}
