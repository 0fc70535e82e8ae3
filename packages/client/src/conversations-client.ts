import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { received } from './received.ts';
import type { components, operations } from './schema.ts';

type Schemas = components['schemas'];
type Query<Operation extends 'listConversations' | 'listMessages'> = NonNullable<
  operations[Operation]['parameters']['query']
>;

export type Conversation = Schemas['Conversation'];
export type StoredMessage = Schemas['StoredMessage'];

/** Which memory and whose conversation: optional for a verified user and a single memory. */
export interface MemoryOptions extends CallOptions {
  readonly agentId?: string | undefined;
  readonly userId?: string | undefined;
}

/** Stored conversations. Working memory, search and copies are in `client.api`. */
export class ConversationsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @throws ApiError, ConnectionError */
  async list({ signal, ...query }: Query<'listConversations'> & CallOptions = {}): Promise<{
    readonly conversations: readonly Conversation[];
    readonly total: number;
  }> {
    const { data } = await this.#connection.api.GET('/api/memory/conversations', { params: { query }, signal });
    return received(data).data;
  }

  /** The newest messages, oldest first. @throws ApiError, ConnectionError */
  async messages(
    conversationId: string,
    { signal, ...query }: Query<'listMessages'> & CallOptions = {},
  ): Promise<{ readonly messages: readonly StoredMessage[]; readonly hasMore: boolean }> {
    const { data } = await this.#connection.api.GET('/api/memory/conversations/{conversationId}/messages', {
      params: { path: { conversationId }, query },
      signal,
    });
    return received(data).data;
  }

  /** @throws ConflictError when the id is taken; ApiError, ConnectionError */
  async create(conversation: Schemas['NewConversation'], { signal }: CallOptions = {}): Promise<Conversation> {
    const { data } = await this.#connection.api.POST('/api/memory/conversations', { body: conversation, signal });
    return received(data).data.conversation;
  }

  /** Changes the title or the metadata. @throws ApiError, ConnectionError */
  async update(
    conversationId: string,
    change: Schemas['ConversationChange'],
    { signal }: CallOptions = {},
  ): Promise<Conversation> {
    const { data } = await this.#connection.api.PATCH('/api/memory/conversations/{conversationId}', {
      params: { path: { conversationId } },
      body: change,
      signal,
    });
    return received(data).data.conversation;
  }

  /** @throws ApiError, ConnectionError */
  async delete(conversationId: string, { signal, ...query }: MemoryOptions = {}): Promise<void> {
    await this.#connection.api.DELETE('/api/memory/conversations/{conversationId}', {
      params: { path: { conversationId }, query },
      signal,
    });
  }
}
