import type {
  Clock,
  ConversationStore,
  MessageVector,
  Storage,
  VectorStore,
  WorkingMemoryStore,
} from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';

export interface QuickStores {
  readonly conversations: ConversationStore;
  readonly workingMemory: WorkingMemoryStore;
  readonly vectors: VectorStore;
  /** Writes the vectors to the database. */
  readonly finish: () => Promise<void>;
}

const vectorsInWrite = 500;

/**
 * Stores for the history: what is written goes to the database and stays in memory, where it is
 * read from, and vectors are written together at the end. Nobody else writes to the database then,
 * and most calls of a run are reads.
 */
export function quickStores(storage: Storage, vectors: VectorStore, clock: Clock): QuickStores {
  const memory = createInMemoryStorage({ clock });
  const found = createInMemoryVectorStore();
  const waiting = new Map<string, MessageVector>();
  const keyOf = (conversationId: string, messageId: string): string => JSON.stringify([conversationId, messageId]);
  return {
    conversations: written(storage.conversations, memory.conversations),
    workingMemory: {
      read: (owner, key) => memory.workingMemory.read(owner, key),
      update: async (...update) => {
        await memory.workingMemory.update(...update);
        return storage.workingMemory.update(...update);
      },
    },
    vectors: {
      upsert: async (added) => {
        for (const each of added) waiting.set(keyOf(each.conversationId, each.messageId), each);
        await found.upsert(added);
      },
      search: (owner, query) => found.search(owner, query),
      deleteMessages: async (conversationId, messageIds) => {
        for (const messageId of messageIds) waiting.delete(keyOf(conversationId, messageId));
        await found.deleteMessages(conversationId, messageIds);
      },
      // The history deletes no conversation and no user.
      deleteConversation: (conversationId) => vectors.deleteConversation(conversationId),
      deleteUser: (userId) => vectors.deleteUser(userId),
      check: () => vectors.check(),
      close: () => found.close(),
    },
    finish: async () => {
      const all = [...waiting.values()];
      for (let at = 0; at < all.length; at += vectorsInWrite) await vectors.upsert(all.slice(at, at + vectorsInWrite));
      await memory.close();
    },
  };
}

/** Writes to both stores, and reads from `memory`. */
function written(stored: ConversationStore, memory: ConversationStore): ConversationStore {
  return {
    create: async (conversation) => {
      await memory.create(conversation);
      return stored.create(conversation);
    },
    find: (owner, id) => memory.find(owner, id),
    isTaken: (id) => memory.isTaken(id),
    list: (owner, filter) => memory.list(owner, filter),
    update: async (...update) => {
      await memory.update(...update);
      return stored.update(...update);
    },
    delete: async (...removal) => {
      await memory.delete(...removal);
      return stored.delete(...removal);
    },
    // The ids of copied messages would differ: the history copies none.
    clone: (owner, clone) => stored.clone(owner, clone),
    messages: (owner, id, filter) => memory.messages(owner, id, filter),
    countMessages: (...count) => memory.countMessages(...count),
    findMessages: (...search) => memory.findMessages(...search),
    save: async (...save) => {
      await memory.save(...save);
      return stored.save(...save);
    },
    deleteMessages: async (...removal) => {
      await memory.deleteMessages(...removal);
      return stored.deleteMessages(...removal);
    },
  };
}
