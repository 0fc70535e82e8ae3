import {
  ConflictError,
  type Message,
  type MessagePage,
  type MessagePart,
  type StoredMessage,
} from '@halyard/contracts';
import type { InputUIMessage } from '../model/messages/message.ts';
import { cutMark } from '../model/prompt/cut-step.ts';
import type { OpenConversation } from './open-conversation.ts';
import { isSummary, summarizedUntil } from './summary.ts';

/** A conversation that continues at an earlier message than its newest one. */
export interface Branch {
  /**
   * The stored messages to write: those that the branch leaves out, and those that it takes up
   * again.
   */
  readonly changed: readonly Message[];
  /**
   * The window of the prompt before this message, without the messages that the branch leaves out.
   */
  readonly windowBefore: (message: StoredMessage) => Promise<readonly StoredMessage[]>;
  /** The window of the prompt that ends with the message at which the branch begins. */
  readonly window: () => Promise<readonly StoredMessage[]>;
}

/**
 * Where the client continues at a message that is not the newest of the conversation: it has edited
 * a question under a new id, switched to another reply, or removed messages, or another client has
 * continued in the meantime. A single message says nothing of this, unless it is inactive itself.
 *
 * @param known the newest message of the list that is stored.
 * @throws ConflictError if too much follows the first message of the list.
 */
export async function findBranch(
  chat: readonly InputUIMessage[],
  known: StoredMessage,
  conversation: OpenConversation,
): Promise<Branch | undefined> {
  const isLast = chat.at(-1)?.id === known.id;
  const isBranch = isInactive(known) || (!isLast && chat.length > 1 && conversation.last?.id !== known.id);
  if (!isBranch) return undefined;

  const ids = chat.flatMap(({ id }) => (id === undefined || id === '' ? [] : [id]));
  const stored = await conversation.find(ids);
  const [first = known] = stored;
  const kept = new Set(stored.map(({ id }) => id));
  const later = await conversation.messagesAfter(first);
  const left = later.filter((message) => isOfDialogue(message) && !isInactive(message) && !kept.has(message.id));
  const since = left[0]?.createdAt ?? Infinity;
  const outdated = later.filter(
    (message) => isSummary(message) && !isInactive(message) && summarizedUntil(message) >= since,
  );
  const leftOut = new Set([...left, ...outdated].map(({ id }) => id));
  const isActive = (message: StoredMessage): boolean =>
    kept.has(message.id) || (!isInactive(message) && !leftOut.has(message.id));
  const windowBefore = async (message: StoredMessage): Promise<readonly StoredMessage[]> =>
    (await conversation.windowOf(message, isActive)).map(asActive);
  return {
    changed: [
      ...[...left, ...outdated].map((message) => toMessage(asInactive(message))),
      ...stored.filter(isInactive).map((message) => toMessage(asActive(message))),
    ],
    windowBefore,
    window: () => windowBefore({ ...known, role: 'user', createdAt: known.createdAt + 1 }),
  };
}

function isOfDialogue({ role }: Message): boolean {
  return role === 'user' || role === 'assistant';
}

function toMessage({ createdAt: _, ...message }: StoredMessage): Message {
  return message;
}

export function tooMuchFollows(id: string): ConflictError {
  return new ConflictError(
    'BRANCH_TOO_LONG',
    `Too much follows message "${id}" to continue the conversation there: nothing was changed. Start another conversation, or send the newest message only`,
  );
}

/**
 * The first part of a stored message that a branch of the conversation has left out: it is kept,
 * and no prompt contains it.
 */
const inactivePart: Extract<MessagePart, { type: 'custom' }> = {
  type: 'custom',
  kind: 'halyard.inactive',
  providerMetadata: cutMark,
};

/** Whether a stored message belongs to a branch that the conversation does not continue. */
export function isInactive({ parts }: { readonly parts: readonly MessagePart[] }): boolean {
  return parts.some(isInactivePart);
}

function asInactive<Kept extends Message>(message: Kept): Kept {
  return { ...message, parts: [inactivePart, ...message.parts] };
}

export function asActive<Kept extends Message>(message: Kept): Kept {
  return isInactive(message) ? { ...message, parts: message.parts.filter((part) => !isInactivePart(part)) } : message;
}

function isInactivePart(part: MessagePart): boolean {
  return part.type === 'custom' && part.kind === inactivePart.kind;
}

interface PageRange {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** How many messages are read at least after a page with inactive ones. */
const nextPage = 50;

/**
 * A page of active messages: older ones are read instead of those that are not. It is shorter than
 * its limit only if there are no others, or if it has many bytes.
 */
export async function activePage<Page extends Pick<MessagePage, 'messages' | 'hasMore'>>(
  read: (range: PageRange) => Promise<Page | undefined>,
  range: PageRange,
  isActive: (message: StoredMessage) => boolean = (message) => !isInactive(message),
): Promise<Page | undefined> {
  const page = await read(range);
  if (page === undefined || page.messages.every(isActive)) return page;
  const active = page.messages.filter(isActive);
  let [asked, last] = [range.limit, page];
  // A page that is shorter was cut where it would have had too many bytes.
  while (last.hasMore && (active.length === 0 || (active.length < range.limit && last.messages.length === asked))) {
    asked = Math.max(nextPage, range.limit);
    const next = await read({ limit: asked, before: last.messages[0]?.createdAt });
    if (next === undefined) return undefined;
    active.unshift(...next.messages.filter(isActive));
    last = next;
  }
  const messages = active.slice(-range.limit);
  return { ...page, messages, hasMore: last.hasMore || messages.length < active.length };
}
