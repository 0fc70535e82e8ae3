import {
  ConflictError,
  type ConversationStore,
  InvalidInputError,
  type Owner,
  type StoredMessage,
} from '@halyard/contracts';
import type { AgentJournal } from '../agent/loop/journal.ts';
import { tooMuchFollows } from './branch.ts';
import {
  fromBlock,
  fromStorage,
  noSummaries,
  readExisting,
  readMessages,
  readNewestSummary,
  readSummaries,
  readWindow,
  type Summaries,
  systemMessages,
} from './read-messages.ts';
import { summarizedUntil } from './summary.ts';

export interface ConversationKey {
  readonly owner: Owner;
  readonly conversationId: string;
  readonly userId: string;
  /** Whether the run has no user, so that `userId` is the anonymous user. */
  readonly isAnonymous: boolean;
}

export interface OpenOptions {
  /** How many messages a prompt contains. */
  readonly contextLimit: number;
  /** How many more a prompt may contain until as many are left out, all at once. */
  readonly contextBlock: number;
  /** How large the messages of a read may be together. */
  readonly pageBytes: number;
  /**
   * Whether prompts begin with the newest summary, and only the messages that it does not replace
   * are read.
   */
  readonly sinceSummary: boolean;
  readonly runId: string;
  /**
   * Present when the run may be repeated: messages that it wrote in an earlier attempt are not
   * history.
   */
  readonly journal: AgentJournal | undefined;
  /** Which messages prompts may contain. Default: those that are not inactive. */
  readonly isActive?: ((message: StoredMessage) => boolean) | undefined;
}

/** A conversation as it is stored when a run begins. */
export class OpenConversation {
  readonly key: ConversationKey;
  readonly isNew: boolean;
  /** Whether an earlier attempt of the run has written to it. */
  readonly isRepeated: boolean;
  /** The newest messages: those of the window, and at least one. */
  readonly newest: readonly StoredMessage[];
  readonly #hasOlder: boolean;
  readonly #summaries: Summaries;
  readonly #store: ConversationStore;
  readonly #options: OpenOptions;

  constructor(store: ConversationStore, key: ConversationKey, found: FoundMessages, options: OpenOptions) {
    this.#store = store;
    this.key = key;
    this.isNew = found.isNew;
    this.isRepeated = found.isRepeated;
    this.newest = found.newest;
    this.#hasOlder = found.hasOlder;
    this.#summaries = found.summaries;
    this.#options = options;
  }

  /** The summary of the messages before the newest. */
  get summary(): StoredMessage | undefined {
    return this.#summaries.found.at(-1);
  }

  /**
   * Whether it is stored and has no message of a user, as when an app creates it in advance,
   * perhaps with a greeting.
   */
  get hasNoQuestion(): boolean {
    const hasOlder = this.#hasOlder || this.summary !== undefined;
    return !this.isNew && !hasOlder && !this.newest.some(({ role }) => role === 'user');
  }

  /** The newest messages, which are part of the prompt, oldest first. A summary is the first. */
  get window(): readonly StoredMessage[] {
    if (this.#options.contextLimit === 0) return [];
    return afterSummary(this.summary, this.#hasOlder ? wholeExchanges(this.newest) : this.newest);
  }

  /** Whether the conversation has messages before the newest. */
  get hasOlder(): boolean {
    return this.summary !== undefined || this.#hasOlder;
  }

  get last(): StoredMessage | undefined {
    return this.newest.at(-1);
  }

  /**
   * The window before this message. A message of the assistant is continued: its question is
   * included, whatever the limit.
   */
  async windowBefore({ createdAt, id, role }: StoredMessage): Promise<readonly StoredMessage[]> {
    const limit = Math.max(this.#options.contextLimit, role === 'assistant' ? 1 : 0);
    if (limit === 0) return [];
    const summary = await this.#summaryBefore(createdAt);
    const isAll = !this.#hasOlder && summary === this.summary;
    if (isAll && this.last?.id === id) return afterSummary(summary, this.newest.slice(0, -1));
    const { hasMore, messages } = await readWindow(this.#store, this.key, this.#options, {
      before: createdAt,
      after: summary && summarizedUntil(summary),
      limit,
      block: this.#options.contextBlock,
      maxBytes: this.#options.pageBytes,
    });
    return afterSummary(summary, hasMore ? wholeExchanges(messages) : messages);
  }

  /**
   * The reply to the newest question; undefined while it has none.
   *
   * @throws ConflictError (`MESSAGE_ANSWERED`) for a message with which the conversation has
   * continued.
   */
  async findReply(message: StoredMessage): Promise<StoredMessage | undefined> {
    if (this.last?.id === message.id) return undefined;
    const range = { limit: 2, maxBytes: this.#options.pageBytes, after: message.createdAt };
    const found = await readMessages(this.#store, this.key, this.#options, range);
    const [answer, ...others] = found?.messages ?? [];
    const isLast = others.length === 0 && found?.hasMore !== true;
    if (answer === undefined || (answer.role === 'assistant' && isLast)) return answer;
    throw messageAnswered(message.id);
  }

  /**
   * The message that the run continues, as it was before the run: when the run is repeated, the
   * stored message already contains its output.
   */
  async beforeRun(message: StoredMessage): Promise<StoredMessage> {
    const { journal } = this.#options;
    return journal === undefined ? message : journal.record('message', async () => message);
  }

  /** The window before this message, of these messages only. */
  async windowOf(
    message: StoredMessage,
    isActive: (message: StoredMessage) => boolean,
  ): Promise<readonly StoredMessage[]> {
    const unread = { isNew: false, isRepeated: false, newest: [], hasOlder: true };
    const summaries = { found: [], hasOlder: this.#options.sinceSummary };
    const read = new OpenConversation(this.#store, this.key, { ...unread, summaries }, { ...this.#options, isActive });
    return read.windowBefore(message);
  }

  /**
   * All messages after this one, also inactive ones.
   *
   * @throws ConflictError if they are too many for a process to hold.
   */
  async messagesAfter({ createdAt: after, id }: StoredMessage): Promise<readonly StoredMessage[]> {
    const { conversationId, owner } = this.key;
    const found: StoredMessage[] = [];
    for (let pages = 0, hasMore = true; hasMore; pages += 1) {
      if (pages === mostPages) throw tooMuchFollows(id);
      const [first] = found;
      const range = { limit: pageSize, maxBytes: this.#options.pageBytes, after };
      const filter = { ...range, ...(first !== undefined && { before: first.createdAt }) };
      const page = await fromStorage(this.#options, () => this.#store.messages(owner, conversationId, filter));
      found.unshift(...(page?.messages ?? []));
      hasMore = page?.hasMore ?? false;
    }
    return found;
  }

  /** The newest messages with these ids. */
  async find(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    if (this.isNew || ids.length === 0) return [];
    const { conversationId, owner } = this.key;
    const { pageBytes } = this.#options;
    return fromStorage(this.#options, () => this.#store.findMessages(owner, conversationId, ids, pageBytes));
  }

  /** The newest summary of messages before this time. It may have been written later. */
  async #summaryBefore(time: number): Promise<StoredMessage | undefined> {
    const { found, hasOlder } = this.#summaries;
    const ofOlder = (one: StoredMessage): boolean => summarizedUntil(one) < time;
    const summary = found.find(ofOlder);
    if (summary !== undefined || !hasOlder) return summary;
    const range = { limit: systemMessages, maxBytes: this.#options.pageBytes };
    const newest = await readSummaries(this.#store, this.key, this.#options, range);
    const later = newest?.found.findLast(ofOlder);
    if (later !== undefined || newest?.hasOlder !== true) return later;
    return (await readSummaries(this.#store, this.key, this.#options, { ...range, before: time }))?.found.at(-1);
  }

  /** The id of a new message of this run, the same whenever the run is repeated. */
  readonly idOf = (index: number): string => `${this.#options.runId}-${index}`;
}

interface FoundMessages extends Pick<OpenConversation, 'isNew' | 'isRepeated' | 'newest'> {
  /** Whether there are messages before the newest, or before these and after the summary. */
  readonly hasOlder: boolean;
  readonly summaries: Summaries;
}

/**
 * Reads the newest messages of a run's conversation. Undefined when a run without a user names the
 * conversation of a user: it reads and writes none.
 *
 * @throws NotFoundError when it belongs to another owner, InvalidInputError when `userId` is not
 * its user.
 */
export async function openConversation(
  store: ConversationStore,
  key: ConversationKey,
  options: OpenOptions,
): Promise<OpenConversation | undefined> {
  const { conversationId, isAnonymous, owner, userId } = key;
  const { contextBlock: block, contextLimit, journal, pageBytes: maxBytes, runId, sinceSummary } = options;
  const summaries = sinceSummary ? await readNewestSummary(store, key, options, maxBytes) : noSummaries;
  const summary = summaries.found.at(-1);
  const after = summary && summarizedUntil(summary);
  const isRepeatable = journal !== undefined;
  const wanted = Math.max(1, contextLimit);
  const most = wanted + block;
  const limit = most + (isRepeatable ? ownMessages : 0);
  const found = await readExisting(store, key, options, { limit, maxBytes, after });
  if (found === undefined) {
    const nothing = { isNew: true, isRepeated: false, newest: [], hasOlder: false, summaries };
    return new OpenConversation(store, key, nothing, options);
  }
  if (found.conversation.userId !== userId) {
    if (isAnonymous) return undefined;
    throw new InvalidInputError('body/options/userId must be the user of the conversation');
  }
  const own = isRepeatable ? found.messages.findIndex(({ id }) => id === runId || id.startsWith(`${runId}-`)) : -1;
  const before = own === -1 ? found.messages : found.messages.slice(0, own);
  const opened = { isNew: false, isRepeated: own !== -1, summaries };
  const isCut = own !== -1 && before.length < most && found.hasMore;
  if (isCut) {
    const [first = found.messages[own]] = await fromStorage(options, () =>
      store.findMessages(owner, conversationId, [`${runId}-0`]),
    );
    const range = { before: first?.createdAt ?? 0, after, limit: wanted, block, maxBytes };
    const { hasMore, messages } = await readWindow(store, key, options, range);
    return new OpenConversation(store, key, { ...opened, newest: messages, hasOlder: hasMore }, options);
  }
  const page = before.slice(-most);
  const hasOlder = found.hasMore || page.length < before.length;
  const newest = hasOlder ? await fromBlock(store, key, options, page, block) : page;
  return new OpenConversation(store, key, { ...opened, newest, hasOlder }, options);
}

function afterSummary(
  summary: StoredMessage | undefined,
  messages: readonly StoredMessage[],
): readonly StoredMessage[] {
  return summary === undefined ? messages : [summary, ...messages];
}

/**
 * The messages from the first of a user on. Replies before it belong to a question that the limit
 * has cut off; some providers refuse a prompt that begins with the calls of a reply. Without a
 * message of a user, none is left.
 */
function wholeExchanges(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const start = messages.findIndex(({ role }) => role === 'user');
  return start === -1 ? [] : messages.slice(start);
}

/**
 * How many messages a repeatable run reads in addition: its own input and reply. With more input
 * than this, older messages need a second query.
 */
const ownMessages = 8;

/**
 * How many pages of messages are read at most where a branch begins: with the default limits, 8000
 * messages and 32 MiB.
 */
const mostPages = 8;
const pageSize = 1000;

export function messageAnswered(id: string): ConflictError {
  return new ConflictError(
    'MESSAGE_ANSWERED',
    `Message "${id}" was sent again, but the conversation has continued after it: nothing was changed. Send a new message, or request that this one is answered again`,
  );
}
