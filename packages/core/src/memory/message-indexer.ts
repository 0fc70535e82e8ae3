import type { ConversationStore, VectorStore } from '@halyard/contracts';
import type { Embedder } from './embedder.ts';
import type { IndexJob } from './index-queue.ts';
import { IndexedMessage } from './indexed-message.ts';
import { IndexedTexts } from './indexed-texts.ts';

const pageSize = 500;
const keptDigests = 10_000;

/** Brings the vectors of messages in step with the messages, as these are when they are read: those of messages that are gone are deleted. */
export class MessageIndexer {
  readonly #conversations: ConversationStore;
  readonly #vectors: VectorStore;
  readonly #embedder: Embedder;
  readonly #again: (conversationId: string, messageIds: readonly string[]) => void;
  readonly #indexed = new IndexedTexts(keptDigests);

  /** @param again told of messages that have changed while they were embedded. */
  constructor(
    conversations: ConversationStore,
    vectors: VectorStore,
    embedder: Embedder,
    again: (conversationId: string, messageIds: readonly string[]) => void,
  ) {
    this.#conversations = conversations;
    this.#vectors = vectors;
    this.#embedder = embedder;
    this.#again = again;
  }

  /** All of them, or it throws; what it had written by then stays. */
  async index(jobs: readonly IndexJob[]): Promise<void> {
    const messages: IndexedMessage[] = [];
    for (const [id, ofIt] of byConversation(jobs)) {
      if (ofIt.some(({ messageId }) => messageId === undefined)) await this.#indexPages(id);
      else messages.push(...(await this.#readOrDelete(id, ofIt)));
    }
    await this.#indexChanged(messages);
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#vectors.deleteMessages(conversationId, messageIds);
    for (const messageId of messageIds) this.#indexed.delete(conversationId, messageId);
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await this.#vectors.deleteConversation(conversationId);
    this.#indexed.deleteConversation(conversationId);
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#vectors.deleteUser(userId);
    this.#indexed.clear();
  }

  /** All messages of a conversation, the newest first. */
  async #indexPages(id: string): Promise<void> {
    let before: number | undefined;
    do {
      const filter = { limit: pageSize, ...(before !== undefined && { before }) };
      const page = await this.#conversations.messages('anyone', id, filter);
      if (page === undefined) return this.deleteConversation(id);
      await this.#indexChanged(page.messages.map((message) => new IndexedMessage(page.conversation, message)));
      before = page.messages.length < pageSize ? undefined : page.messages[0]?.createdAt;
    } while (before !== undefined);
  }

  async #readOrDelete(id: string, jobs: readonly IndexJob[]): Promise<IndexedMessage[]> {
    const ids = jobs.flatMap(({ messageId = [] }) => messageId);
    const messages = await this.#read(id, ids);
    const found = new Set(idsOf(messages));
    await this.deleteMessages(
      id,
      ids.filter((messageId) => !found.has(messageId)),
    );
    return messages;
  }

  /** As they are now; those that are gone are left out. */
  async #read(id: string, ids: readonly string[]): Promise<IndexedMessage[]> {
    const [conversation, messages] = await Promise.all([
      this.#conversations.find('anyone', id),
      this.#conversations.findMessages('anyone', id, ids),
    ]);
    return conversation === undefined ? [] : messages.map((message) => new IndexedMessage(conversation, message));
  }

  async #indexChanged(messages: readonly IndexedMessage[]): Promise<void> {
    const changed = messages.filter((message) => !this.#indexed.has(message));
    const [said, silent] = [changed.filter(({ text }) => text !== ''), changed.filter(({ text }) => text === '')];
    for (const [id, ofIt] of byConversation(silent)) await this.deleteMessages(id, idsOf(ofIt));
    if (said.length === 0) return;

    const embeddings = await this.#embedder.embedAll(said.map(({ text }) => text));
    // Noted before it is written: whoever deletes it from now on forgets it again.
    for (const message of said) this.#indexed.add(message);
    try {
      await this.#vectors.upsert(said.map((message, index) => message.withEmbedding(embeddings[index] ?? [])));
    } catch (error) {
      for (const { conversationId, messageId } of said) this.#indexed.delete(conversationId, messageId);
      throw error;
    }
    for (const [id, ofIt] of byConversation(said)) await this.#checkAgain(id, ofIt);
  }

  /** Whoever deleted messages while they were embedded found no vectors to delete; what was changed has the vector of its old text. */
  async #checkAgain(id: string, written: readonly IndexedMessage[]): Promise<void> {
    const now = new Map((await this.#read(id, idsOf(written))).map((message) => [message.messageId, message]));
    const isThere = ({ messageId, userId }: IndexedMessage): boolean => now.get(messageId)?.userId === userId;
    await this.deleteMessages(id, idsOf(written.filter((message) => !isThere(message))));
    const changed = written.filter(({ messageId, text }) => (now.get(messageId)?.text ?? text) !== text);
    this.#again(id, idsOf(changed));
  }
}

function byConversation<Of extends { readonly conversationId: string }>(
  all: readonly Of[],
): ReadonlyMap<string, readonly Of[]> {
  return Map.groupBy(all, ({ conversationId }) => conversationId);
}

function idsOf(messages: readonly IndexedMessage[]): readonly string[] {
  return messages.map(({ messageId }) => messageId);
}
