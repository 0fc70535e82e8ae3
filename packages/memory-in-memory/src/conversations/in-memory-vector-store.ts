import {
  ConfigurationError,
  type MessageVector,
  type Owner,
  type VectorMatch,
  type VectorQuery,
  type VectorStore,
} from '@halyard/contracts';
import { FirstFew } from '../executions/first-few.ts';
import { directionOf, KeptVector, similarity } from './kept-vector.ts';
import { type VectorLimits, VectorTable } from './vector-table.ts';

export type InMemoryVectorStoreOptions = VectorLimits;

/** The texts of messages in this process, gone when it ends. A search compares every text of the conversation or user it asks for. */
export function createInMemoryVectorStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  return new InMemoryVectorStore(options);
}

class InMemoryVectorStore implements VectorStore {
  readonly #table: VectorTable;

  constructor(options: InMemoryVectorStoreOptions = {}) {
    this.#table = new VectorTable(options);
  }

  async upsert(vectors: readonly MessageVector[]): Promise<void> {
    const dimensions = this.#table.dimensions ?? vectors[0]?.embedding.length;
    for (const { embedding } of vectors) checkDimensions(embedding, dimensions);
    for (const vector of vectors) this.#table.put(new KeptVector(vector));
  }

  async search(owner: Owner, query: VectorQuery): Promise<readonly VectorMatch[]> {
    checkDimensions(query.embedding, this.#table.dimensions);
    const userId = owner === 'anyone' ? query.userId : owner.user;
    if (query.userId !== undefined && query.userId !== userId) return [];

    const wanted = directionOf(query.embedding);
    const nearest = new FirstFew<ScoredVector>(query.limit, (one, other) => other.score - one.score);
    let link = this.#table.listOf(query.conversationId, userId)?.newest;
    for (; link !== undefined; link = link.older) {
      const vector = link.value;
      if (query.conversationId !== undefined && vector.conversationId !== query.conversationId) continue;
      if (userId !== undefined && vector.userId !== userId) continue;
      const score = similarity(vector.direction, wanted);
      if (score >= query.threshold) nearest.add(new ScoredVector(vector, score));
    }
    return nearest.inOrder().map(({ vector, score }) => vector.toMatch(score));
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    for (const messageId of messageIds) this.#table.deleteMessage(conversationId, messageId);
  }

  async deleteConversation(conversationId: string): Promise<void> {
    this.#table.deleteConversation(conversationId);
  }

  async deleteUser(userId: string): Promise<void> {
    this.#table.deleteUser(userId);
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}
}

class ScoredVector {
  readonly vector: KeptVector;
  readonly score: number;

  constructor(vector: KeptVector, score: number) {
    this.vector = vector;
    this.score = score;
  }
}

function checkDimensions({ length }: readonly number[], dimensions: number | undefined): void {
  if (dimensions === undefined || length === dimensions) return;
  throw new ConfigurationError(
    `An embedding has ${length} dimensions, but those that are stored have ${dimensions}. Use one embedding model for all of a vector store`,
  );
}
