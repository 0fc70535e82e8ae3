import { ConflictError, type Message, type StoredMessage } from '@halyard/contracts';
import type { InputUIMessage } from '../../model/message.ts';
import { asActive, asInactive, isInactive } from './inactive.ts';
import type { OpenConversation } from './open-conversation.ts';
import { isSummary, summarizedUntil } from './summary.ts';

/** A conversation that continues at an earlier message than its newest one. */
export interface Branch {
  /** The stored messages to write: those that the branch leaves out, and those that it takes up again. */
  readonly changed: readonly Message[];
  /** The window of the prompt before this message, without what the branch leaves out. */
  readonly windowBefore: (message: StoredMessage) => Promise<readonly StoredMessage[]>;
  /** The window of the prompt that ends with the message at which the branch begins. */
  readonly window: () => Promise<readonly StoredMessage[]>;
}

/**
 * Where the client continues at a message that is not the newest of the conversation: it has edited a question under a new id, switched to another answer, or removed
 * messages, or another client has continued in the meantime. A single message says nothing of this, unless it is inactive itself.
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
      ...[...left, ...outdated].map((message) => messageOf(asInactive(message))),
      ...stored.filter(isInactive).map((message) => messageOf(asActive(message))),
    ],
    windowBefore,
    window: () => windowBefore({ ...known, role: 'user', createdAt: known.createdAt + 1 }),
  };
}

function isOfDialogue({ role }: Message): boolean {
  return role === 'user' || role === 'assistant';
}

function messageOf({ createdAt: _, ...message }: StoredMessage): Message {
  return message;
}

export function tooMuchFollows(id: string): ConflictError {
  return new ConflictError(
    'BRANCH_TOO_LONG',
    `Too much follows message "${id}" to continue the conversation there: nothing was changed. Start another conversation, or send the newest message only`,
  );
}
