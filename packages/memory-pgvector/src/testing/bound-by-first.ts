import type { VectorStore } from '@halyard/contracts';

/** A store that is made when it is given its first embedding, for as many dimensions. */
export function boundByFirst(open: (dimensions: number) => VectorStore): VectorStore {
  let opened: VectorStore | undefined;
  const bound = (dimensions: number | undefined): VectorStore => (opened ??= open(dimensions ?? 2));
  return {
    upsert: (vectors) => bound(vectors[0]?.embedding.length).upsert(vectors),
    search: (owner, query) => bound(query.embedding.length).search(owner, query),
    deleteMessages: (conversationId, messageIds) => bound(undefined).deleteMessages(conversationId, messageIds),
    deleteConversation: (conversationId) => bound(undefined).deleteConversation(conversationId),
    deleteUser: (userId) => bound(undefined).deleteUser(userId),
    // It may still be opening, and says so.
    check: () => bound(undefined).deleteUser('nobody'),
    close: async () => opened?.close(),
  };
}
