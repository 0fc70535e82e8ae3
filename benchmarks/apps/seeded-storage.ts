import type { MessagePart, NewConversation, Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { agentId, conversationIds, history, historyLength, userId } from './workload.ts';

/**
 * A storage with the conversations of the scenarios, and with further conversations up to the given
 * number of messages. Its size stays constant, because each conversation stores at most twice as
 * many messages as a run reads.
 */
export async function seededStorage(messages: number): Promise<Storage> {
  const storage = createInMemoryStorage({ conversations: { maxMessagesPerConversation: 2 * historyLength } });
  for (const id of conversationIds) await seed(storage, id);
  for (let count = conversationIds.length * history.length; count < messages; count += history.length) {
    await seed(storage, `other-${count}`);
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
