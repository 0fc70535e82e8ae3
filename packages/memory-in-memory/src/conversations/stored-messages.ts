import type { Message, MessageFilter, MessagePage, PartsSave, StoredMessage } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';

const bytesPerMessage = 200;

/** The messages of one conversation in the order of their times, no two of which are equal. */
export class StoredMessages {
  readonly #byId = new Map<string, StoredMessage>();
  /** The writers of messages whose last write was {@link putParts}, by the ids of the messages. */
  readonly #writers = new Map<string, string>();
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

  /**
   * Replaces the message of this id in its place, or adds one after the last. The message must be
   * frozen: it is not copied.
   */
  put(message: Message, now: number): void {
    const before = this.#byId.get(message.id);
    if (before === undefined) {
      this.add(message, Math.max(now, this.#lastTime + 1));
      return;
    }
    this.#writers.delete(message.id);
    const stored = toStored(message, before.createdAt);
    this.#inOrder[this.#findIndex(before.createdAt)] = stored;
    this.#byId.set(stored.id, stored);
    this.#bytes += countBytes(stored) - countBytes(before);
  }

  /**
   * Whether {@link putParts} may write: the parts that are not given are those of the same writer.
   */
  takesParts({ length, messageId, parts, writer }: PartsSave): boolean {
    return this.#byId.has(messageId) && (parts.length === length || this.#writers.get(messageId) === writer);
  }

  /** Replaces the given parts of a message. They must be frozen: they are not copied. */
  putParts({ length, messageId, metadata, parts, writer }: PartsSave, now: number): void {
    const before = this.#byId.get(messageId);
    if (before === undefined) return;
    const whole = before.parts.slice(0, length);
    for (const { part, place } of parts) whole[place] = part;
    Object.freeze(whole);
    this.put({ id: messageId, role: before.role, parts: whole, metadata }, now);
    this.#writers.set(messageId, writer);
  }

  /** Adds a message after the last; its id must be new. */
  add(message: Message, createdAt: number): void {
    const stored = toStored(message, createdAt);
    this.#inOrder.push(stored);
    this.#byId.set(stored.id, stored);
    this.#lastTime = createdAt;
    this.#bytes += countBytes(stored);
  }

  /** The newest messages that match, oldest first, and whether there are more. */
  newest({ limit, maxBytes, before, after, roles }: MessageFilter): Omit<MessagePage, 'conversation'> {
    const start = after === undefined ? 0 : this.#findIndex(after + 1);
    const end = before === undefined ? this.#inOrder.length : this.#findIndex(before);
    const page = new NewestMessages(limit, maxBytes);
    for (let place = end - 1; place >= start && !page.hasMore; place -= 1) {
      const message = this.#inOrder[place];
      if (message !== undefined && (roles === undefined || roles.includes(message.role))) page.add(message);
    }
    return { messages: page.inOrder(), hasMore: page.hasMore };
  }

  countBefore(time: number): number {
    return this.#findIndex(time);
  }

  /**
   * The messages with these ids, in their order; the newest of them if they have more than
   * `maxBytes`.
   */
  find(ids: readonly string[], maxBytes?: number): readonly StoredMessage[] {
    const found = [...new Set(ids)].map((id) => this.#byId.get(id)).filter((message) => message !== undefined);
    const page = new NewestMessages(found.length, maxBytes);
    for (const message of found.toSorted((one, other) => other.createdAt - one.createdAt)) page.add(message);
    return page.inOrder();
  }

  /** The ids of the messages after this one; none when it does not exist. */
  idsAfter(id: string): readonly string[] {
    const last = this.#byId.get(id);
    return last === undefined
      ? []
      : this.#inOrder.slice(this.#findIndex(last.createdAt) + 1).map((message) => message.id);
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
      this.#writers.delete(message.id);
      this.#bytes -= countBytes(message);
    }
  }

  /** Index of the first message of this time or a later one. */
  #findIndex(time: number): number {
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

/** A page that is filled from its newest message on. */
class NewestMessages {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #messages: StoredMessage[] = [];
  #bytes = 0;
  /** Whether a message did not fit: those after it are left out too. */
  hasMore = false;

  constructor(limit: number, maxBytes = Infinity) {
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  add(message: StoredMessage): void {
    this.#bytes += countBytes(message);
    const { length } = this.#messages;
    this.hasMore ||= length >= this.#limit || (length > 0 && this.#bytes > this.#maxBytes);
    if (!this.hasMore) this.#messages.push(message);
  }

  inOrder(): readonly StoredMessage[] {
    return this.#messages.toReversed();
  }
}

function toStored({ id, role, parts, metadata }: Message, createdAt: number): StoredMessage {
  return Object.freeze({ id, role, parts, ...(metadata !== undefined && { metadata }), createdAt });
}

/** Roughly how much memory a message takes. */
export function countBytes({ parts, metadata }: Message): number {
  return bytesPerMessage + estimateBytes(parts) + estimateBytes(metadata);
}
