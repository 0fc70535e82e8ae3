import type { MessagePart, NewConversation, Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { agentId, conversationIds, history, historyLength, userId } from './workload.ts';

/**
 * A storage that holds the conversations of the scenarios, and others beside them until it holds so many messages. What the rounds write does not make it
 * larger: a conversation keeps a few more messages than a run sees.
 */
export async function seededStorage(messages: number): Promise<Storage> {
  const storage = createInMemoryStorage({ conversations: { maxMessagesPerConversation: 2 * historyLength } });
  for (const id of conversationIds) await seed(storage, id);
  for (let held = conversationIds.length * history.length; held < messages; held += history.length) {
    await seed(storage, `other-${held}`);
  }
  return storage;
}

async function seed({ conversations }: Storage, conversationId: string): Promise<void> {
  const create: NewConversation = { id: conversationId, resourceId: agentId, userId, title: '', metadata: {} };
  const messages = history.map(({ role, text }, index) => {
    const parts: MessagePart[] = [{ type: 'text', text }];
    return { id: `${conversationId}-${index}`, role, parts };
  });
  await conversations.save('anyone', { conversationId, messages, create });
}
