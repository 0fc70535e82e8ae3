import type { Message, MessageFilter, StoredMessage } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';

const bytesPerMessage = 200;

/** The messages of one conversation in the order of their times, no two of which are equal. */
export class StoredMessages {
  readonly #byId = new Map<string, StoredMessage>();
  #inOrder: StoredMessage[] = [];
  #lastTime = 0;
  #bytes = 0;

  get size(): number {
    return this.#inOrder.length;
  }

  /** Roughly how much memory the messages take. */
  get bytes(): number {
    return this.#bytes;
  }

  all(): readonly StoredMessage[] {
    return [...this.#inOrder];
  }

  /** Replaces the message of this id in its place, or adds one after the last. The message must be frozen: it is not copied. */
  put(message: Message, now: number): void {
    const before = this.#byId.get(message.id);
    if (before === undefined) {
      this.add(message, Math.max(now, this.#lastTime + 1));
      return;
    }
    const stored = toStored(message, before.createdAt);
    this.#inOrder[this.#placeOf(before.createdAt)] = stored;
    this.#byId.set(stored.id, stored);
    this.#bytes += bytesOf(stored) - bytesOf(before);
  }

  /** Adds a message after the last; its id must be new. */
  add(message: Message, createdAt: number): void {
    const stored = toStored(message, createdAt);
    this.#inOrder.push(stored);
    this.#byId.set(stored.id, stored);
    this.#lastTime = createdAt;
    this.#bytes += bytesOf(stored);
  }

  /** The newest messages that match, oldest first. */
  newest({ limit, before, after, roles }: MessageFilter): readonly StoredMessage[] {
    const start = after === undefined ? 0 : this.#placeOf(after + 1);
    let place = before === undefined ? this.#inOrder.length : this.#placeOf(before);
    const found: StoredMessage[] = [];
    while (place > start && found.length < limit) {
      place -= 1;
      const message = this.#inOrder[place];
      if (message !== undefined && (roles === undefined || roles.includes(message.role))) found.push(message);
    }
    return found.toReversed();
  }

  /** The messages with these ids, in their order. */
  find(ids: readonly string[]): readonly StoredMessage[] {
    const found = [...new Set(ids)].map((id) => this.#byId.get(id)).filter((message) => message !== undefined);
    return found.toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** The ids of the messages after this one; none when it does not exist. */
  idsAfter(id: string): readonly string[] {
    const last = this.#byId.get(id);
    return last === undefined
      ? []
      : this.#inOrder.slice(this.#placeOf(last.createdAt) + 1).map((message) => message.id);
  }

  delete(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#forget(this.find(ids));
    this.#inOrder = this.#inOrder.filter(({ id }) => this.#byId.has(id));
  }

  /** Deletes the oldest messages beyond `count`. */
  keepNewest(count: number): void {
    if (this.size > count) this.#forget(this.#inOrder.splice(0, this.size - count));
  }

  #forget(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      this.#byId.delete(message.id);
      this.#bytes -= bytesOf(message);
    }
  }

  /** Index of the first message of this time or a later one. */
  #placeOf(time: number): number {
    let low = 0;
    let high = this.#inOrder.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#inOrder[middle]?.createdAt ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toStored({ id, role, parts, metadata }: Message, createdAt: number): StoredMessage {
  return Object.freeze({ id, role, parts, ...(metadata !== undefined && { metadata }), createdAt });
}

function bytesOf({ parts, metadata }: Message): number {
  return bytesPerMessage + estimateBytes(parts) + estimateBytes(metadata);
}
