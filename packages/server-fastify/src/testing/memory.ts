import type { Storage } from '@halyard/contracts';
import { createMemory, type Memory } from '@halyard/core';
import { fixedClock, type FixedClock, keywordEmbedding } from '@halyard/core/testing';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';

export interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  /** The reply without what differs by request. */
  readonly bytes: string;
}

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  /** The verified user. */
  readonly as?: string | undefined;
}

/** Treats the header `x-user` as the verified user. */
export const userOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined;

/** Sends a request to `/api/memory`: GET unless there is a body or a method. */
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

/** The keywords that the test memory distinguishes. */
const keywords = ['tea', 'maths', 'roses'];

/** A memory that finds messages by keywords. */
export function searchableMemory(storage: Storage = createInMemoryStorage()): Memory {
  return createMemory({ storage, embedding: keywordEmbedding(keywords), vectors: createInMemoryVectorStore() });
}

/** A memory whose first search fails with a message that clients must not see. */
export function failingMemory(): Memory {
  const error = new Error('https://provider/?key=secret');
  const embedding = keywordEmbedding([], { errors: [error, error] });
  return createMemory({ embedding, vectors: createInMemoryVectorStore() });
}

/** A separate memory with a fixed clock. */
export function memoryOnClock(): { readonly memory: Memory; readonly clock: FixedClock } {
  const clock = fixedClock();
  return { memory: createMemory({ storage: createInMemoryStorage({ clock }) }), clock };
}
