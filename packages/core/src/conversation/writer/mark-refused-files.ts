import type { Memory } from '../../memory/memory.ts';
import { type FileRefusal, refusedMessages, findSuspects } from '../../model/files/refused-files.ts';
import { isInactive } from '../branch.ts';
import type { ConversationKey } from '../open-conversation.ts';
import type { NewInput } from '../sync-input.ts';

export interface NewMessages extends Pick<NewInput, 'fresh' | 'unanswered' | 'window'> {
  readonly key: ConversationKey;
  /** Id of the reply. */
  readonly messageId: string;
}

/**
 * Marks the files that models have refused, in the messages as they are stored now: others may have
 * changed or deleted one.
 *
 * @throws the error of the storage.
 */
export async function markRefusedFiles(
  { settings, storage }: Memory,
  { fresh, key, messageId, unanswered = messageId, window }: NewMessages,
  refusal: FileRefusal,
): Promise<void> {
  const { conversationId, owner } = key;
  const ids = [...findSuspects(window, refusal), ...fresh].map(({ id }) => id).concat(unanswered, messageId);
  const stored = await storage.conversations.findMessages(owner, conversationId, ids, settings.limits.pageBytes);
  const messages = refusedMessages(
    stored.filter((message) => !isInactive(message)).map(({ createdAt: _, ...message }) => message),
    refusal,
  );
  if (messages.length > 0) await storage.conversations.save(owner, { conversationId, messages });
}
