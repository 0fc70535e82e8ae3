import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';
import { frozenCopy } from '../frozen-copy.ts';
import type { ConversationTable } from './conversation-table.ts';

export interface WorkingMemoryLimits {
  /** How many users' working memory is stored. Default: 10 000. */
  readonly maxUsers?: number | undefined;
  /** Roughly how many bytes the working memory of users may take. Default: 32 MiB. */
  readonly maxBytes?: number | undefined;
}

const bytesPerUser = 200;

/**
 * Working memory of one process. That of a conversation is stored with the conversation, that of
 * users here; beyond the limits, the entry of the user whose last write is the oldest is deleted.
 * Contents are copied when they are written. Returned values are frozen.
 */
export class InMemoryWorkingMemoryStore implements WorkingMemoryStore {
  readonly #conversations: ConversationTable;
  readonly #maxUsers: number;
  readonly #maxBytes: number;
  /** In the order of the last write. */
  readonly #byUser = new Map<string, JsonValue>();
  #bytes = 0;

  constructor(
    conversations: ConversationTable,
    { maxUsers = 10_000, maxBytes = 32 * 1024 * 1024 }: WorkingMemoryLimits = {},
  ) {
    this.#conversations = conversations;
    this.#maxUsers = maxUsers;
    this.#maxBytes = maxBytes;
  }

  async read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue | undefined> {
    if (key.scope === 'conversation') return this.#conversations.find(owner, key.conversationId)?.workingMemory;
    return isOwner(owner, key.userId) ? this.#byUser.get(key.userId) : undefined;
  }

  async update(
    owner: Owner,
    key: WorkingMemoryKey,
    change: (content: JsonValue | undefined) => JsonValue | undefined,
  ): Promise<boolean> {
    if (key.scope === 'user') {
      if (!isOwner(owner, key.userId)) return false;
      this.#writeUser(key.userId, frozenCopy(change(this.#byUser.get(key.userId))));
      return true;
    }
    const conversation = this.#conversations.find(owner, key.conversationId);
    if (conversation === undefined) return false;
    const content = frozenCopy(change(conversation.workingMemory));
    this.#conversations.change(conversation, {}, () => {
      conversation.workingMemory = content;
    });
    return true;
  }

  /** The working memory of a user, not that of the user's conversations. */
  ofUser(userId: string): JsonValue | undefined {
    return this.#byUser.get(userId);
  }

  deleteUser(userId: string): void {
    const content = this.#byUser.get(userId);
    if (content === undefined) return;
    this.#byUser.delete(userId);
    this.#bytes -= countBytes(content);
  }

  #writeUser(userId: string, content: JsonValue | undefined): void {
    this.deleteUser(userId);
    if (content === undefined) return;
    this.#byUser.set(userId, content);
    this.#bytes += countBytes(content);
    for (const oldest of this.#byUser.keys()) {
      const isBeyondLimits = this.#byUser.size > this.#maxUsers || this.#bytes > this.#maxBytes;
      if (!isBeyondLimits || oldest === userId) return;
      this.deleteUser(oldest);
    }
  }
}

function isOwner(owner: Owner, userId: string): boolean {
  return owner === 'anyone' || owner.user === userId;
}

function countBytes(content: JsonValue): number {
  return bytesPerUser + estimateBytes(content);
}
