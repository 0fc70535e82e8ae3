import { hash } from 'node:crypto';
import type {
  Conversation,
  ConversationStore,
  MessageVector,
  Owner,
  StoredMessage,
  VectorStore,
} from '@halyard/contracts';
import { LRUCache } from 'lru-cache';
import { isSummary } from '../../conversation/summary.ts';
import { defaultMemoryLimits } from '../memory-options.ts';
import { messagesById } from '../messages-by-id.ts';
import type { Embedder } from './embedder.ts';
import type { IndexJob } from './index-queue.ts';
import { messageText } from './message-text.ts';

/** A vector that is not embedded yet. */
type IndexedMessage = Omit<MessageVector, 'embedding'>;

interface MessageIndexerOptions {
  readonly conversations: ConversationStore;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  /** Called for messages that changed while they were embedded. */
  readonly onChanged: (changed: readonly IndexJob[]) => void;
}

const pageSize = 500;
const { pageBytes } = defaultMemoryLimits;

/**
 * Writes the vectors of messages as these are stored when they are read, and deletes the vectors of
 * messages that no longer exist.
 */
export class MessageIndexer {
  readonly #conversations: ConversationStore;
  readonly #vectors: VectorStore;
  readonly #embedder: Embedder;
  readonly #onChanged: MessageIndexerOptions['onChanged'];
  /**
   * Digests of the users and texts this process has indexed: a message that is written again
   * unchanged is not embedded again.
   */
  readonly #digests = new LRUCache<string, string>({ max: 10_000 });

  constructor({ conversations, vectors, embedder, onChanged }: MessageIndexerOptions) {
    this.#conversations = conversations;
    this.#vectors = vectors;
    this.#embedder = embedder;
    this.#onChanged = onChanged;
  }

  /**
   * Indexes all jobs, one page of each conversation, or throws; pages written before the failure
   * stay.
   *
   * @returns the jobs for the rest of conversations: others come first.
   */
  async index(jobs: readonly IndexJob[]): Promise<readonly IndexJob[]> {
    const messages: IndexedMessage[] = [];
    const left: IndexJob[] = [];
    for (const [id, ofConversation] of byConversation(jobs)) {
      const whole = ofConversation.find(({ messageId }) => messageId === undefined);
      if (whole === undefined) messages.push(...(await this.#readOrDelete(id, ofConversation)));
      else left.push(...(await this.#indexPage(whole)));
    }
    await this.#indexChanged(messages);
    return left;
  }

  async deleteMessages(conversationId: string, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    await this.#vectors.deleteMessages(conversationId, messageIds);
    for (const messageId of messageIds) this.#digests.delete(toKey({ conversationId, messageId }));
  }

  async deleteConversation(conversationId: string): Promise<void> {
    await this.#vectors.deleteConversation(conversationId);
    for (const key of this.#digests.keys()) if (key.startsWith(`${conversationId}/`)) this.#digests.delete(key);
  }

  async deleteUser(userId: string): Promise<void> {
    await this.#vectors.deleteUser(userId);
    this.#digests.clear();
  }

  /** The newest page of the rest of a conversation. @returns a job for the remainder. */
  async #indexPage(job: IndexJob): Promise<readonly IndexJob[]> {
    const { before, conversationId: id } = job;
    const filter = { limit: pageSize, maxBytes: pageBytes, ...(before !== undefined && { before }) };
    const page = await this.#conversations.messages('anyone', id, filter);
    if (page === undefined) {
      await this.deleteConversation(id);
      return [];
    }
    await this.#indexChanged(page.messages.map((message) => toIndexed(page.conversation, message)));
    const [oldest] = page.messages;
    return page.hasMore && oldest !== undefined ? [{ ...job, before: oldest.createdAt, failures: 0 }] : [];
  }

  async #readOrDelete(id: string, jobs: readonly IndexJob[]): Promise<readonly IndexedMessage[]> {
    const ids = jobs.flatMap(({ messageId = [] }) => messageId);
    const messages = await this.#read(id, ids);
    const found = new Set(toIds(messages));
    await this.deleteMessages(
      id,
      ids.filter((messageId) => !found.has(messageId)),
    );
    return messages;
  }

  /** The messages as they are stored now, without those that no longer exist. */
  async #read(id: string, ids: readonly string[]): Promise<readonly IndexedMessage[]> {
    const conversation = await this.#conversations.find('anyone', id);
    if (conversation === undefined) return [];
    // Now the conversation may belong to another user, who created it again after its deletion.
    const owner: Owner = { user: conversation.userId };
    const pages = { conversations: this.#conversations, owner, conversationId: id, pageBytes };
    const messages: IndexedMessage[] = [];
    // A message may be much larger than its text: by its files and the results of tools.
    for await (const message of messagesById(pages, ids)) messages.push(toIndexed(conversation, message));
    return messages;
  }

  async #indexChanged(messages: readonly IndexedMessage[]): Promise<void> {
    const changed = messages.filter((message) => this.#digests.get(toKey(message)) !== toDigest(message));
    const [withText, withoutText] = [
      changed.filter(({ text }) => text !== ''),
      changed.filter(({ text }) => text === ''),
    ];
    for (const [id, ofConversation] of byConversation(withoutText))
      await this.deleteMessages(id, toIds(ofConversation));
    if (withText.length === 0) return;

    const embeddings = await this.#embedder.embedAll(withText);
    // Added before the vectors are written: a deletion from now on removes the digest again.
    for (const message of withText) this.#digests.set(toKey(message), toDigest(message));
    try {
      await this.#vectors.upsert(
        withText.map((message, index) => ({ ...message, embedding: embeddings[index] ?? [] })),
      );
    } catch (error) {
      for (const message of withText) this.#digests.delete(toKey(message));
      throw error;
    }
    for (const [id, ofConversation] of byConversation(withText)) await this.#checkAgain(id, ofConversation);
  }

  /**
   * A message that was deleted while it was embedded had no vector to delete; a message that was
   * changed has the vector of its old text.
   */
  async #checkAgain(id: string, written: readonly IndexedMessage[]): Promise<void> {
    const now = new Map((await this.#read(id, toIds(written))).map((message) => [message.messageId, message]));
    const deleted = written.filter(({ messageId, userId }) => now.get(messageId)?.userId !== userId);
    await this.deleteMessages(id, toIds(deleted));
    const changed = written.filter((message) => {
      const stored = now.get(message.messageId);
      return stored !== undefined && toDigest(stored) !== toDigest(message);
    });
    this.#onChanged(
      changed.map(({ conversationId, messageId, userId }) => ({ userId, conversationId, messageId, failures: 0 })),
    );
  }
}

function toIndexed({ id, userId }: Conversation, message: StoredMessage): IndexedMessage {
  const { id: messageId, role, createdAt } = message;
  // A summary repeats the messages.
  const text = isSummary(message) ? '' : messageText(message);
  return { conversationId: id, messageId, userId, role, text, createdAt };
}

function byConversation<Item extends { readonly conversationId: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  return Map.groupBy(items, ({ conversationId }) => conversationId);
}

function toIds(messages: readonly IndexedMessage[]): readonly string[] {
  return messages.map(({ messageId }) => messageId);
}

function toKey({ conversationId, messageId }: Pick<IndexedMessage, 'conversationId' | 'messageId'>): string {
  return `${conversationId}/${messageId}`;
}

function toDigest({ text, userId }: IndexedMessage): string {
  return hash('sha256', JSON.stringify([userId, text]), 'base64');
}
