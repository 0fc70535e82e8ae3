import type { Logger, Message, Storage } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { fixedClock, keywordEmbedding, sequentialIds, silentLogger } from '../../testing/index.ts';
import type { MemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

/** The topics that the embedding model of the tests distinguishes. */
export const words = ['tea', 'maths', 'music'];

/** A memory that searches, with two conversations of Ada's and one of Bob's. */
export interface Searching {
  readonly memory: Memory;
  readonly storage: Storage;
  /** Messages found for a word, whoever wrote them. */
  readonly found: (word: string) => Promise<readonly string[]>;
}

export async function searching(options: MemoryOptions = {}): Promise<Searching> {
  const storage = createInMemoryStorage({ clock: fixedClock(), ids: sequentialIds('copy') });
  const vectors = createInMemoryVectorStore();
  const own = { storage, vectors, embedding: keywordEmbedding(words), logger: silentLogger };
  const memory = createMemory({ ...own, ...options });
  for (const [id, userId] of [
    ['c1', 'ada'],
    ['c2', 'ada'],
    ['c3', 'bob'],
  ] as const) {
    await memory.create({ id, userId, resourceId: 'default', title: '', metadata: {} });
  }
  // With a model of its own, that does not fail.
  const reader = createMemory({ storage, vectors: options.vectors ?? vectors, embedding: keywordEmbedding(words) });
  const found = async (query: string): Promise<readonly string[]> => {
    const matches = await reader.search('anyone', { query, limit: 100, threshold: 0.5 });
    return matches.map(({ messageId }) => messageId).toSorted();
  };
  return { memory, storage, found };
}

export function says(id: string, text: string, role: Message['role'] = 'user'): Message {
  return { id, role, parts: [{ type: 'text', text }] };
}

/** A logger that records its messages. */
export function listeningLogger(): Logger & { readonly heard: string[] } {
  const heard: string[] = [];
  const hear = (_fields: object, message: string): void => void heard.push(message);
  return { heard, debug: hear, info: hear, warn: hear, error: hear };
}
