import type { Storage, UserRecord } from '@halyard/contracts';
import { sampleConversation, sampleMessages } from '../conversation-store/sample-conversations.ts';
import { sampleChild, sampleEntry, sampleEvent, sampleSuspension } from '../execution-store/sample-records.ts';
import { begin } from '../execution-store/test-runner.ts';
import { ofConversation, ofUser, write } from '../working-memory-store/sample-keys.ts';

/** The counts of a deletion after {@link fill}. */
export const filled = { conversations: 2, messages: 3, executions: 3 };

/**
 * Writes data of a user into every store of a storage: two conversations, one with three messages
 * and working memory; the user's own working memory; three executions (ended, waiting and running)
 * with a sub-workflow each.
 */
export async function fill(storage: Storage, userId: string): Promise<void> {
  const { conversations, executions, workingMemory } = storage;
  const owner = { user: userId };
  const create = sampleConversation(`${userId}:talk`, { userId });
  await conversations.save(owner, { conversationId: create.id, messages: sampleMessages('m', 3), create });
  await conversations.create(sampleConversation(`${userId}:silent`, { userId }));
  await write(workingMemory, ofConversation(create.id), { of: create.id });
  await write(workingMemory, ofUser(userId), `Of ${userId}`);
  for (const rest of ['ended', 'waiting', 'leased'] as const) {
    const id = `${userId}:${rest}`;
    const childId = `${id}:child`;
    const runner = await begin(executions, { id, userId });
    await runner.write({
      entries: [sampleEntry('a')],
      changes: [
        { id, events: [sampleEvent('step-complete', 'a')] },
        { id: childId, created: sampleChild(id, 'sub', { userId }), events: [sampleEvent('workflow-start')] },
      ],
    });
    if (rest === 'ended') await runner.finish();
    if (rest === 'waiting') await runner.suspend(sampleSuspension(`s-${id}`, 'b', { executionId: id }));
  }
}

/** All records of an export. */
export async function exported(storage: Storage, userId: string): Promise<readonly UserRecord[]> {
  const records: UserRecord[] = [];
  for await (const record of storage.users.export(userId)) records.push(record);
  return records;
}

/** All records of an export, in an order that does not depend on the store. */
export async function exportedSorted(storage: Storage, userId: string): Promise<readonly string[]> {
  return (await exported(storage, userId)).map((record) => nameOf(record)).toSorted();
}

/** The type and id of a record. */
export function nameOf(record: UserRecord): string {
  switch (record.type) {
    case 'conversation':
      return `conversation ${record.conversation.id}`;
    case 'message':
      return `message ${record.conversationId} ${record.message.id}`;
    case 'working-memory':
      return 'working memory';
    case 'execution':
      return `execution ${record.execution.id}`;
  }
}
