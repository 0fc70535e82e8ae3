import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';
import { StoredRole } from './stored-message.ts';

export const MemorySearchQuery = Type.Object({
  ...memoryFields,
  searchQuery: Type.String({ minLength: 1, description: 'What is looked for, in words.' }),
  conversationId: Type.Optional(Id),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  threshold: Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'The least score.' }),
});
export type MemorySearchQuery = Static<typeof MemorySearchQuery>;

/** Messages found by what they mean, best first. */
export const MemorySearchResult = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        messageId: Type.String(),
        conversationId: Type.String(),
        role: StoredRole,
        text: Type.String(),
        score: Type.Number({ minimum: 0, maximum: 1, description: 'Cosine similarity.' }),
        createdAt: Type.String({ format: 'date-time' }),
      }),
    ),
    count: Type.Integer(),
    query: Type.String(),
  },
  { $id: 'MemorySearchResult' },
);
export type MemorySearchResult = Static<typeof MemorySearchResult>;
