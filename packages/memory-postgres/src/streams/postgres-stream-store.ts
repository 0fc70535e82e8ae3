import {
  type AppendOutcome,
  type BeginOutcome,
  HalyardError,
  type LiveStream,
  type NewStream,
  type Owner,
  type StreamAppend,
  type StreamChunks,
  type StreamPlace,
  type StreamStore,
} from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import type { Notifications } from '../connection/notifications.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { fromStreamRow, joinedChunks, type StoredChunks, type StreamRow, streamOwner } from './stream-record.ts';

/** Streams that one transaction forgets, with all their chunks. */
const forgottenAtOnce = 20;
const largestInteger = 2_147_483_647;

type Answer = AppendOutcome | 'ended' | 'gap' | 'outgrown';

interface BeginAnswer {
  readonly live: string | null;
  readonly lost: string | null;
}

const noAnswer: BeginAnswer = { live: null, lost: null };

export interface PostgresStreamStoreOptions {
  /** How many bytes of one stream are kept, about. Default: 16 MiB. */
  readonly maxBytesPerStream?: number;
}

/** Answers while they are given, for any number of processes. Each call is one statement, which may be sent twice; no connection is kept meanwhile. */
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
    const names = [id, agentId, conversationId].map(toText);
    const [{ live, lost } = noAnswer] = await this.#query<BeginAnswer>(
      `select * from ${this.#schema}.begin_stream($1, $2, $3, $4, $5, $6)`,
      [...names, streamOwner(userId), Math.ceil(leaseMs), this.#database.shiftMs],
    );
    if (lost !== null) this.#tell(lost);
    return live === null ? { kind: 'begun' } : { kind: 'busy', live: fromStreamRow(JSON.parse(live) as StreamRow) };
  }

  async append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome> {
    const answer = await this.#append(id, append, { leaseMs, isLast: false });
    return answer === 'appended' || answer === 'stop-requested' ? answer : 'lost';
  }

  async end(id: string, append: StreamAppend): Promise<boolean> {
    return (await this.#append(id, append, { leaseMs: 0, isLast: true })) === 'ended';
  }

  async findLive(owner: Owner, place: StreamPlace): Promise<LiveStream | undefined> {
    const [found] = await this.#query<{ live: string }>(
      `select json_build_array(s.id, s.agent_id, s.conversation_id, s.owner, s.started_at)::text as live ${this.#live}`,
      this.#placeValues(owner, place),
    );
    return found && fromStreamRow(JSON.parse(found.live) as StreamRow);
  }

  async read(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StreamChunks | undefined> {
    const until = Math.min(after + limit, largestInteger);
    const rows = await this.#query<StoredChunks & { readonly status: StreamChunks['status'] }>(
      `select * from ${this.#schema}.read_stream($1, $2, $3, $4)`,
      [toText(id), after, until, this.#database.shiftMs],
    );
    const [first] = rows;
    return first && { chunks: joinedChunks(rows, after, limit), status: first.status };
  }

  async requestStop(owner: Owner, place: StreamPlace): Promise<boolean> {
    const [stopped] = await this.#query<{ id: string }>(
      `update ${this.#schema}.streams set is_stop_requested = true
        where key = (select s.key ${this.#live}) and ended_at is null returning id`,
      this.#placeValues(owner, place),
    );
    if (stopped !== undefined) this.#tell(stopped.id);
    return stopped !== undefined;
  }

  watch(id: string, listener: () => void): () => void {
    return this.#notifications.watchStream(id, listener);
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    for (let purged = 0; ;) {
      const atMost = Math.min(limit - purged, forgottenAtOnce);
      const [part] = await this.#query<{ purged: number; lost: string | null }>(
        `select * from ${this.#schema}.purge_streams($1, $2, $3)`,
        [Math.floor(olderThanMs), atMost, this.#database.shiftMs],
      );
      const lost = JSON.parse(part?.lost ?? '[]') as readonly string[];
      for (const id of lost) this.#tell(id);
      purged += part?.purged ?? 0;
      if (part === undefined || Math.max(part.purged, lost.length) < atMost || purged >= limit) return purged;
    }
  }

  async deleteUser(userId: string): Promise<number> {
    for (let deleted = 0; ;) {
      const gone = await this.#query<{ id: string }>(
        `select id from ${this.#schema}.delete_streams($1, ${forgottenAtOnce}) as id`,
        [streamOwner(userId)],
      );
      for (const { id } of gone) this.#tell(id);
      deleted += gone.length;
      if (gone.length < forgottenAtOnce) return deleted;
    }
  }

  async #append(
    id: string,
    { after, chunks }: StreamAppend,
    { isLast, leaseMs }: { readonly leaseMs: number; readonly isLast: boolean },
  ): Promise<Answer> {
    const text = JSON.stringify(chunks);
    const [row] = await this.#query<{ answer: Answer }>(
      `select ${this.#schema}.append_to_stream($1, $2, $3, $4, $5, $6, $7, $8, $9) as answer`,
      [
        toText(id),
        after,
        chunks.length,
        text,
        text.length,
        this.#maxBytesPerStream,
        Math.ceil(leaseMs),
        isLast,
        this.#database.shiftMs,
      ],
    );
    const answer = row?.answer ?? 'lost';
    if (answer === 'gap')
      throw new HalyardError('internal', 'INTERNAL', `The stream has fewer chunks than ${after}: some are missing`);
    if (isLast || chunks.length > 0 || answer === 'outgrown') this.#notifications.tellStream(id);
    return answer;
  }

  get #schema(): string {
    return this.#database.schema;
  }

  /** The one live stream of {@link #placeValues}. */
  get #live(): string {
    return `from ${this.#schema}.streams s
      where s.conversation_id = $1 and s.agent_id = $2 and ($3::text is null or s.owner = $3) and s.ended_at is null
        and s.lease_until > floor(extract(epoch from clock_timestamp()) * 1000)::bigint + $4::bigint
      order by s.started_at desc, s.key desc limit 1`;
  }

  #placeValues(owner: Owner, { agentId, conversationId }: StreamPlace): readonly unknown[] {
    const of = owner === 'anyone' ? null : streamOwner(owner.user);
    return [toText(conversationId), toText(agentId), of, this.#database.shiftMs];
  }

  /** Each may be sent twice. */
  #query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, values, { bearsTwice: true });
  }

  /** @param id as it is stored. */
  #tell(id: string): void {
    this.#notifications.tellStream(fromText(id));
  }
}
