import {
  type ConversationStore,
  InvalidInputError,
  type MessageRole,
  NotFoundError,
  type Owner,
  type StoredMessage,
} from '@halyard/contracts';
import type { AgentJournal } from '../../agent/run/journal.ts';
import { storageFailure } from './storage-failure.ts';

/** The conversation of a run. */
export interface ConversationKey {
  readonly owner: Owner;
  readonly conversationId: string;
  readonly userId: string;
}

export interface OpenOptions {
  readonly contextLimit: number;
  readonly runId: string;
  /** Where the run may have been here before: then what it wrote itself is no history. */
  readonly journal: AgentJournal | undefined;
}

/** What models are told of; what a client stored as `system` or `tool` itself is only kept. */
const shownRoles: readonly MessageRole[] = ['user', 'assistant'];

/** A conversation as a run finds it. */
export class OpenConversation {
  readonly key: ConversationKey;
  readonly isNew: boolean;
  /** Whether the run has written to it before. */
  readonly isRepeated: boolean;
  /** The newest messages: as many as the run sees, and at least one. */
  readonly newest: readonly StoredMessage[];
  readonly #store: ConversationStore;
  readonly #options: OpenOptions;

  constructor(
    store: ConversationStore,
    key: ConversationKey,
    found: Pick<OpenConversation, 'isNew' | 'isRepeated' | 'newest'>,
    options: OpenOptions,
  ) {
    this.#store = store;
    this.key = key;
    this.isNew = found.isNew;
    this.isRepeated = found.isRepeated;
    this.newest = found.newest;
    this.#options = options;
  }

  /** The newest messages that the run sees, oldest first. */
  get window(): readonly StoredMessage[] {
    const { contextLimit } = this.#options;
    return contextLimit === 0 ? [] : this.newest;
  }

  get last(): StoredMessage | undefined {
    return this.newest.at(-1);
  }

  /** The window as it was before this message. One of the assistant goes on: what it answers is part of it then, whatever the limit. */
  async windowBefore({ createdAt, id, role }: StoredMessage): Promise<readonly StoredMessage[]> {
    const limit = Math.max(this.#options.contextLimit, role === 'assistant' ? 1 : 0);
    if (limit === 0) return [];
    const isAll = this.newest.length < limit;
    if (isAll && this.last?.id === id) return this.newest.slice(0, -1);
    return messagesBefore(this.#store, this.key, createdAt, limit);
  }

  /** The message that the run goes on with, as it was before the run: when it is repeated, the message holds already what it has said. */
  async asFound(message: StoredMessage): Promise<StoredMessage> {
    const { journal } = this.#options;
    return journal === undefined ? message : journal.record('message', async () => message);
  }

  /** Those of these messages that it has. */
  async find(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    if (this.isNew || ids.length === 0) return [];
    return fromStorage(this.#store.findMessages(this.key.owner, this.key.conversationId, ids));
  }

  /** The id of a new message of this run, the same whenever the run is repeated. */
  readonly idOf = (index: number): string => `${this.#options.runId}-${index}`;
}

/**
 * Reads what a run sees of its conversation.
 *
 * @throws NotFoundError when somebody else has it, InvalidInputError when the user given is not its user.
 */
export async function openConversation(
  store: ConversationStore,
  key: ConversationKey,
  options: OpenOptions,
): Promise<OpenConversation> {
  const { conversationId, owner, userId } = key;
  const { contextLimit, journal, runId } = options;
  const isRepeatable = journal !== undefined;
  const wanted = Math.max(1, contextLimit);
  const limit = wanted + (isRepeatable ? ownMessages : 0);
  // No helper here: each promise costs, and this is awaited by every run.
  let found: Awaited<ReturnType<ConversationStore['messages']>>;
  try {
    found = await store.messages(owner, conversationId, { limit, roles: shownRoles });
  } catch (error) {
    throw storageFailure(error);
  }
  if (found === undefined) {
    if (await fromStorage(store.isTaken(conversationId))) throw new NotFoundError('conversation', conversationId);
    return new OpenConversation(store, key, { isNew: true, isRepeated: false, newest: [] }, options);
  }
  if (found.conversation.userId !== userId)
    throw new InvalidInputError('body/options/userId must be the user of the conversation');
  const own = isRepeatable ? found.messages.findIndex(({ id }) => id === runId || id.startsWith(`${runId}-`)) : -1;
  const before = own === -1 ? found.messages : found.messages.slice(0, own);
  let newest = isRepeatable ? before.slice(-wanted) : before;
  const isCut = own !== -1 && newest.length < wanted && found.messages.length === limit;
  if (isCut) {
    const [first = found.messages[own]] = await fromStorage(store.findMessages(owner, conversationId, [`${runId}-0`]));
    newest = await messagesBefore(store, key, first?.createdAt ?? 0, wanted);
  }
  return new OpenConversation(store, key, { isNew: false, isRepeated: own !== -1, newest }, options);
}

/** How many messages a run that may be repeated reads besides: what it was asked, and its answer. Those that were asked more are read apart. */
const ownMessages = 8;

async function messagesBefore(
  store: ConversationStore,
  { conversationId, owner }: ConversationKey,
  before: number,
  limit: number,
): Promise<readonly StoredMessage[]> {
  const found = await fromStorage(store.messages(owner, conversationId, { limit, before, roles: shownRoles }));
  return found?.messages ?? [];
}

async function fromStorage<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw storageFailure(error);
  }
}
