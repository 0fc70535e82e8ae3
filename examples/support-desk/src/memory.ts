import type { Storage, VectorStore } from '@halyard/contracts';
import { createMemory, type Memory } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { wordEmbedding } from './word-embedding.ts';

/** The desk's notes about a customer. */
const Profile = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 100 })),
  city: Type.Optional(Type.String({ maxLength: 100 })),
  shoeSize: Type.Optional(Type.Integer({ minimum: 20, maximum: 60 })),
  likes: Type.Optional(Type.Array(Type.String({ maxLength: 100 }))),
});

/**
 * Remembers conversations, recalls what the same customer has said in others, and keeps notes about
 * each customer.
 */
export function createDeskMemory(storage: Storage, vectors: VectorStore): Memory {
  return createMemory({
    storage,
    vectors,
    embedding: wordEmbedding,
    titles: true,
    semanticRecall: { scope: 'user', semanticLimit: 3, semanticThreshold: 0.35 },
    workingMemory: { scope: 'user', schema: Profile },
  });
}
