import {
  HalyardError,
  type LiveStream,
  type NewStream,
  type StreamAppend,
  type StreamChunks,
} from '@halyard/contracts';
import type { Link } from '../conversations/linked-list.ts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';

const bytesPerStream = 400;

/** A stream with its chunks. */
export class KeptStream {
  readonly live: LiveStream;
  /** Where it is among those that have not ended, or among those that have. */
  link: Link<KeptStream> | undefined = undefined;
  /** Where it is among the live ones of its conversation id. */
  placeLink: Link<KeptStream> | undefined = undefined;
  status: StreamChunks['status'] = 'live';
  leaseUntil = 0;
  endedAt = 0;
  isStopRequested = false;
  bytes: number = bytesPerStream;
  #chunks: string[] = [];

  constructor({ agentId, conversationId, id, userId }: NewStream, startedAt: number) {
    this.live = { id, agentId, conversationId, userId, startedAt };
  }

  isLiveAt(now: number): boolean {
    return this.status === 'live' && this.leaseUntil > now;
  }

  /** Adds those of the chunks that are not there yet. @returns whether there were such. */
  add({ after, chunks }: StreamAppend): boolean {
    const known = this.#chunks.length - after;
    if (known < 0)
      throw new HalyardError('internal', 'INTERNAL', `The stream has ${this.#chunks.length} chunks, not ${after}`);
    if (known >= chunks.length) return false;
    for (const chunk of known === 0 ? chunks : chunks.slice(known)) {
      this.#chunks.push(chunk);
      this.bytes += estimatedJsonBytes(chunk);
    }
    return true;
  }

  dropChunks(): void {
    this.#chunks = [];
    this.bytes = bytesPerStream;
  }

  read(after: number, limit: number, now: number): StreamChunks {
    const status = this.status === 'live' && !this.isLiveAt(now) ? 'lost' : this.status;
    return { chunks: this.#chunks.slice(after, after + limit), status };
  }
}
