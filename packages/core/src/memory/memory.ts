import { isDeepStrictEqual } from 'node:util';
import {
  ConflictError,
  type ClonedConversation,
  type Conversation,
  type ConversationChange,
  type ConversationClone,
  type ConversationFilter,
  InvalidInputError,
  type JsonObject,
  type Message,
  type MessageFilter,
  type MessagePage,
  type NewConversation,
  NotFoundError,
  type Owner,
  type StoredMessage,
  type VectorMatch,
  type VectorStore,
} from '@halyard/contracts';
import { createInMemoryStorage, InMemoryStreamStore } from '@halyard/memory-in-memory';
import { consoleLogger, systemClock } from '../agent/default-services.ts';
import { OneAtATime } from '../async/one-at-a-time.ts';
import { activePage } from '../conversation/branch.ts';
import { ConversationLock } from '../conversation/lock/conversation-lock.ts';
import { type MessagePlace, findRepeatingSummaries } from '../conversation/summary.ts';
import { checkSize } from '../json/json-bytes.ts';
import { copyJson } from '../json/to-json.ts';
import {
  memoryConfig,
  type MemoryOptions,
  type MemorySettings,
  memorySettings,
  type MemoryStorage,
} from './memory-options.ts';
import { messagesById } from './messages-by-id.ts';
import { Embedder } from './recall/embedder.ts';
import { MessageIndex } from './recall/message-index.ts';
import { recall, type RecallServices, type RecallRequest } from './recall/recall.ts';
import { Titles } from './titles.ts';
import {
  WorkingMemory,
  type WorkingMemoryContent,
  type WorkingMemoryPlace,
  type WorkingMemoryWrite,
} from './working-memory/working-memory.ts';
import type { WrittenMessages } from './written-messages.ts';

/**
 * The memory of agents: conversations, working memory, and the semantic search of messages.
 *
 * @throws ConfigurationError naming the invalid option.
 */
export function createMemory(options: MemoryOptions = {}): Memory {
  return new Memory(options);
}

export interface MemorySearch {
  readonly query: string;
  readonly conversationId?: string;
  readonly userId?: string;
  readonly limit: number;
  /** The minimum score, 0 to 1. */
  readonly threshold: number;
}

/**
 * The memory of agents, created by {@link createMemory}. Several agents may share one.
 *
 * A conversation of another owner is treated as unknown.
 */
export class Memory {
  readonly storage: MemoryStorage;
  readonly vectors: VectorStore | undefined;
  readonly settings: MemorySettings;
  readonly workingMemory: WorkingMemory;
  /** The settings that clients can read: part of `GET /agents`. */
  readonly config: JsonObject;
  /** Lets one run of a conversation read and write it at a time. */
  readonly lock: ConversationLock;
  /** Serialises the writes of runs that continue the same message. */
  readonly writes: OneAtATime = new OneAtATime();
  readonly #search: RecallServices | undefined;
  readonly #index: MessageIndex | undefined;
  readonly #titles: Titles | undefined;

  /** @throws ConfigurationError */
  constructor(options: MemoryOptions) {
    this.storage = options.storage ?? createInMemoryStorage();
    this.lock = new ConversationLock(this.storage.streams ?? new InMemoryStreamStore(systemClock), systemClock);
    this.vectors = options.vectors;
    this.settings = memorySettings(options);
    const { conversations } = this.storage;
    this.workingMemory = new WorkingMemory(
      this.storage,
      options.workingMemory,
      this.settings.limits.workingMemoryBytes,
    );
    this.config = memoryConfig(this.settings, this.workingMemory.isEnabled ? this.workingMemory : null);
    if (this.settings.titles !== undefined) this.#titles = new Titles(this.settings.titles, conversations);
    if (options.vectors === undefined || options.embedding === undefined) return;

    const { logger = consoleLogger, vectors } = options;
    const embedder = new Embedder(options.embedding, logger);
    this.#search = { embedder, vectors };
    this.#index = new MessageIndex({ conversations, vectors, embedder, logger });
  }

  /** Whether {@link search} is possible: it needs an embedding model and vectors. */
  get canSearch(): boolean {
    return this.#search !== undefined;
  }

  /**
   * @throws ConflictError `CONVERSATION_EXISTS` when the id is in use, also by another owner;
   * InvalidInputError `VALUE_TOO_LARGE`.
   */
  async create(conversation: NewConversation): Promise<Conversation> {
    this.#checkSizes(conversation);
    const created = await this.storage.conversations.create(conversation);
    if (created === undefined) throw conversationExists(conversation.id);
    return created;
  }

  /** @throws NotFoundError */
  async get(owner: Owner, id: string): Promise<Conversation> {
    return orNotFound(await this.storage.conversations.find(owner, id), id);
  }

  async list(
    owner: Owner,
    filter: ConversationFilter,
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
    return this.storage.conversations.list(owner, filter);
  }

  /** @throws NotFoundError, InvalidInputError `VALUE_TOO_LARGE` */
  async update(owner: Owner, id: string, change: ConversationChange): Promise<Conversation> {
    this.#checkSizes(change);
    return orNotFound(await this.storage.conversations.update(owner, id, change), id);
  }

  /** Deletes a conversation with its messages, working memory and vectors. @throws NotFoundError */
  async delete(owner: Owner, id: string): Promise<void> {
    if (!(await this.storage.conversations.delete(owner, id))) throw new NotFoundError('conversation', id);
    await this.#index?.deleteConversation(indexed(owner, id));
  }

  /**
   * Copies at most `clonedMessages` with `clonedBytes`, or nothing.
   *
   * @throws NotFoundError, ConflictError `CONVERSATION_EXISTS` when the new id is in use,
   * InvalidInputError `VALUE_TOO_LARGE`.
   */
  async clone(owner: Owner, clone: ConversationClone): Promise<ClonedConversation> {
    this.#checkSizes(clone);
    const { clonedBytes: maxBytes, clonedMessages: maxMessages } = this.settings.limits;
    const cloned = await this.storage.conversations.clone(owner, { maxBytes, maxMessages, ...clone });
    if (cloned === 'not-found') throw new NotFoundError('conversation', clone.id);
    if (cloned === 'too-large') {
      const limit = `${maxMessages} messages and ${maxBytes} bytes`;
      const message = `conversation "${clone.id}" is too large to be copied with its messages: the limit is ${limit}`;
      throw new InvalidInputError(message, { code: 'VALUE_TOO_LARGE' });
    }
    if (cloned === 'taken') throw conversationExists(clone.newId);
    if (clone.includeMessages)
      this.#index?.addConversation({ conversationId: clone.newId, userId: cloned.conversation.userId });
    return cloned;
  }

  /**
   * The newest messages that match, oldest first, up to the `pageBytes` of the memory. Those that a
   * branch has left out are not among them, unless `includeInactive` is true. @throws NotFoundError
   */
  async messages(
    owner: Owner,
    id: string,
    { includeInactive = false, ...filter }: MessageFilter & { readonly includeInactive?: boolean },
  ): Promise<MessagePage> {
    const { pageBytes: maxBytes } = this.settings.limits;
    const { conversations } = this.storage;
    const read = ({
      before,
      limit,
    }: {
      readonly limit: number;
      readonly before?: number | undefined;
    }): Promise<MessagePage | undefined> =>
      conversations.messages(owner, id, { maxBytes, ...filter, limit, ...(before !== undefined && { before }) });
    return orNotFound(await (includeInactive ? read(filter) : activePage(read, filter)), id);
  }

  /** @throws NotFoundError, also for a message that the conversation does not have. */
  async message(owner: Owner, conversationId: string, id: string): Promise<StoredMessage> {
    const [found] = await this.storage.conversations.findMessages(owner, conversationId, [id]);
    if (found === undefined) throw new NotFoundError('message', id);
    return found;
  }

  /**
   * Writes all messages or none; a message with a stored id replaces the stored one. Summaries of a
   * message that changes are deleted. {@link search} finds the messages a little later.
   *
   * @throws NotFoundError, InvalidInputError `VALUE_TOO_LARGE`
   */
  async save(owner: Owner, conversationId: string, messages: readonly Message[]): Promise<void> {
    this.checkMessages(messages);
    const changed = await this.#changedBy(owner, conversationId, messages);
    const summaries = await findRepeatingSummaries(this.storage.conversations, owner, conversationId, changed);
    if (summaries.length > 0) await this.storage.conversations.deleteMessages(owner, conversationId, summaries);
    const saved = await this.storage.conversations.save(owner, { conversationId, messages });
    if (saved === 'not-found') throw new NotFoundError('conversation', conversationId);
    this.#index?.add(
      indexed(owner, conversationId),
      messages.map(({ id }) => id),
    );
  }

  /** @throws InvalidInputError `VALUE_TOO_LARGE` naming the message. */
  checkMessages(messages: readonly Message[]): void {
    for (const { id, metadata, parts } of messages)
      checkSize({ parts, metadata }, this.settings.limits.messageBytes, `message "${id}"`);
  }

  /**
   * Deletes messages with the summaries that repeat them. @returns how many of the messages
   * existed. @throws NotFoundError
   */
  async deleteMessages(owner: Owner, conversationId: string, ids: readonly string[]): Promise<number> {
    const { conversations } = this.storage;
    const stored: MessagePlace[] = [];
    for await (const { createdAt, role } of this.#messagesById(owner, conversationId, ids))
      stored.push({ role, createdAt });
    const summaries = await findRepeatingSummaries(conversations, owner, conversationId, stored);
    const deleted = orNotFound(
      await conversations.deleteMessages(owner, conversationId, [...ids, ...summaries]),
      conversationId,
    );
    await this.#index?.deleteMessages(indexed(owner, conversationId), deleted);
    const wanted = new Set(ids);
    return deleted.filter((id) => wanted.has(id)).length;
  }

  /**
   * Deletes the vectors of a user. Call `storage.users.delete` first, which deletes everything
   * else.
   */
  async deleteUser(userId: string): Promise<void> {
    await this.#index?.deleteUser(userId);
  }

  /**
   * @throws NotFoundError, InvalidInputError when `userId` is missing or is not the user of the
   * conversation.
   */
  async readWorkingMemory(owner: Owner, place: WorkingMemoryPlace): Promise<WorkingMemoryContent> {
    return this.workingMemory.read(owner, place);
  }

  /**
   * @throws NotFoundError, InvalidInputError naming the field of the content that does not fit,
   * before or after an append.
   */
  async writeWorkingMemory(owner: Owner, write: WorkingMemoryWrite): Promise<void> {
    await this.workingMemory.write(owner, write);
  }

  /**
   * Searches the texts of messages by meaning, best matches first.
   *
   * @throws InvalidInputError `SEARCH_NOT_CONFIGURED` without an embedding model and vectors,
   * HalyardError `EMBEDDING_FAILED`
   */
  async search(owner: Owner, { query, ...filter }: MemorySearch): Promise<readonly VectorMatch[]> {
    if (this.#search === undefined) {
      throw new InvalidInputError('Search needs a memory with an embedding model and vectors', {
        code: 'SEARCH_NOT_CONFIGURED',
      });
    }
    const { embedder, vectors } = this.#search;
    const userId = owner === 'anyone' ? filter.userId : owner.user;
    return vectors.search(owner, { ...filter, embedding: await embedder.embedQuery(query, userId) });
  }

  /** The stored messages that a write of these would change. */
  async #changedBy(owner: Owner, conversationId: string, messages: readonly Message[]): Promise<MessagePlace[]> {
    const sent = new Map(messages.map((message) => [message.id, message]));
    const changed: MessagePlace[] = [];
    for await (const { createdAt, id, parts, role } of this.#messagesById(owner, conversationId, [...sent.keys()]))
      if (!isDeepStrictEqual(copyJson(sent.get(id)?.parts), parts)) changed.push({ role, createdAt });
    return changed;
  }

  #messagesById(owner: Owner, conversationId: string, ids: readonly string[]): AsyncGenerator<StoredMessage, void> {
    const { conversations } = this.storage;
    return messagesById({ conversations, owner, conversationId, pageBytes: this.settings.limits.pageBytes }, ids);
  }

  #checkSizes({ metadata, title }: ConversationChange): void {
    const { metadataBytes, titleBytes } = this.settings.limits;
    checkSize(metadata ?? {}, metadataBytes, 'metadata');
    checkSize(title ?? '', titleBytes, 'title');
  }

  /**
   * The window of a run with the recalled messages. Never fails: after an error, the window is
   * returned as it is.
   */
  async recall(owner: Owner, request: RecallRequest): Promise<readonly Message[]> {
    return this.#search === undefined ? request.window : recall(owner, request, this.#search);
  }

  /**
   * Starts the background work for a written reply: its texts are indexed, and a conversation gets
   * a title after its first turn.
   */
  afterWrite(written: WrittenMessages): void {
    const { conversationId, dropped, isFirst, messages, userId } = written;
    this.#index?.add({ conversationId, userId }, [...dropped, ...messages.map(({ id }) => id)]);
    if (isFirst) this.#titles?.create(written);
  }

  /** Resolves when all background work was done or tried. */
  async flush(): Promise<void> {
    await Promise.all([this.#index?.flush(), this.#titles?.flush()]);
  }

  /**
   * Flushes, and accepts no more background work. Storage and vectors belong to the app and stay
   * open.
   */
  async close(): Promise<void> {
    await Promise.all([this.#index?.close(), this.#titles?.flush()]);
  }
}

function orNotFound<Value>(value: Value | undefined, id: string): Value {
  if (value === undefined) throw new NotFoundError('conversation', id);
  return value;
}

/** For the queue of the index. */
function indexed(owner: Owner, conversationId: string): { conversationId: string; userId: string | undefined } {
  return { conversationId, userId: owner === 'anyone' ? undefined : owner.user };
}

function conversationExists(id: string): ConflictError {
  return new ConflictError('CONVERSATION_EXISTS', `There is a conversation with this id already: ${id}`);
}
