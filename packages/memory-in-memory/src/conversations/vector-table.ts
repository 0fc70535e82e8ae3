import { ListsByKey } from '../telemetry/lists-by-key.ts';
import type { KeptVector } from './kept-vector.ts';
import { type Link, LinkedList } from './linked-list.ts';

export interface VectorLimits {
  /** How many vectors are kept. Default: 100 000. */
  readonly maxVectors?: number;
  /** How many bytes they may hold, with their texts, roughly. Default: 256 MiB. */
  readonly maxBytes?: number;
}

/** All vectors, and the lists they are looked up in. Keeps no more than it may: the one that was written the longest ago goes first. */
export class VectorTable {
  readonly #maxVectors: number;
  readonly #maxBytes: number;
  readonly #all = new LinkedList<KeptVector>();
  readonly #byConversation = new ListsByKey<KeptVector>();
  readonly #byUser = new ListsByKey<KeptVector>();
  readonly #byMessage = new Map<string, KeptVector>();
  #bytes = 0;

  constructor({ maxVectors = 100_000, maxBytes = 256 * 1024 * 1024 }: VectorLimits) {
    this.#maxVectors = maxVectors;
    this.#maxBytes = maxBytes;
  }

  /** How many dimensions all of them have; undefined when there is none. */
  get dimensions(): number | undefined {
    return this.#all.newest?.value.direction.length;
  }

  /** The smallest list that holds every vector of this conversation and user. */
  listOf(conversationId: string | undefined, userId: string | undefined): LinkedList<KeptVector> | undefined {
    const ofConversation = conversationId === undefined ? this.#all : this.#byConversation.get(conversationId);
    const ofUser = userId === undefined ? this.#all : this.#byUser.get(userId);
    if (ofConversation === undefined || ofUser === undefined) return undefined;
    return ofUser.size < ofConversation.size ? ofUser : ofConversation;
  }

  put(vector: KeptVector): void {
    this.deleteMessage(vector.conversationId, vector.messageId);
    vector.links = [
      this.#all.add(vector),
      this.#byConversation.add(vector.conversationId, vector),
      this.#byUser.add(vector.userId, vector),
    ];
    this.#byMessage.set(keyOf(vector.conversationId, vector.messageId), vector);
    this.#bytes += vector.bytes;
    while (this.#all.size > this.#maxVectors || (this.#bytes > this.#maxBytes && this.#all.size > 1)) {
      const oldest = this.#all.oldest;
      if (oldest === undefined) return;
      this.#delete(oldest.value);
    }
  }

  deleteMessage(conversationId: string, messageId: string): void {
    const vector = this.#byMessage.get(keyOf(conversationId, messageId));
    if (vector !== undefined) this.#delete(vector);
  }

  deleteConversation(conversationId: string): void {
    this.#deleteAll(this.#byConversation.get(conversationId));
  }

  deleteUser(userId: string): void {
    this.#deleteAll(this.#byUser.get(userId));
  }

  #deleteAll(list: LinkedList<KeptVector> | undefined): void {
    let link: Link<KeptVector> | undefined = list?.oldest;
    for (; link !== undefined; link = link.newer) this.#delete(link.value);
  }

  #delete(vector: KeptVector): void {
    for (const link of vector.links) link.remove();
    this.#byConversation.dropEmpty(vector.conversationId);
    this.#byUser.dropEmpty(vector.userId);
    this.#byMessage.delete(keyOf(vector.conversationId, vector.messageId));
    this.#bytes -= vector.bytes;
  }
}

function keyOf(conversationId: string, messageId: string): string {
  return JSON.stringify([conversationId, messageId]);
}
