import {
  type AppendOutcome,
  type BeginOutcome,
  HalyardError,
  type LiveStream,
  type NewStream,
  type Owner,
  type StreamAppend,
  type StreamChunks,
  type StreamKey,
  type StreamStore,
} from '@halyard/contracts';
import { expressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { databaseTime } from '../connection/sql-fragments.ts';
import type { Tables } from '../connection/tables.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { type ChunksRow, joinChunks, type LiveStreamRow, toLiveStream, toOwnerColumn } from './stream-rows.ts';

/** How many streams one transaction deletes, with all their chunks. */
const deletedPerBatch = 20;
const largestInteger = 2_147_483_647;

/** A result of the SQL function `append_to_stream`. */
type AppendResult = AppendOutcome | 'ended' | 'gap' | 'too-long';

type LiveStreams = Tables & { readonly s: Tables['streams'] };
type StreamRowKey = { readonly key: string | number };

export interface PostgresStreamStoreOptions {
  /** Approximate limit for the size of a stream, in bytes. Default: 16 MiB. */
  readonly maxBytesPerStream?: number | undefined;
}

/**
 * Resumable streams in PostgreSQL, for any number of processes. Each call is one statement that may
 * be retried, and reserves no connection in between.
 */
export class PostgresStreamStore implements StreamStore {
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #maxBytesPerStream: number;

  constructor(
    database: Database,
    notifications: Notifications,
    { maxBytesPerStream = 16 * 1024 * 1024 }: PostgresStreamStoreOptions = {},
  ) {
    this.#database = database;
    this.#notifications = notifications;
    this.#maxBytesPerStream = maxBytesPerStream;
  }

  async begin({ agentId, conversationId, id, userId }: NewStream, leaseMs: number): Promise<BeginOutcome> {
    const [row] = await this.#database.call<{ readonly live: string | null; readonly lost: string | null }>(
      'begin_stream',
      [
        toText(id),
        toText(agentId),
        toText(conversationId),
        toOwnerColumn(userId),
        Math.ceil(leaseMs),
        this.#database.shiftMs,
      ],
    );
    const { live = null, lost = null } = row ?? {};
    if (lost !== null) this.#notifications.notifyStream(fromText(lost));
    return live === null ? { kind: 'begun' } : { kind: 'busy', live: toLiveStream(JSON.parse(live) as LiveStreamRow) };
  }

  async append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome> {
    const result = await this.#append(id, append, { leaseMs, isLast: false });
    return result === 'appended' || result === 'stop-requested' ? result : 'lost';
  }

  async end(id: string, append: StreamAppend): Promise<boolean> {
    return (await this.#append(id, append, { leaseMs: 0, isLast: true })) === 'ended';
  }

  async discard(id: string): Promise<void> {
    await this.#database.run((db) => db.deleteFrom('streams').where('id', '=', toText(id)).execute(), { retry: true });
    this.#notifications.notifyStream(id);
  }

  async findLive(owner: Owner, streamKey: StreamKey): Promise<LiveStream | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('streams')
        .select(sql<string>`row_to_json(streams)::text`.as('json'))
        .where('key', '=', this.#liveKey(owner, streamKey))
        .executeTakeFirst(),
    );
    return row && toLiveStream(JSON.parse(row.json) as LiveStreamRow);
  }

  async read(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StreamChunks | undefined> {
    const until = Math.min(after + limit, largestInteger);
    const rows = await this.#database.call<ChunksRow & { readonly status: StreamChunks['status'] }>('read_stream', [
      toText(id),
      after,
      until,
      this.#database.shiftMs,
    ]);
    const [first] = rows;
    return first && { chunks: joinChunks(rows, after, limit), status: first.status };
  }

  async requestStop(owner: Owner, streamKey: StreamKey): Promise<boolean> {
    const stopped = await this.#database.run(
      (db) =>
        db
          .updateTable('streams')
          .set({ is_stop_requested: true })
          .where('key', '=', this.#liveKey(owner, streamKey))
          .where('ended_at', 'is', null)
          .returning('id')
          .executeTakeFirst(),
      { retry: true },
    );
    if (stopped !== undefined) this.#notifications.notifyStream(fromText(stopped.id));
    return stopped !== undefined;
  }

  watch(id: string, listener: () => void): () => void {
    return this.#notifications.watchStream(id, listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    let purged = 0;
    for (;;) {
      const atMost = Math.min(limit - purged, deletedPerBatch);
      const [batch] = await this.#database.call<{ readonly purged: number; readonly lost: string | null }>(
        'purge_streams',
        [Math.floor(olderThanMs), atMost, this.#database.shiftMs],
      );
      const lost = JSON.parse(batch?.lost ?? '[]') as readonly string[];
      for (const id of lost) this.#notifications.notifyStream(fromText(id));
      purged += batch?.purged ?? 0;
      if (batch === undefined || Math.max(batch.purged, lost.length) < atMost || purged >= limit) return purged;
    }
  }

  async deleteUser(userId: string): Promise<number> {
    let deleted = 0;
    for (;;) {
      const ids = await this.#database.callScalar<string>('delete_streams', [toOwnerColumn(userId), deletedPerBatch]);
      for (const id of ids) this.#notifications.notifyStream(fromText(id));
      deleted += ids.length;
      if (ids.length < deletedPerBatch) return deleted;
    }
  }

  async #append(
    id: string,
    { after, chunks }: StreamAppend,
    { isLast, leaseMs }: { readonly leaseMs: number; readonly isLast: boolean },
  ): Promise<AppendResult> {
    const json = JSON.stringify(chunks);
    const [result = 'lost'] = await this.#database.callScalar<AppendResult>('append_to_stream', [
      toText(id),
      after,
      chunks.length,
      json,
      json.length,
      this.#maxBytesPerStream,
      Math.ceil(leaseMs),
      isLast,
      this.#database.shiftMs,
    ]);
    if (result === 'gap')
      throw new HalyardError('internal', 'INTERNAL', `The stream has fewer than ${after} chunks: some are missing`);
    if (isLast || chunks.length > 0 || result === 'too-long') this.#notifications.notifyStream(id);
    return result;
  }

  /** The row key of a live stream, as a subquery. */
  #liveKey(owner: Owner, { agentId, conversationId }: StreamKey): SelectQueryBuilder<LiveStreams, 's', StreamRowKey> {
    const query = expressionBuilder<Tables>()
      .selectFrom('streams as s')
      .select('s.key')
      .where('s.conversation_id', '=', toText(conversationId))
      .where('s.agent_id', '=', toText(agentId))
      .where('s.ended_at', 'is', null)
      .where('s.lease_until', '>', databaseTime(this.#database))
      .orderBy('s.started_at', 'desc')
      .orderBy('s.key', 'desc')
      .limit(1);
    return owner === 'anyone' ? query : query.where('s.owner', '=', toOwnerColumn(owner.user));
  }
}
