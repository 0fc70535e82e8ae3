import type { Owner } from '../users/owner.ts';

/**
 * Stores the replies of conversations chunk by chunk while they are generated, so that a client
 * that lost its connection can continue to read, in any process. A conversation has at most one
 * live stream: it has begun, has not ended, and its lease has not expired. All times are by the
 * store's clock.
 *
 * The chunks of a stream that has ended stay readable until they are purged. The store is bounded:
 * a stream with too many chunks is deleted and reads as `lost`.
 */
export interface StreamStore {
  /**
   * Begins a stream, unless its conversation has a live one; of parallel calls one wins. A stream
   * of the conversation whose lease has expired becomes `lost`. Idempotent by id: the same stream
   * again is `begun`.
   */
  begin(stream: NewStream, leaseMs: number): Promise<BeginOutcome>;

  /**
   * Adds chunks and renews the lease; without chunks it only renews. Idempotent by `after`, the
   * number of chunks before these: the same chunks again are added once.
   *
   * @throws HalyardError when the stream has fewer than `after` chunks.
   */
  append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome>;

  /**
   * Ends the stream with its last chunks. A stream that has ended does not change.
   *
   * @returns whether it has ended; false when it is lost or deleted, or becomes too long with these
   * chunks.
   * @throws HalyardError when the stream has fewer than `after` chunks.
   */
  end(id: string, append: StreamAppend): Promise<boolean>;

  /** Deletes a stream, whatever its state. An unknown one is ignored. */
  discard(id: string): Promise<void>;

  /**
   * The live stream of a conversation. For `anyone`, when several users have the conversation id,
   * the stream that began last.
   */
  findLive(owner: Owner, streamKey: StreamKey): Promise<LiveStream | undefined>;

  /** At most `limit` chunks after the first `after`. Undefined for an unknown or deleted stream. */
  read(id: string, range: { readonly after: number; readonly limit: number }): Promise<StreamChunks | undefined>;

  /**
   * Requests that the writer stops: its next append returns `stop-requested`. @returns whether
   * there was a live stream.
   */
  requestStop(owner: Owner, streamKey: StreamKey): Promise<boolean>;

  /**
   * Calls `listener` after a change of the stream in any process: new chunks, its end, a request to
   * stop. Calls may be late, repeated or without a change. A store without notifications from other
   * processes calls at least every 3 s.
   *
   * @returns a function that removes the listener.
   */
  watch(id: string, listener: () => void): () => void;

  /**
   * Deletes at most `limit` streams that ended `olderThanMs` ago or earlier, and marks those with
   * an expired lease as lost. @returns how many it deleted.
   */
  purge(olderThanMs: number, limit: number): Promise<number>;

  /** Deletes the streams of a user, live ones included. @returns how many. */
  deleteUser(userId: string): Promise<number>;
}

/** The agent and the conversation of a reply. */
export interface StreamKey {
  readonly agentId: string;
  readonly conversationId: string;
}

export interface NewStream extends StreamKey {
  /** Unique. */
  readonly id: string;
  /** Users with the same conversation id have separate live streams. Undefined: no user. */
  readonly userId: string | undefined;
}

export interface LiveStream extends NewStream {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export type BeginOutcome =
  | { readonly kind: 'begun' }
  /** The live stream may be of another agent. */
  | { readonly kind: 'busy'; readonly live: LiveStream };

export interface StreamAppend {
  readonly after: number;
  /** Each is the JSON of one event. */
  readonly chunks: readonly string[];
}

/**
 * `lost`: nothing was added, because the lease has expired or the stream has ended, was deleted or
 * is too long. `stop-requested`: added, and the writer is to stop.
 */
export type AppendOutcome = 'appended' | 'stop-requested' | 'lost';

export interface StreamChunks {
  readonly chunks: readonly string[];
  /**
   * Status of the stream, also when more chunks are left to read. `lost`: its writer is gone, and
   * no chunks follow.
   */
  readonly status: 'live' | 'ended' | 'lost';
}
