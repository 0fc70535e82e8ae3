import type {
  AppendOutcome,
  BeginOutcome,
  Clock,
  LiveStream,
  NewStream,
  Owner,
  StreamAppend,
  StreamChunks,
  StreamPlace,
  StreamStore,
} from '@halyard/contracts';
import { LinkedList } from '../conversations/linked-list.ts';
import { ListsByKey } from '../telemetry/lists-by-key.ts';
import { Watchers } from '../watchers.ts';
import { KeptStream } from './kept-stream.ts';

export interface InMemoryStreamStoreOptions {
  /** How many streams are kept. Default: 10 000. */
  readonly maxStreams?: number;
  /** About how many bytes one stream may take. Default: 16 MiB. */
  readonly maxBytesPerStream?: number;
  /** About how many bytes all of them may take. Default: 128 MiB. */
  readonly maxBytes?: number;
}

/**
 * Answers of one process while they are given, gone when it ends. Each method does its work before it returns, so that nothing comes in between.
 *
 * It keeps no more than it may: those that ended the longest ago go first, then live ones that began the longest ago are lost. One that is too long by itself
 * is lost.
 */
export class InMemoryStreamStore implements StreamStore {
  readonly #clock: Clock;
  readonly #maxStreams: number;
  readonly #maxBytesPerStream: number;
  readonly #maxBytes: number;
  readonly #byId = new Map<string, KeptStream>();
  /** Those that have not ended, in the order they began; the writers of some may have lost their lease. */
  readonly #running = new LinkedList<KeptStream>();
  readonly #runningByPlace = new Map<string, KeptStream>();
  readonly #runningByConversation = new ListsByKey<KeptStream>();
  /** In the order it was seen that they ended. */
  readonly #ended = new LinkedList<KeptStream>();
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

  /** How many streams are kept. */
  get size(): number {
    return this.#byId.size;
  }

  async begin(stream: NewStream, leaseMs: number): Promise<BeginOutcome> {
    if (this.#byId.has(stream.id)) return { kind: 'begun' };
    const now = this.#clock.now();
    const before = this.#runningByPlace.get(placeKey(stream));
    if (before?.isLiveAt(now) === true) return { kind: 'busy', live: before.live };
    if (before !== undefined) this.#lose(before, before.leaseUntil);

    const kept = new KeptStream(stream, now);
    kept.leaseUntil = now + leaseMs;
    kept.link = this.#running.add(kept);
    kept.placeLink = this.#runningByConversation.add(stream.conversationId, kept);
    this.#runningByPlace.set(placeKey(stream), kept);
    this.#byId.set(stream.id, kept);
    this.#bytes += kept.bytes;
    this.#makeRoom(now);
    this.#tell(kept);
    return { kind: 'begun' };
  }

  async append(id: string, append: StreamAppend, leaseMs: number): Promise<AppendOutcome> {
    const now = this.#clock.now();
    const kept = this.#byId.get(id);
    if (kept?.isLiveAt(now) !== true) return 'lost';
    const isLonger = this.#add(kept, append, now);
    if (!kept.isLiveAt(now)) return 'lost';
    kept.leaseUntil = now + leaseMs;
    if (isLonger) this.#tell(kept);
    return kept.isStopRequested ? 'stop-requested' : 'appended';
  }

  async end(id: string, append: StreamAppend): Promise<boolean> {
    const now = this.#clock.now();
    const kept = this.#byId.get(id);
    if (kept?.status === 'ended') return true;
    if (kept?.isLiveAt(now) !== true) return false;
    this.#add(kept, append, now);
    if (!kept.isLiveAt(now)) return false;
    this.#settle(kept, 'ended', now);
    return true;
  }

  async findLive(owner: Owner, place: StreamPlace): Promise<LiveStream | undefined> {
    return this.#findLive(owner, place)?.live;
  }

  async read(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StreamChunks | undefined> {
    return this.#byId.get(id)?.read(after, limit, this.#clock.now());
  }

  async requestStop(owner: Owner, place: StreamPlace): Promise<boolean> {
    const kept = this.#findLive(owner, place);
    if (kept === undefined) return false;
    kept.isStopRequested = true;
    this.#tell(kept);
    return true;
  }

  watch(id: string, listener: () => void): () => void {
    return this.#watchers.add(id, () => listener());
  }

  async purge(olderThanMs: number, limit: number): Promise<number> {
    const now = this.#clock.now();
    for (const kept of this.#running.toArray()) if (!kept.isLiveAt(now)) this.#lose(kept, kept.leaseUntil);
    const old = this.#ended.toArray().filter(({ endedAt }) => endedAt <= now - olderThanMs);
    const forgotten = old.slice(0, limit);
    for (const kept of forgotten) this.#forget(kept);
    return forgotten.length;
  }

  async deleteUser(userId: string): Promise<number> {
    return this.deleteAllOf(userId);
  }

  /** Forgets the streams of a user. @returns how many. */
  deleteAllOf(userId: string): number {
    const streams = [...this.#byId.values()].filter(({ live }) => live.userId === userId);
    for (const kept of streams) {
      this.#forget(kept);
      this.#tell(kept);
    }
    return streams.length;
  }

  #findLive(owner: Owner, { agentId, conversationId }: StreamPlace): KeptStream | undefined {
    const now = this.#clock.now();
    if (owner !== 'anyone') {
      const kept = this.#runningByPlace.get(placeKey({ conversationId, userId: owner.user }));
      return kept?.live.agentId === agentId && kept.isLiveAt(now) ? kept : undefined;
    }
    let link = this.#runningByConversation.get(conversationId)?.newest;
    while (link !== undefined && !(link.value.live.agentId === agentId && link.value.isLiveAt(now))) link = link.older;
    return link?.value;
  }

  /** It may be lost after that. @returns whether there is more of it. */
  #add(kept: KeptStream, append: StreamAppend, now: number): boolean {
    const before = kept.bytes;
    if (!kept.add(append)) return false;
    this.#bytes += kept.bytes - before;
    if (kept.bytes > this.#maxBytesPerStream) this.#giveUp(kept, now);
    this.#makeRoom(now);
    return true;
  }

  #makeRoom(now: number): void {
    while (this.#byId.size > this.#maxStreams || this.#bytes > this.#maxBytes) {
      const [ended, running] = [this.#ended.oldest, this.#running.oldest];
      if (ended !== undefined) this.#forget(ended.value);
      else if (running !== undefined) this.#giveUp(running.value, now);
      else return;
    }
  }

  /** It is not kept any longer. */
  #giveUp(kept: KeptStream, now: number): void {
    this.#bytes -= kept.bytes;
    kept.dropChunks();
    this.#bytes += kept.bytes;
    this.#lose(kept, now);
  }

  #lose(kept: KeptStream, at: number): void {
    this.#settle(kept, 'lost', at);
  }

  #settle(kept: KeptStream, status: 'ended' | 'lost', at: number): void {
    this.#takeOut(kept);
    kept.status = status;
    kept.endedAt = at;
    kept.link = this.#ended.add(kept);
    this.#tell(kept);
  }

  #forget(kept: KeptStream): void {
    this.#takeOut(kept);
    this.#byId.delete(kept.live.id);
    this.#bytes -= kept.bytes;
    kept.status = kept.status === 'live' ? 'lost' : kept.status;
  }

  #takeOut(kept: KeptStream): void {
    kept.link?.remove();
    kept.link = undefined;
    if (kept.placeLink === undefined) return;
    kept.placeLink.remove();
    kept.placeLink = undefined;
    this.#runningByConversation.dropEmpty(kept.live.conversationId);
    this.#runningByPlace.delete(placeKey(kept.live));
  }

  #tell({ live }: KeptStream): void {
    this.#watchers.notify(live.id, 'commit');
  }
}

function placeKey({ conversationId, userId }: Pick<NewStream, 'conversationId' | 'userId'>): string {
  return JSON.stringify([conversationId, userId]);
}
