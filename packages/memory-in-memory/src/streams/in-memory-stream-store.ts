import {
  type AppendOutcome,
  type BeginOutcome,
  type Clock,
  HalyardError,
  type LiveStream,
  monotonicTime,
  type NewStream,
  type Owner,
  type StreamAppend,
  type StreamChunks,
  type StreamKey,
  type StreamStore,
} from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { Watchers } from '../watchers.ts';

export interface InMemoryStreamStoreOptions {
  /** How many streams are stored. Default: 10 000. */
  readonly maxStreams?: number | undefined;
  /** Roughly how many bytes one stream may take. Default: 16 MiB. */
  readonly maxBytesPerStream?: number | undefined;
  /** Roughly how many bytes all streams may take. Default: 128 MiB. */
  readonly maxBytes?: number | undefined;
}

interface StoredStream {
  readonly stream: LiveStream;
  chunks: string[];
  bytes: number;
  status: StreamChunks['status'];
  /**
   * In monotonic time: a change of the system's time must not end the lease of a writer that is
   * alive.
   */
  leaseEndsAt: number;
  /** Milliseconds since the epoch. */
  endedAt: number;
  isStopRequested: boolean;
}

const bytesPerStream = 400;

/**
 * Streams of one process, gone when it ends. Each method does its work before it returns, so that
 * no other call runs in between.
 *
 * Beyond the limits, the stream that ended first is deleted; without ended streams, the live one
 * that began first is lost. A stream that is too long by itself is lost.
 */
export class InMemoryStreamStore implements StreamStore {
  readonly #clock: Clock;
  readonly #maxStreams: number;
  readonly #maxBytesPerStream: number;
  readonly #maxBytes: number;
  readonly #byId = new Map<string, StoredStream>();
  /**
   * Streams that have not ended, by conversation and user, in the order in which they began. Some
   * leases may have expired.
   */
  readonly #open = new Map<string, StoredStream>();
  /** In the order in which they ended. */
  readonly #ended = new Set<StoredStream>();
  readonly #watchers = new Watchers();
  #bytes = 0;

  constructor(
    clock: Clock,
    {
      maxStreams = 10_000,
      maxBytesPerStream = 16 * 1024 * 1024,
      maxBytes = 128 * 1024 * 1024,
    }: InMemoryStreamStoreOptions = {},
  ) {
    this.#clock = clock;
    this.#maxStreams = maxStreams;
    this.#maxBytesPerStream = maxBytesPerStream;
    this.#maxBytes = maxBytes;
  }

  /** How many streams are stored. */
  get size(): number {
    return this.#byId.size;
  }

  async begin({ id, agentId, conversationId, userId }: NewStream, leaseMs: number): Promise<BeginOutcome> {
    if (this.#byId.has(id)) return { kind: 'begun' };
    const now = this.#clock.now();
    const key = toKey({ conversationId, userId });
    const before = this.#open.get(key);
    if (before !== undefined && this.#isLive(before)) return { kind: 'busy', live: before.stream };
    if (before !== undefined) this.#endExpired(before);

    const stream = { id, agentId, conversationId, userId, startedAt: now };
    const stored: StoredStream = {
      stream,
      chunks: [],
      bytes: bytesPerStream,
      status: 'live',
      leaseEndsAt: monotonicTime(this.#clock) + leaseMs,
      endedAt: 0,
      isStopRequested: false,
    };
    this.#byId.set(id, stored);
    this.#open.set(key, stored);
    this.#bytes += stored.bytes;
    this.#makeRoom(now);
    return { kind: 'begun' };
  }

  async append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome> {
    const now = this.#clock.now();
    const stored = this.#byId.get(id);
    if (stored === undefined || !this.#isLive(stored)) return 'lost';
    const hasNewChunks = this.#add(stored, append, now);
    if (!this.#isLive(stored)) return 'lost';
    stored.leaseEndsAt = monotonicTime(this.#clock) + leaseMs;
    if (hasNewChunks) this.#notify(stored);
    return stored.isStopRequested ? 'stop-requested' : 'appended';
  }

  async end(id: string, append: StreamAppend): Promise<boolean> {
    const now = this.#clock.now();
    const stored = this.#byId.get(id);
    if (stored?.status === 'ended') return true;
    if (stored === undefined || !this.#isLive(stored)) return false;
    this.#add(stored, append, now);
    if (!this.#isLive(stored)) return false;
    this.#end(stored, 'ended', now);
    return true;
  }

  async discard(id: string): Promise<void> {
    const stored = this.#byId.get(id);
    if (stored === undefined) return;
    this.#delete(stored);
    this.#notify(stored);
  }

  async findLive(owner: Owner, streamKey: StreamKey): Promise<LiveStream | undefined> {
    return this.#findLive(owner, streamKey)?.stream;
  }

  async read(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StreamChunks | undefined> {
    const stored = this.#byId.get(id);
    if (stored === undefined) return undefined;
    const isLost = stored.status === 'live' && !this.#isLive(stored);
    return { chunks: stored.chunks.slice(after, after + limit), status: isLost ? 'lost' : stored.status };
  }

  async requestStop(owner: Owner, streamKey: StreamKey): Promise<boolean> {
    const stored = this.#findLive(owner, streamKey);
    if (stored === undefined) return false;
    stored.isStopRequested = true;
    this.#notify(stored);
    return true;
  }

  watch(id: string, listener: () => void): () => void {
    return this.#watchers.add(id, () => listener());
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const now = this.#clock.now();
    for (const stored of this.#open.values()) if (!this.#isLive(stored)) this.#endExpired(stored);
    const old = [...this.#ended].filter(({ endedAt }) => endedAt <= now - olderThanMs).slice(0, limit);
    for (const stored of old) this.#delete(stored);
    return old.length;
  }

  async deleteUser(userId: string): Promise<number> {
    const ofUser = [...this.#byId.values()].filter(({ stream }) => stream.userId === userId);
    for (const stored of ofUser) {
      this.#delete(stored);
      this.#notify(stored);
    }
    return ofUser.length;
  }

  #findLive(owner: Owner, { agentId, conversationId }: StreamKey): StoredStream | undefined {
    const ofOwner =
      owner === 'anyone' ? [...this.#open.values()] : [this.#open.get(toKey({ conversationId, userId: owner.user }))];
    return ofOwner.findLast(
      (stored) =>
        stored?.stream.conversationId === conversationId && stored.stream.agentId === agentId && this.#isLive(stored),
    );
  }

  #isLive({ leaseEndsAt, status }: StoredStream): boolean {
    return status === 'live' && leaseEndsAt > monotonicTime(this.#clock);
  }

  /** Ends a stream whose lease has ended. */
  #endExpired(stored: StoredStream): void {
    const sinceMs = monotonicTime(this.#clock) - stored.leaseEndsAt;
    this.#end(stored, 'lost', this.#clock.now() - sinceMs);
  }

  /**
   * Adds the chunks that are not stored yet. The stream may be lost afterwards. @returns whether
   * there were such chunks.
   */
  #add(stored: StoredStream, { after, chunks }: StreamAppend, now: number): boolean {
    const count = stored.chunks.length;
    if (count < after) throw new HalyardError('internal', 'INTERNAL', `The stream has ${count} chunks, not ${after}`);
    const newChunks = chunks.slice(count - after);
    for (const chunk of newChunks) {
      stored.chunks.push(chunk);
      stored.bytes += estimateBytes(chunk);
      this.#bytes += estimateBytes(chunk);
    }
    if (stored.bytes > this.#maxBytesPerStream) this.#lose(stored, now);
    this.#makeRoom(now);
    return newChunks.length > 0;
  }

  #makeRoom(now: number): void {
    while (this.#byId.size > this.#maxStreams || this.#bytes > this.#maxBytes) {
      const [ended] = this.#ended;
      const [open] = this.#open.values();
      if (ended !== undefined) this.#delete(ended);
      else if (open !== undefined) this.#lose(open, now);
      else return;
    }
  }

  /** Ends a stream that there is no room for. */
  #lose(stored: StoredStream, now: number): void {
    this.#bytes -= stored.bytes - bytesPerStream;
    stored.bytes = bytesPerStream;
    stored.chunks = [];
    this.#end(stored, 'lost', now);
  }

  #end(stored: StoredStream, status: 'ended' | 'lost', at: number): void {
    stored.status = status;
    stored.endedAt = at;
    this.#open.delete(toKey(stored.stream));
    this.#ended.add(stored);
    this.#notify(stored);
  }

  #delete(stored: StoredStream): void {
    this.#byId.delete(stored.stream.id);
    this.#ended.delete(stored);
    this.#bytes -= stored.bytes;
    if (stored.status === 'live') this.#open.delete(toKey(stored.stream));
  }

  #notify({ stream }: StoredStream): void {
    this.#watchers.notify(stream.id, 'commit');
  }
}

function toKey({ conversationId, userId }: Pick<NewStream, 'conversationId' | 'userId'>): string {
  return JSON.stringify([conversationId, userId]);
}
