import type { ConversationStore, Owner, StoredMessage } from '@halyard/contracts';
import { isSummary, summarizedUntil } from './summary.ts';

const pageSize = 20;

/**
 * The ids of the summaries that repeat one of these messages, which are about to be deleted or changed. Without these summaries, prompts have the one before them, and
 * the messages after it.
 */
export async function summariesOf(
  conversations: ConversationStore,
  owner: Owner,
  conversationId: string,
  messages: readonly StoredMessage[],
): Promise<readonly string[]> {
  const repeated = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  if (repeated.length === 0) return [];

  const first = Math.min(...repeated.map(({ createdAt }) => createdAt));
  const ids: string[] = [];
  let before: number | undefined;
  do {
    const filter = {
      limit: pageSize,
      roles: ['system'],
      after: first,
      ...(before !== undefined && { before }),
    } as const;
    const page = (await conversations.messages(owner, conversationId, filter))?.messages ?? [];
    ids.push(...page.filter((one) => isSummary(one) && summarizedUntil(one) >= first).map(({ id }) => id));
    before = page.length < pageSize ? undefined : page[0]?.createdAt;
  } while (before !== undefined);
  return ids;
}
