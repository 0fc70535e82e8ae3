import type { Logger, Storage } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { onTestFinished } from 'vitest';
import { fixedClock, keywordEmbedding, sequentialIds, silentLogger } from '../../testing/index.ts';
import type { MemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

/** The topics that the embedding model of the tests distinguishes. */
export const words = ['tea', 'maths', 'music'];

/** A memory with semantic search, two conversations of Ada's and one of Bob's. */
export interface SearchableMemory {
  readonly memory: Memory;
  readonly storage: Storage;
  /** Ids of the messages of any user that are found for a word. */
  readonly found: (word: string) => Promise<readonly string[]>;
}

export async function searchableMemory(options: MemoryOptions = {}): Promise<SearchableMemory> {
  const storage = createInMemoryStorage({ clock: fixedClock(), ids: sequentialIds('copy') });
  const vectors = createInMemoryVectorStore();
  const own = { storage, vectors, embedding: keywordEmbedding(words), logger: silentLogger };
  const memory = createMemory({ ...own, ...options });
  // An open memory retries messages that it could not index, also during the tests of another file.
  onTestFinished(() => memory.close());
  for (const [id, userId] of [
    ['c1', 'ada'],
    ['c2', 'ada'],
    ['c3', 'bob'],
  ] as const) {
    await memory.create({ id, userId, resourceId: 'default', title: '', metadata: {} });
  }
  // Searches with a model that never fails.
  const reader = createMemory({ storage, vectors: options.vectors ?? vectors, embedding: keywordEmbedding(words) });
  const found = async (query: string): Promise<readonly string[]> => {
    const matches = await reader.search('anyone', { query, limit: 100, threshold: 0.5 });
    return matches.map(({ messageId }) => messageId).toSorted();
  };
  return { memory, storage, found };
}

/** A logger that records its messages. */
export function recordingLogger(): Logger & { readonly messages: string[] } {
  const messages: string[] = [];
  const record = (_fields: object, message: string): void => void messages.push(message);
  return { messages, debug: record, info: record, warn: record, error: record };
}
