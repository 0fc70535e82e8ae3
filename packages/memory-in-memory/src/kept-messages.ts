import type { Message, MessageFilter, StoredMessage } from '@halyard/contracts';
import { inOnePiece } from './in-one-piece.ts';
import { KeptMessage } from './kept-message.ts';

/** The messages of one conversation in the order of their times, no two of which are equal. */
export class KeptMessages {
  readonly #byId = new Map<string, KeptMessage>();
  #inOrder: KeptMessage[] = [];
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
    const before = this.#byId.get(message.id);
    if (before === undefined) {
      this.add(message, Math.max(now, this.#lastTime + 1), message.id);
      return;
    }
    const kept = new KeptMessage(message, before.createdAt, before.id);
    this.#inOrder[this.#indexFrom(before.createdAt)] = kept;
    this.#byId.set(kept.id, kept);
    this.#bytes += kept.bytes - before.bytes;
  }

  /** Adds a message that is later than the last, and whose id is not here yet. */
  add(message: Message, createdAt: number, id: string): void {
    const kept = new KeptMessage(message, createdAt, inOnePiece(id));
    this.#inOrder.push(kept);
    this.#byId.set(kept.id, kept);
    this.#lastTime = createdAt;
    this.#bytes += kept.bytes;
  }

  /** The newest that fit, oldest first. */
  newest({ limit, before, after, roles }: MessageFilter): readonly StoredMessage[] {
    const end = before === undefined ? this.#inOrder.length : this.#indexFrom(before);
    const start = after === undefined ? 0 : this.#indexAfter(after);
    if (roles === undefined) return this.#inOrder.slice(Math.max(start, end - limit), Math.max(start, end));

    const fitting: StoredMessage[] = [];
    for (let index = end - 1; index >= start && fitting.length < limit; index -= 1) {
      const message = this.#inOrder[index];
      if (message !== undefined && roles.includes(message.role)) fitting.push(message);
    }
    return fitting.toReversed();
  }

  /** Those of these ids, each once, in order. */
  find(ids: readonly string[]): readonly StoredMessage[] {
    const found: StoredMessage[] = [];
    for (const id of new Set(ids)) {
      const message = this.#byId.get(id);
      if (message !== undefined) found.push(message);
    }
    return found.toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** Deletes those of these ids. @returns the ids of those that were there, in order. */
  delete(ids: readonly string[]): readonly string[] {
    const found = this.find(ids);
    if (found.length === 0) return [];
    for (const { id } of found) this.#forget(id);
    this.#inOrder = this.#inOrder.filter(({ id }) => this.#byId.has(id));
    return found.map(({ id }) => id);
  }

  /** Deletes what stands after this message; nothing when it is not there. @returns the ids of those that went. */
  dropAfter(id: string): readonly string[] {
    const last = this.#byId.get(id);
    if (last === undefined) return [];
    const dropped = this.#inOrder.splice(this.#indexAfter(last.createdAt)).map((message) => message.id);
    for (const droppedId of dropped) this.#forget(droppedId);
    return dropped;
  }

  /** Deletes the oldest beyond so many. */
  keepNewest(count: number): void {
    const surplus = this.#inOrder.length - count;
    if (surplus <= 0) return;
    for (const { id } of this.#inOrder.splice(0, surplus)) this.#forget(id);
  }

  #forget(id: string): void {
    this.#bytes -= this.#byId.get(id)?.bytes ?? 0;
    this.#byId.delete(id);
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
