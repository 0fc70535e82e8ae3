import type { Storage } from '@halyard/contracts';
import { createMemory, type EmbeddingModel, type Memory, type MemoryOptions } from '@halyard/core';
import { fixedClock, type FixedClock } from '@halyard/core/testing';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';

export interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  /** Everything a client sees, but what differs by request. */
  readonly bytes: string;
}

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  /** The verified user. */
  readonly as?: string | undefined;
}

/** Verifies whoever the header `x-user` names. */
export const userOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined;

/** Asks `/api/memory`: GET unless there is a body or a method. */
export async function ask(origin: string, path: string, { as, body, method }: Sent = {}): Promise<Reply> {
  const response = await fetch(`${origin}/api/memory${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(as !== undefined && { 'x-user': as }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const { data, error } = JSON.parse(text) as { data?: Record<string, unknown>; error?: string };
  const code = response.headers.get('x-error-code');
  const names = [...response.headers.keys()].join();
  return {
    status: response.status,
    code,
    data: data ?? {},
    error,
    bytes: `${response.status} ${code} ${names} ${text}`,
  };
}

/** Texts are near each other by the words that they share. */
export const wordsModel = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'words',
  maxEmbeddingsPerCall: 100,
  supportsParallelCalls: true,
  doEmbed: async ({ values }) => ({ embeddings: values.map(vectorOf), warnings: [] }),
} satisfies EmbeddingModel;

const dimensions = 64;

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const place = [...word].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % dimensions, 7);
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

/** A memory that finds messages by their words. */
export function searchableMemory(storage: Storage = createInMemoryStorage()): Memory {
  return createMemory({ storage, embedding: wordsModel, vectors: createInMemoryVectorStore() });
}

/** A memory of its own whose time stands still. */
export function memoryOnClock(options: Omit<MemoryOptions, 'storage' | 'vectors'> = {}): {
  readonly memory: Memory;
  readonly clock: FixedClock;
} {
  const clock = fixedClock();
  const memory = createMemory({
    ...options,
    storage: createInMemoryStorage({ clock }),
    ...(options.embedding !== undefined && { vectors: createInMemoryVectorStore() }),
  });
  return { memory, clock };
}
