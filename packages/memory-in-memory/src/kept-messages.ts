import type { Message, MessageFilter, StoredMessage } from '@halyard/contracts';
import { KeptMessage } from './kept-message.ts';

/** So many are looked through faster than they are indexed, as most conversations are no longer: an index that ids come into and go out of is made anew time and again. */
const few = 32;

/** The messages of one conversation in the order of their times, no two of which are equal. */
export class KeptMessages {
  #inOrder: KeptMessage[] = [];
  /** There once they have been more than a few. */
  #byId: Map<string, KeptMessage> | undefined;
  #lastTime = 0;
  #bytes = 0;

  get size(): number {
    return this.#inOrder.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A copy, later writes do not touch it. */
  all(): readonly StoredMessage[] {
    return this.#inOrder.slice();
  }

  /** Replaces the message of this id in its place, or adds one after the last. The message is one that nobody can change. */
  put(message: Message, now: number): void {
    const before = this.#get(message.id);
    if (before === undefined) {
      this.add(message, Math.max(now, this.#lastTime + 1), message.id);
      return;
    }
    const kept = new KeptMessage(message, before.createdAt, before.id);
    this.#inOrder[this.#indexFrom(before.createdAt)] = kept;
    this.#byId?.set(kept.id, kept);
    this.#bytes += kept.bytes - before.bytes;
  }

  /** Adds a message that is later than the last, and whose id is not here yet. */
  add(message: Message, createdAt: number, id: string): void {
    const kept = new KeptMessage(message, createdAt, id);
    this.#inOrder.push(kept);
    if (this.#byId !== undefined) this.#byId.set(kept.id, kept);
    else if (this.#inOrder.length > few) this.#byId = new Map(this.#inOrder.map((each) => [each.id, each]));
    this.#lastTime = createdAt;
    this.#bytes += kept.bytes;
  }

  /** The newest that fit, oldest first. */
  newest({ limit, before, after, roles }: MessageFilter): readonly StoredMessage[] {
    const end = before === undefined ? this.#inOrder.length : this.#indexFrom(before);
    const start = after === undefined ? 0 : this.#indexAfter(after);
    if (roles === undefined) return this.#inOrder.slice(Math.max(start, end - limit), Math.max(start, end));

    const fits = (message: KeptMessage | undefined): boolean => message !== undefined && roles.includes(message.role);
    let fitting = 0;
    let first = end;
    while (first > start && fitting < limit) {
      first -= 1;
      if (fits(this.#inOrder[first])) fitting += 1;
    }
    const range = this.#inOrder.slice(first, end);
    return fitting === range.length ? range : range.filter(fits);
  }

  /** Those of these ids, each once, in order. */
  find(ids: readonly string[]): readonly KeptMessage[] {
    const found: KeptMessage[] = [];
    for (const id of new Set(ids)) {
      const message = this.#get(id);
      if (message !== undefined) found.push(message);
    }
    return found.toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** Deletes those of these ids. @returns the ids of those that were there, in order. */
  delete(ids: readonly string[]): readonly string[] {
    const found = this.find(ids);
    if (found.length === 0) return [];
    const gone = new Set(found);
    this.#inOrder = this.#inOrder.filter((message) => !gone.has(message));
    return this.#forget(found);
  }

  /** Deletes what stands after this message; nothing when it is not there. @returns the ids of those that went. */
  dropAfter(id: string): readonly string[] {
    const last = this.#get(id);
    if (last === undefined) return [];
    return this.#forget(this.#inOrder.splice(this.#indexAfter(last.createdAt)));
  }

  /** Deletes the oldest beyond so many. */
  keepNewest(count: number): void {
    const surplus = this.#inOrder.length - count;
    if (surplus > 0) this.#forget(this.#inOrder.splice(0, surplus));
  }

  #get(id: string): KeptMessage | undefined {
    return this.#byId === undefined ? this.#inOrder.findLast((message) => message.id === id) : this.#byId.get(id);
  }

  /** Those that were taken out. @returns their ids. */
  #forget(gone: readonly KeptMessage[]): readonly string[] {
    return gone.map(({ bytes, id }) => {
      this.#bytes -= bytes;
      this.#byId?.delete(id);
      return id;
    });
  }

  /** Index of the first message of this time or a later one. */
  #indexFrom(time: number): number {
    let low = 0;
    let high = this.#inOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const message = this.#inOrder[middle];
      if (message !== undefined && message.createdAt < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #indexAfter(time: number): number {
    const index = this.#indexFrom(time);
    return this.#inOrder[index]?.createdAt === time ? index + 1 : index;
  }
}
