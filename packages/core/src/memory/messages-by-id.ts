import type { ConversationStore, Owner, StoredMessage } from '@halyard/contracts';

interface ConversationPages {
  readonly conversations: ConversationStore;
  readonly owner: Owner;
  readonly conversationId: string;
  readonly pageBytes: number;
}

/** The messages with these ids, the newest page first: no more than one page is in memory. */
export async function* messagesById(
  { conversationId, conversations, owner, pageBytes }: ConversationPages,
  ids: readonly string[],
): AsyncGenerator<StoredMessage, void> {
  const left = new Set(ids);
  while (left.size > 0) {
    const page = await conversations.findMessages(owner, conversationId, [...left], pageBytes);
    if (page.length === 0) return;
    for (const message of page) left.delete(message.id);
    yield* page;
  }
}
