import { randomUUID } from 'node:crypto';
import type {
  ClonedConversation,
  Conversation,
  ConversationChange,
  ConversationClone,
  ConversationFilter,
  ConversationStore,
  MessageFilter,
  MessageSave,
  NewConversation,
  Owner,
  SavedMessages,
  StoredMessage,
} from '@halyard/contracts';
import { sql } from 'kysely';
import { Batcher } from '../connection/batcher.ts';
import { databaseTime } from '../connection/database-time.ts';
import type { Database } from '../connection/database.ts';
import { ofOwner, ownerValue } from '../connection/of-owner.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { cloneConversation } from './clone-conversation.ts';
import { conversationJson, conversationJsonSql, conversationRecord } from './conversation-record.ts';
import { listConversations } from './list-conversations.ts';
import { sentMessages } from './message-json.ts';
import { messageRecord } from './message-record.ts';
import { readMessages } from './read-messages.ts';

interface SaveAnswer {
  readonly status: 'saved' | 'not-found';
  readonly is_new: boolean;
  readonly dropped: string | null;
}

const nothing: readonly never[] = Object.freeze([]);

/**
 * Conversations in PostgreSQL, for any number of processes. Each method is one statement. Messages that are written while others are under way go with those
 * that wait into one transaction: {@link Batcher}.
 */
export class PostgresConversationStore implements ConversationStore {
  readonly #database: Database;
  readonly #saves: Batcher<SaveAnswer>;

  constructor(database: Database) {
    this.#database = database;
    this.#saves = new Batcher((items) => this.#save(items), { lanes: 2 });
  }

  async create({ id, metadata, resourceId, title, userId }: NewConversation): Promise<Conversation | undefined> {
    const { schema, shiftMs } = this.#database;
    // The second part is for a call that is sent again: what it has made is not taken by another.
    const rows = await this.#database.query<{ conversation: string }>(
      `with made as (
        insert into ${schema}.conversations as c (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
        select $1, $2, $3, $4, $5, now_ms, now_ms, $6
        from (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $7::bigint as now_ms) as clock
        on conflict (id) do nothing
        returning ${conversationJsonSql} as conversation
      )
      select conversation from made
      union all select ${conversationJsonSql} from ${schema}.conversations c where c.id = $1 and c.created_by = $6`,
      [toText(id), toText(resourceId), toText(userId), toText(title), JSON.stringify(metadata), randomUUID(), shiftMs],
      { bearsTwice: true },
    );
    return rows[0] && conversationRecord(rows[0].conversation);
  }

  async find(owner: Owner, id: string): Promise<Conversation | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('conversations as c')
        .select(conversationJson)
        .where('c.id', '=', toText(id))
        .where(ofOwner(owner, 'c'))
        .executeTakeFirst(),
    );
    return row && conversationRecord(row.conversation);
  }

  async isTaken(id: string): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db.selectFrom('conversations as c').select('c.key').where('c.id', '=', toText(id)).executeTakeFirst(),
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
          .where(ofOwner(owner, 'c'))
          .returning(conversationJson)
          .executeTakeFirst(),
      { bearsTwice: true },
    );
    return row && conversationRecord(row.conversation);
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.run((db) =>
      db.deleteFrom('conversations as c').where('c.id', '=', toText(id)).where(ofOwner(owner, 'c')).executeTakeFirst(),
    );
    return numDeletedRows > 0n;
  }

  async clone(owner: Owner, clone: ConversationClone): Promise<ClonedConversation | 'not-found' | 'taken'> {
    return cloneConversation(this.#database, owner, clone);
  }

  async messages(
    owner: Owner,
    id: string,
    filter: MessageFilter,
  ): Promise<{ readonly conversation: Conversation; readonly messages: readonly StoredMessage[] } | undefined> {
    return readMessages(this.#database, owner, id, filter);
  }

  async findMessages(owner: Owner, id: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]> {
    if (messageIds.length === 0) return nothing;
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('conversations as c')
        .innerJoin('messages as m', 'm.conversation_key', 'c.key')
        .select(['m.id', 'm.role', 'm.parts', 'm.metadata', 'm.created_at'])
        .where('c.id', '=', toText(id))
        .where(ofOwner(owner, 'c'))
        .where('m.id', '=', sql<string>`any(${messageIds.map(toText)}::text[])`)
        .orderBy('m.created_at')
        .execute(),
    );
    return rows.map(messageRecord);
  }

  async save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { dropped, is_new, status } = await this.#saves.add(toText(save.conversationId), sentMessages(owner, save));
    if (status === 'not-found') return status;
    return {
      isNew: is_new,
      dropped: dropped === null ? nothing : (JSON.parse(dropped) as readonly string[]).map(fromText),
    };
  }

  async deleteMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    const { schema, shiftMs } = this.#database;
    const [row] = await this.#database.query<{ is_there: boolean; deleted: string }>(
      `with held as materialized (
        select c.key from ${schema}.conversations c where c.id = $1 and ($2::text is null or c.user_id = $2) for no key update
      ), deleted as (
        delete from ${schema}.messages m using held where m.conversation_key = held.key and m.id = any($3::text[])
        returning m.id, m.created_at
      ), changed as (
        update ${schema}.conversations c
        set updated_at = greatest(c.updated_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $4::bigint)
        from held where c.key = held.key and exists (select from deleted)
      )
      select exists (select from held) as is_there, (select coalesce(json_agg(id order by created_at), '[]')::text from deleted) as deleted`,
      [toText(id), ownerValue(owner), messageIds.map(toText), shiftMs],
    );
    if (row?.is_there !== true) return undefined;
    return (JSON.parse(row.deleted) as readonly string[]).map(fromText);
  }

  async #save(items: readonly string[]): Promise<readonly SaveAnswer[]> {
    const { schema, shiftMs } = this.#database;
    return this.#database.query<SaveAnswer>(
      `select * from ${schema}.save_messages($1, $2)`,
      [`[${items.join()}]`, shiftMs],
      { bearsTwice: true },
    );
  }
}
