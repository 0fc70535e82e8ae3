import type { JsonValue, Owner, WorkingMemoryKey, WorkingMemoryStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';

export function ofConversation(conversationId: string): WorkingMemoryKey {
  return { scope: 'conversation', conversationId };
}

export function ofUser(userId: string): WorkingMemoryKey {
  return { scope: 'user', userId };
}

/** Replaces the content; the write must succeed. */
export async function write(
  store: WorkingMemoryStore,
  key: WorkingMemoryKey,
  content: JsonValue | undefined,
  owner: Owner = 'anyone',
): Promise<void> {
  checkEqual(await store.update(owner, key, () => content), true, `Whether ${JSON.stringify(key)} was written`);
}

/** The stored content, in an array that distinguishes null from undefined. */
export async function contentOf(store: WorkingMemoryStore, key: WorkingMemoryKey): Promise<readonly JsonValue[]> {
  const content = await store.read('anyone', key);
  return content === undefined ? [] : [content];
}
