import type { Owner } from './owner.ts';

/**
 * Where the answers of conversations are kept while they are given, chunk by chunk, so that who lost the connection goes on reading, in any process. A
 * conversation has one live stream at a time: one that has begun, has not ended, and whose writer still holds its lease. All times are by the store's clock.
 *
 * Of a stream that has ended its chunks are kept for some time, for who still reads. What is kept is bounded: a stream whose chunks are too many is no
 * longer kept, and reads as `lost`.
 */
export interface StreamStore {
  /**
   * Begins a stream, unless its conversation has a live one; of parallel calls one wins. One whose lease has run out ends as `lost`. The same id again is
   * `begun`, as after a lost answer.
   */
  begin(stream: NewStream, leaseMs: number): Promise<BeginOutcome>;

  /**
   * Adds chunks, and prolongs the lease; without chunks it only does that. `after` is how many there were before: the same chunks again, as after a lost answer,
   * are added once.
   *
   * @throws HalyardError when there are fewer than `after`: chunks are missing.
   */
  append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome>;

  /**
   * Ends it, with its last chunks. Once it has ended it stays as it is: true all the same.
   *
   * @returns false where it was lost or forgotten, or became too long with these.
   * @throws HalyardError when there are fewer than `after`.
   */
  end(id: string, append: StreamAppend): Promise<boolean>;

  /** Of several users' with one conversation id, for `anyone`, the one that began last. */
  findLive(owner: Owner, place: StreamPlace): Promise<LiveStream | undefined>;

  /** Chunks after the first `after`: `limit`, or all there are where they are fewer. Undefined where the stream is not there any more. */
  read(id: string, range: { readonly after: number; readonly limit: number }): Promise<StreamChunks | undefined>;

  /** Asks the writer to stop. @returns whether there was a live stream. */
  requestStop(owner: Owner, place: StreamPlace): Promise<boolean>;

  /**
   * Calls `listener` after something happened to the stream, in any process: chunks, its end, a wish that it stop. Perhaps late, more than once, or for
   * nothing; where nothing is heard of other processes, at least every 3 s.
   *
   * @returns a function that stops it.
   */
  watch(id: string, listener: () => void): () => void;

  /** Forgets what ended `olderThanMs` ago or earlier, `limit` streams at most, and ends what was lost. @returns how many it forgot. */
  purge(olderThanMs: number, limit: number): Promise<number>;

  /** Forgets the streams of a user, live ones too. @returns how many. */
  deleteUser(userId: string): Promise<number>;
}

/** Whose answer it is, where. */
export interface StreamPlace {
  readonly agentId: string;
  readonly conversationId: string;
}

export interface NewStream extends StreamPlace {
  /** Unique. */
  readonly id: string;
  /** Undefined: nobody's. Each user has live streams of their own, also where conversation ids are the same. */
  readonly userId: string | undefined;
}

export interface LiveStream extends NewStream {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export type BeginOutcome =
  | { readonly kind: 'begun' }
  /** `agentId` may be another agent's. */
  | { readonly kind: 'busy'; readonly live: LiveStream };

export interface StreamAppend {
  readonly after: number;
  /** Each the text of one event. */
  readonly chunks: readonly string[];
}

/** `lost`: its lease ran out, it has ended, was forgotten or became too long; nothing was added. `stop-requested`: added, and somebody wants it to stop. */
export type AppendOutcome = 'appended' | 'stop-requested' | 'lost';

export interface StreamChunks {
  readonly chunks: readonly string[];
  /** As it is after the last chunk, also where more of them are left to read. `lost`: its writer is gone; no more will come. */
  readonly status: 'live' | 'ended' | 'lost';
}
