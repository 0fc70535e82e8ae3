import {
  type ConversationStore,
  isHalyardError,
  type MessagePage,
  type MessageRole,
  NotFoundError,
  type StoredMessage,
  UnavailableError,
} from '@halyard/contracts';
import { type AgentJournal, storageCall } from '../agent/loop/journal.ts';
import { activePage } from './branch.ts';
import type { ConversationKey } from './open-conversation.ts';
import { isSummary } from './summary.ts';

/** Messages that a client stored with the roles `system` or `tool` are not part of prompts. */
const promptRoles: readonly MessageRole[] = ['user', 'assistant'];

/**
 * Among how many of the newest messages of the role `system` the summaries are looked for. Clients
 * can store others.
 */
export const systemMessages = 20;

/** The newest summaries of a conversation, oldest first. */
export interface Summaries {
  readonly found: readonly StoredMessage[];
  /** Whether there may be others before them. */
  readonly hasOlder: boolean;
}

export const noSummaries: Summaries = { found: [], hasOlder: false };

/** Whether calls are made again, and for how long. */
export interface RetryOptions {
  readonly journal: AgentJournal | undefined;
  /** Which messages prompts may contain. Default: those that are not inactive. */
  readonly isActive?: ((message: StoredMessage) => boolean) | undefined;
}

export interface MessageRange {
  readonly limit: number;
  /** See {@link fromBlock}. */
  readonly block?: number;
  readonly maxBytes: number;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/**
 * @returns undefined when the id is free.
 * @throws NotFoundError when the conversation belongs to another owner.
 */
export async function readExisting(
  store: ConversationStore,
  key: ConversationKey,
  options: RetryOptions,
  range: MessageRange,
): ReturnType<ConversationStore['messages']> {
  const found = await readMessages(store, key, options, range);
  if (found !== undefined || !(await fromStorage(options, () => store.isTaken(key.conversationId)))) return found;
  // A concurrent run of the same owner may have created the conversation after the first read.
  const created = await readMessages(store, key, options, range);
  if (created === undefined) throw new NotFoundError('conversation', key.conversationId);
  return created;
}

/**
 * The newest messages in a range, from the beginning of a block on: up to `block` more than the
 * limit.
 */
export async function readWindow(
  store: ConversationStore,
  key: ConversationKey,
  options: RetryOptions,
  { block = 0, limit, ...range }: MessageRange,
): Promise<Pick<MessagePage, 'messages' | 'hasMore'>> {
  const page = await readMessages(store, key, options, { ...range, limit: limit + block });
  if (page === undefined) return { messages: [], hasMore: false };
  const { hasMore, messages } = page;
  return { hasMore, messages: hasMore ? await fromBlock(store, key, options, messages, block) : messages };
}

/** The newest summary. Others are not read with it: they are as long. */
export async function readNewestSummary(
  store: ConversationStore,
  key: ConversationKey,
  options: RetryOptions,
  maxBytes: number,
): Promise<Summaries> {
  const newest = (await readSummaries(store, key, options, { limit: 1, maxBytes })) ?? noSummaries;
  if (newest.found.length > 0 || !newest.hasOlder) return newest;
  return (await readSummaries(store, key, options, { limit: systemMessages, maxBytes })) ?? noSummaries;
}

export async function readSummaries(
  store: ConversationStore,
  key: ConversationKey,
  options: RetryOptions,
  range: MessageRange,
): Promise<Summaries | undefined> {
  const found = await readMessages(store, key, options, range, ['system']);
  return found && { found: found.messages.filter(isSummary), hasOlder: found.hasMore };
}

/** The newest active messages in a range. */
export function readMessages(
  store: ConversationStore,
  { conversationId, owner }: ConversationKey,
  options: RetryOptions,
  { after, before, limit, maxBytes }: MessageRange,
  roles: readonly MessageRole[] = promptRoles,
): ReturnType<ConversationStore['messages']> {
  const filter = { maxBytes, roles, ...(after !== undefined && { after }) };
  const read = (page: Pick<MessageRange, 'limit' | 'before'>): ReturnType<ConversationStore['messages']> => {
    const range = { limit: page.limit, ...(page.before !== undefined && { before: page.before }) };
    return fromStorage(options, () => store.messages(owner, conversationId, { ...filter, ...range }));
  };
  return activePage(read, { limit, before }, options.isActive);
}

export async function fromStorage<Value>({ journal }: RetryOptions, read: () => Promise<Value>): Promise<Value> {
  try {
    return await storageCall(journal, read);
  } catch (error) {
    throw storageFailure(error);
  }
}

/**
 * The messages of a page from the beginning of a block on. A block begins at the same message in
 * each turn, so a prompt begins like the one before it until the window has grown by a block: what
 * providers have cached can be used again.
 */
export async function fromBlock(
  store: ConversationStore,
  { conversationId, owner }: ConversationKey,
  options: RetryOptions,
  page: readonly StoredMessage[],
  block: number,
): Promise<readonly StoredMessage[]> {
  const [first] = page;
  if (block === 0 || first === undefined) return page;
  const older = await fromStorage(options, () => store.countMessages(owner, conversationId, first.createdAt));
  const start = (block - (older % block)) % block;
  // A page that ends where it would have too many bytes can be shorter than a block.
  return start < page.length ? page.slice(start) : page;
}

/**
 * Converts a failure to read or write a conversation into the error of the run. The message of the
 * driver is only in `cause`.
 */
export function storageFailure(error: unknown): Error {
  return isHalyardError(error)
    ? error
    : new UnavailableError('STORAGE_UNAVAILABLE', 'The storage of the conversation does not answer', { cause: error });
}
