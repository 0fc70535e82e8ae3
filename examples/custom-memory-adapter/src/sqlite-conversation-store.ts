import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type {
  ClonedConversation,
  Clock,
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
  SavedMessages,
  StoredMessage,
} from '@halyard/contracts';
import {
  conversationColumns,
  type ConversationRow,
  messageColumns,
  type MessageRow,
  toConversation,
  toMessage,
} from './conversation-row.ts';
import { inTransaction } from './in-transaction.ts';
import { isOwners, ownerParameter } from './owner-condition.ts';
import { fromText, toText } from './text.ts';
import { dropAfter as dropMessagesAfter, lastTime, writeMessages } from './write-messages.ts';

const orderColumns = { createdAt: 'created_at', updatedAt: 'updated_at', title: 'title' };

export class SqliteConversationStore implements ConversationStore {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(conversation: NewConversation): Promise<Conversation | undefined> {
    return this.#insert(conversation, null);
  }

  async find(owner: Owner, id: string): Promise<Conversation | undefined> {
    const row = this.#row(owner, id);
    return row && toConversation(row);
  }

  async isTaken(id: string): Promise<boolean> {
    return this.#row('anyone', id) !== undefined;
  }

  async list(
    owner: Owner,
    { resourceId, userId, orderBy, direction, limit, offset }: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
    const matches = `FROM conversations WHERE ${isOwners}
      AND (:resource IS NULL OR resource_id = :resource) AND (:user IS NULL OR user_id = :user)`;
    const filter = {
      owner: ownerParameter(owner),
      resource: resourceId === undefined ? null : toText(resourceId),
      user: userId === undefined ? null : toText(userId),
    };
    const order = `${orderColumns[orderBy]} ${direction}, id ${direction}`;
    return inTransaction(this.#database, () => {
      const { total } = this.#database.prepare(`SELECT count(*) AS total ${matches}`).get(filter) as { total: number };
      const rows = this.#database
        .prepare(`SELECT ${conversationColumns} ${matches} ORDER BY ${order} LIMIT :limit OFFSET :offset`)
        .all({ ...filter, limit, offset });
      return { conversations: rows.map((row) => toConversation(row as ConversationRow)), total };
    });
  }

  async update(owner: Owner, id: string, { title, metadata }: ConversationChange): Promise<Conversation | undefined> {
    const row = this.#database
      .prepare(
        `UPDATE conversations SET title = coalesce(:title, title), metadata = coalesce(:metadata, metadata), updated_at = :now
        WHERE id = :id AND ${isOwners} RETURNING ${conversationColumns}`,
      )
      .get({
        id: toText(id),
        owner: ownerParameter(owner),
        title: title === undefined ? null : toText(title),
        metadata: metadata === undefined ? null : JSON.stringify(metadata),
        now: this.#clock.now(),
      });
    return row && toConversation(row as ConversationRow);
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    const { changes } = this.#database
      .prepare(`DELETE FROM conversations WHERE id = :id AND ${isOwners}`)
      .run({ id: toText(id), owner: ownerParameter(owner) });
    return changes > 0;
  }

  async clone(
    owner: Owner,
    { id, newId, title, includeMessages, maxMessages = Infinity, maxBytes = Infinity }: ConversationClone,
  ): Promise<ClonedConversation | 'not-found' | 'too-large' | 'taken'> {
    return inTransaction(this.#database, () => {
      const original = this.#row(owner, id);
      if (original === undefined) return 'not-found';
      const { count, bytes } = this.#size(id);
      if (includeMessages && (count > maxMessages || bytes > maxBytes)) return 'too-large';
      const copy = { ...toConversation(original), id: newId, ...(title !== undefined && { title }) };
      const conversation = this.#insert(copy, original.working_memory);
      if (conversation === undefined) return 'taken';
      if (!includeMessages) return { conversation, messageCount: 0 };
      const { messages } = this.#messages(id, { limit: Infinity });
      const insert = this.#database.prepare(
        `INSERT INTO messages (conversation_id, ${messageColumns})
        SELECT :newId, :messageId, role, parts, metadata, created_at FROM messages WHERE conversation_id = :id AND created_at = :createdAt`,
      );
      for (const { createdAt } of messages) {
        insert.run({ id: toText(id), newId: toText(newId), messageId: randomUUID(), createdAt });
      }
      return { conversation, messageCount: messages.length };
    });
  }

  async messages(owner: Owner, id: string, filter: MessageFilter): Promise<MessagePage | undefined> {
    return inTransaction(this.#database, () => {
      const row = this.#row(owner, id);
      return row && { conversation: toConversation(row), ...this.#messages(id, filter) };
    });
  }

  async countMessages(owner: Owner, id: string, before: number): Promise<number> {
    const row = this.#database
      .prepare(
        `SELECT count(*) AS count FROM messages WHERE created_at < :before
        AND conversation_id = (SELECT id FROM conversations WHERE id = :id AND ${isOwners})`,
      )
      .get({ id: toText(id), owner: ownerParameter(owner), before });
    return Number(row?.['count']);
  }

  async findMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
    maxBytes?: number,
  ): Promise<readonly StoredMessage[]> {
    const newestFirst = this.#database
      .prepare(
        `SELECT ${messageColumns} FROM messages
        WHERE conversation_id = (SELECT id FROM conversations WHERE id = :id AND ${isOwners})
        AND id IN (SELECT value FROM json_each(:ids)) ORDER BY created_at DESC`,
      )
      .iterate({ id: toText(id), owner: ownerParameter(owner), ids: JSON.stringify(messageIds.map(toText)) });
    return firstThatFit(newestFirst, { maxBytes }).messages;
  }

  async save(owner: Owner, save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { conversationId, messages, create, dropAfter } = save;
    return inTransaction(this.#database, () => {
      const isThere = this.#row(owner, conversationId) !== undefined;
      const isNew = !isThere && create !== undefined && this.#insert(create, null) !== undefined;
      if (!isThere && !isNew) return 'not-found';

      const id = toText(conversationId);
      const dropped = dropAfter === undefined ? [] : dropMessagesAfter(this.#database, id, dropAfter);
      const now = this.#clock.now();
      writeMessages(this.#database, id, messages, Math.max(now, lastTime(this.#database, id) + 1));
      this.#database.prepare('UPDATE conversations SET updated_at = ? WHERE id = ?').run(now, id);
      const isBack = new Set(messages.map((message) => message.id));
      return { isNew, dropped: dropped.filter((message) => !isBack.has(message)) };
    });
  }

  async deleteMessages(
    owner: Owner,
    id: string,
    messageIds: readonly string[],
  ): Promise<readonly string[] | undefined> {
    return inTransaction(this.#database, () => {
      if (this.#row(owner, id) === undefined) return undefined;
      const deleted = this.#database
        .prepare(
          `DELETE FROM messages WHERE conversation_id = :id AND id IN (SELECT value FROM json_each(:ids))
          RETURNING id, created_at`,
        )
        .all({ id: toText(id), ids: JSON.stringify(messageIds.map(toText)) }) as { id: string; created_at: number }[];
      // SQLite returns the rows in no particular order.
      return deleted.toSorted((one, other) => one.created_at - other.created_at).map((row) => fromText(row.id));
    });
  }

  #row(owner: Owner, id: string): ConversationRow | undefined {
    return this.#database
      .prepare(`SELECT ${conversationColumns} FROM conversations WHERE id = :id AND ${isOwners}`)
      .get({ id: toText(id), owner: ownerParameter(owner) }) as ConversationRow | undefined;
  }

  /** @returns undefined when the id is in use. */
  #insert(conversation: NewConversation, workingMemory: string | null): Conversation | undefined {
    const { id, resourceId, userId, title, metadata } = conversation;
    const texts = [id, resourceId, userId, title].map(toText);
    const now = this.#clock.now();
    const row = this.#database
      .prepare(
        `INSERT INTO conversations (${conversationColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING RETURNING ${conversationColumns}`,
      )
      .get(...texts, JSON.stringify(metadata), workingMemory, now, now);
    return row && toConversation(row as ConversationRow);
  }

  /** How many messages a conversation has, and how large they are. */
  #size(id: string): { readonly count: number; readonly bytes: number } {
    const size = this.#database
      .prepare(
        `SELECT count(*) AS count, coalesce(sum(octet_length(parts) + coalesce(octet_length(metadata), 0)), 0) AS bytes
        FROM messages WHERE conversation_id = :id`,
      )
      .get({ id: toText(id) });
    return size as { count: number; bytes: number };
  }

  #messages(id: string, { limit, maxBytes, before, after, roles }: MessageFilter): Omit<MessagePage, 'conversation'> {
    const newestFirst = this.#database
      .prepare(
        `SELECT ${messageColumns} FROM messages WHERE conversation_id = :id
        AND (:before IS NULL OR created_at < :before) AND (:after IS NULL OR created_at > :after)
        AND (:roles IS NULL OR role IN (SELECT value FROM json_each(:roles))) ORDER BY created_at DESC`,
      )
      .iterate({
        id: toText(id),
        before: before ?? null,
        after: after ?? null,
        roles: roles === undefined ? null : JSON.stringify(roles),
      });
    return firstThatFit(newestFirst, { limit, maxBytes });
  }
}

/**
 * The first messages that fit, in the opposite order. What follows is not read from the database.
 */
function firstThatFit(
  newestFirst: Iterable<unknown>,
  { limit = Infinity, maxBytes = Infinity }: { readonly limit?: number; readonly maxBytes?: number | undefined },
): Omit<MessagePage, 'conversation'> {
  const rows: MessageRow[] = [];
  let bytes = 0;
  let hasMore = false;
  for (const one of newestFirst) {
    const row = one as MessageRow;
    bytes += Buffer.byteLength(row.parts) + Buffer.byteLength(row.metadata ?? '');
    hasMore = rows.length >= limit || (rows.length > 0 && bytes > maxBytes);
    if (hasMore) break;
    rows.push(row);
  }
  return { messages: rows.toReversed().map(toMessage), hasMore };
}
