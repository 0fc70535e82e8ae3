import type { VectorStore } from '@halyard/contracts';

/** A store that is created with the dimensions of the first embedding it receives. */
export function boundByFirst(open: (dimensions: number) => VectorStore): VectorStore {
  let opened: VectorStore | undefined;
  const bound = (dimensions: number | undefined): VectorStore => (opened ??= open(dimensions ?? 2));
  return {
    upsert: (vectors) => bound(vectors[0]?.embedding.length).upsert(vectors),
    search: (owner, query) => bound(query.embedding.length).search(owner, query),
    deleteMessages: (conversationId, messageIds) => bound(undefined).deleteMessages(conversationId, messageIds),
    deleteConversation: (conversationId) => bound(undefined).deleteConversation(conversationId),
    deleteUser: (userId) => bound(undefined).deleteUser(userId),
    // `check` would reject while the store is opening.
    check: () => bound(undefined).deleteUser('unknown'),
    close: async () => opened?.close(),
  };
}
