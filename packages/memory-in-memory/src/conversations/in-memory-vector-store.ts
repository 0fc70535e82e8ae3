import {
  ConfigurationError,
  type MessageVector,
  type Owner,
  type VectorMatch,
  type VectorQuery,
  type VectorStore,
} from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { SetsByKey } from '../sets-by-key.ts';

export interface InMemoryVectorStoreOptions {
  /** How many vectors are stored. Default: 100 000. */
  readonly maxVectors?: number | undefined;
  /** Roughly how many bytes they may take, with their texts. Default: 256 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * Vectors of messages in this process, gone when it ends. A search compares the query with every
 * vector of the conversation or user. Beyond the limits, the vector whose last write is the oldest
 * is deleted.
 */
export function createInMemoryVectorStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  return new InMemoryVectorStore(options);
}

interface StoredVector {
  readonly message: Omit<MessageVector, 'embedding'>;
  /** The embedding, scaled to length 1: the cosine of two of them is their dot product. */
  readonly direction: Float32Array;
}

const bytesPerVector = 800;

class InMemoryVectorStore implements VectorStore {
  readonly #maxVectors: number;
  readonly #maxBytes: number;
  /** In the order of the last write. */
  readonly #all = new Map<string, StoredVector>();
  readonly #byConversation = new SetsByKey<StoredVector>();
  readonly #byUser = new SetsByKey<StoredVector>();
  #bytes = 0;

  constructor({ maxVectors = 100_000, maxBytes = 256 * 1024 * 1024 }: InMemoryVectorStoreOptions) {
    this.#maxVectors = maxVectors;
    this.#maxBytes = maxBytes;
  }

  async upsert(vectors: readonly MessageVector[]): Promise<void> {
    const dimensions = this.#dimensions() ?? vectors[0]?.embedding.length;
    for (const { embedding } of vectors) checkDimensions(embedding, dimensions);
    for (const { embedding, ...message } of vectors) this.#put({ message, direction: toDirection(embedding) });
  }

  async search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkDimensions(query.embedding, this.#dimensions());
    const userId = owner === 'anyone' ? query.userId : owner.user;
    if (query.userId !== undefined && query.userId !== userId) return [];

    const wanted = toDirection(query.embedding);
    const matches: VectorMatch[] = [];
    for (const { message, direction } of this.#candidates(query.conversationId, userId)) {
      if (userId !== undefined && message.userId !== userId) continue;
      const score = similarity(direction, wanted);
      if (score >= query.threshold) matches.push({ ...message, score });
    }
    // Of equal scores, the vector that was written last is first.
    return matches
      .toReversed()
      .toSorted((one, other) => other.score - one.score)
      .slice(0, query.limit);
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    for (const messageId of messageIds) this.#delete(this.#all.get(toKey({ conversationId, messageId })));
  }

  async deleteConversation(conversationId: string): Promise<void> {
    for (const vector of this.#byConversation.get(conversationId)) this.#delete(vector);
  }

  async deleteUser(userId: string): Promise<void> {
    for (const vector of this.#byUser.get(userId)) this.#delete(vector);
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}

  #candidates(conversationId: string | undefined, userId: string | undefined): Iterable<StoredVector> {
    if (conversationId !== undefined) return this.#byConversation.get(conversationId);
    return userId === undefined ? this.#all.values() : this.#byUser.get(userId);
  }

  /** Of all stored vectors; undefined when there are none. */
  #dimensions(): number | undefined {
    const [first] = this.#all.values();
    return first?.direction.length;
  }

  #put(vector: StoredVector): void {
    const { message } = vector;
    this.#delete(this.#all.get(toKey(message)));
    this.#all.set(toKey(message), vector);
    this.#byConversation.add(message.conversationId, vector);
    this.#byUser.add(message.userId, vector);
    this.#bytes += countBytes(vector);
    for (const oldest of this.#all.values()) {
      const isBeyondLimits = this.#all.size > this.#maxVectors || this.#bytes > this.#maxBytes;
      if (!isBeyondLimits || oldest === vector) return;
      this.#delete(oldest);
    }
  }

  #delete(vector: StoredVector | undefined): void {
    if (vector === undefined) return;
    const { message } = vector;
    this.#all.delete(toKey(message));
    this.#byConversation.delete(message.conversationId, vector);
    this.#byUser.delete(message.userId, vector);
    this.#bytes -= countBytes(vector);
  }
}

function toKey({ conversationId, messageId }: Pick<MessageVector, 'conversationId' | 'messageId'>): string {
  return JSON.stringify([conversationId, messageId]);
}

function countBytes({ message, direction }: StoredVector): number {
  return bytesPerVector + estimateBytes(message.text) + direction.byteLength;
}

/** A vector of zeros has no direction and stays as it is. */
function toDirection(embedding: readonly number[]): Float32Array {
  const length = Math.hypot(...embedding) || 1;
  return Float32Array.from(embedding, (value) => value / length);
}

/** Cosine of the angle between two directions; 0 for those that point away from each other. */
function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  // Rounded, because numbers of 32 bits would give a text a score below 1 against itself.
  return Math.min(1, Math.max(0, Math.round(sum * 1e6) / 1e6));
}

function checkDimensions({ length }: readonly number[], dimensions: number | undefined): void {
  if (dimensions === undefined || length === dimensions) return;
  throw new ConfigurationError(
    `An embedding has ${length} dimensions, but the stored ones have ${dimensions}. Use one embedding model for all texts of a vector store`,
  );
}
