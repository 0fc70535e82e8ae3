import type { ConversationStore, Owner, StoredMessage } from '@halyard/contracts';
import { defaultMemoryLimits } from '../memory-options.ts';
import { isSummary, summarizedUntil } from './summary.ts';

const pageSize = 20;

/** Where a message is in its conversation. */
export type MessagePlace = Pick<StoredMessage, 'role' | 'createdAt'>;

/**
 * The ids of the summaries that repeat one of these messages, which are about to be deleted or changed. Without these summaries, prompts have the one before them, and
 * the messages after it.
 */
export async function summariesOf(
  conversations: ConversationStore,
  owner: Owner,
  conversationId: string,
  messages: readonly MessagePlace[],
): Promise<readonly string[]> {
  const repeated = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  if (repeated.length === 0) return [];

  const first = Math.min(...repeated.map(({ createdAt }) => createdAt));
  const ids: string[] = [];
  let before: number | undefined;
  do {
    const filter = {
      limit: pageSize,
      maxBytes: defaultMemoryLimits.pageBytes,
      roles: ['system'],
      after: first,
      ...(before !== undefined && { before }),
    } as const;
    const page = await conversations.messages(owner, conversationId, filter);
    const summaries = page?.messages.filter((one) => isSummary(one) && summarizedUntil(one) >= first) ?? [];
    ids.push(...summaries.map(({ id }) => id));
    before = page?.hasMore === true ? page.messages[0]?.createdAt : undefined;
  } while (before !== undefined);
  return ids;
}
