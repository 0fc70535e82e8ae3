import type { Message, MessageFilter, StoredMessage } from '@halyard/contracts';
import { KeptMessage, messageBytes } from './kept-message.ts';

/**
 * So many are looked through faster than they are indexed, as most conversations are no longer: an index that ids come into and go out of is made anew time and
 * again. Looked through are marks of their ids, which are next to each other: the messages themselves are all over the memory.
 */
const few = 32;
const markedCharacters = 8;
/** As many places of deleted messages as this are left at the front, and as many as there are messages: to move those up with each that goes would cost more. */
const fewGone = 32;
const gone = new KeptMessage({ id: '', role: 'user', parts: [] }, 0, '');

/** The messages of one conversation in the order of their times, no two of which are equal. */
export class KeptMessages {
  #inOrder: KeptMessage[] = [];
  /** Where the first of them is: those before it are gone. */
  #first = 0;
  /** Of the message in the same place: its mark, and how much memory it takes. */
  #marks: number[] = [];
  #sizes: number[] = [];
  /** There once they have been more than a few. */
  #byId: Map<string, KeptMessage> | undefined;
  #lastTime = 0;
  #bytes = 0;

  get size(): number {
    return this.#inOrder.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A copy, later writes do not touch it. */
  all(): readonly StoredMessage[] {
    return this.#inOrder.slice(this.#first);
  }

  /** Replaces the message of this id in its place, or adds one after the last. The message is one that nobody can change. */
  put(message: Message, now: number): void {
    const before = this.#get(message.id);
    if (before === undefined) {
      this.add(message, Math.max(now, this.#lastTime + 1), message.id);
      return;
    }
    const kept = new KeptMessage(message, before.createdAt, before.id);
    const bytes = messageBytes(kept);
    const place = this.#indexFrom(before.createdAt);
    this.#inOrder[place] = kept;
    this.#byId?.set(kept.id, kept);
    this.#bytes += bytes - (this.#sizes[place] ?? 0);
    this.#sizes[place] = bytes;
  }

  /** Adds a message that is later than the last, and whose id is not here yet. */
  add(message: Message, createdAt: number, id: string): void {
    const kept = new KeptMessage(message, createdAt, id);
    const bytes = messageBytes(kept);
    this.#inOrder.push(kept);
    this.#marks.push(markOf(id));
    this.#sizes.push(bytes);
    if (this.#byId !== undefined) this.#byId.set(kept.id, kept);
    else if (this.size > few) this.#byId = new Map(this.all().map((each) => [each.id, each]));
    this.#lastTime = createdAt;
    this.#bytes += bytes;
  }

  /** The newest that fit, oldest first. */
  newest({ limit, before, after, roles }: MessageFilter): readonly StoredMessage[] {
    const end = before === undefined ? this.#inOrder.length : this.#indexFrom(before);
    const start = after === undefined ? this.#first : this.#indexAfter(after);
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
    const places = new Set(found.map(({ createdAt }) => this.#indexFrom(createdAt)));
    const stays = (_: unknown, place: number): boolean => place >= this.#first && !places.has(place);
    this.#marks = this.#marks.filter(stays);
    this.#sizes = this.#sizes.filter(stays);
    this.#inOrder = this.#inOrder.filter(stays);
    this.#first = 0;
    this.#bytes = this.#sizes.reduce((sum, bytes) => sum + bytes, 0);
    for (const { id } of found) this.#byId?.delete(id);
    return found.map(({ id }) => id);
  }

  /** Deletes what stands after this message; nothing when it is not there. @returns the ids of those that went. */
  dropAfter(id: string): readonly string[] {
    const last = this.#get(id);
    if (last === undefined) return [];
    const from = this.#indexAfter(last.createdAt);
    const dropped = this.#inOrder.splice(from).map((message) => message.id);
    this.#marks.length = from;
    for (const bytes of this.#sizes.splice(from)) this.#bytes -= bytes;
    if (this.#byId !== undefined) for (const each of dropped) this.#byId.delete(each);
    return dropped;
  }

  /** Deletes the oldest beyond so many. They are only looked at where they are indexed: most were last touched long ago. */
  keepNewest(count: number): void {
    while (this.size > count) {
      this.#byId?.delete(this.#inOrder[this.#first]?.id ?? '');
      this.#bytes -= this.#sizes[this.#first] ?? 0;
      this.#inOrder[this.#first] = gone;
      this.#first += 1;
    }
    if (this.#first < fewGone || this.#first < this.size) return;
    for (const list of [this.#inOrder, this.#marks, this.#sizes]) list.splice(0, this.#first);
    this.#first = 0;
  }

  #get(id: string): KeptMessage | undefined {
    if (this.#byId !== undefined) return this.#byId.get(id);
    const mark = markOf(id);
    for (let index = this.#marks.length - 1; index >= this.#first; index -= 1) {
      const message = this.#marks[index] === mark ? this.#inOrder[index] : undefined;
      if (message?.id === id) return message;
    }
    return undefined;
  }

  /** Index of the first message of this time or a later one. */
  #indexFrom(time: number): number {
    let low = this.#first;
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

/** A number that differs for most ids: of the characters where those that are made in a row differ. */
function markOf(id: string): number {
  let mark = id.length;
  for (let at = Math.max(0, id.length - markedCharacters); at < id.length; at += 1)
    mark = (Math.imul(mark, 31) + id.charCodeAt(at)) | 0;
  return mark;
}
