import type { JsonValue, Message, Storage } from '@halyard/contracts';
import { retryWhileUnavailable } from './retry-while-unavailable.ts';

/** The acknowledged writes of a conversation, which must be stored. */
export interface AcknowledgedConversation {
  readonly id: string;
  /** The ids of messages in order. */
  readonly messages: readonly string[];
  /** The entries appended to its working memory. */
  readonly notes: readonly string[];
}

type Stores = Pick<Storage, 'conversations' | 'workingMemory'>;

/**
 * Writes conversations until `shouldStop` returns true. Each has `turns` turns: a question, a reply
 * in three writes, a replacement of the reply, and a note. Calls are retried while the storage is
 * unavailable.
 */
export async function runConversations(
  stores: Stores,
  { name, shouldStop, turns }: { readonly name: string; readonly turns: number; readonly shouldStop: () => boolean },
): Promise<readonly AcknowledgedConversation[]> {
  const acknowledged: AcknowledgedConversation[] = [];
  for (let count = 0; !shouldStop(); count += 1) {
    acknowledged.push(await runConversation(stores, `${name}-${count}`, turns));
  }
  return acknowledged;
}

export async function runConversation(
  { conversations, workingMemory }: Stores,
  id: string,
  turns: number,
): Promise<AcknowledgedConversation> {
  const create = { id, resourceId: 'workload', userId: 'ada', title: '', metadata: {} };
  const owner = { user: 'ada' };
  const messages: string[] = [];
  const notes: string[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const [question, answer, other] = [`question-${turn}`, `answer-${turn}`, `other-${turn}`];
    const save = (written: readonly Message[], dropAfter?: string) =>
      retryWhileUnavailable(() =>
        conversations.save(owner, {
          conversationId: id,
          messages: written,
          ...(turn === 0 && { create }),
          ...(dropAfter !== undefined && { dropAfter }),
        }),
      );
    await save([sampleMessage(question, 'user')]);
    await save([sampleMessage(answer, 'assistant', 'started')]);
    const parts = ['started', 'and'].map((text, place) => ({ place, part: { type: 'text', text } as const }));
    const key = { conversationId: id, messageId: answer, writer: `${id}-${turn}` };
    await retryWhileUnavailable(async () => conversations.saveParts?.(owner, { ...key, length: 2, parts }));
    await save([sampleMessage(answer, 'assistant', 'started and ended')]);
    await save([sampleMessage(other, 'assistant')], question);
    messages.push(question, other);
    const note = `${id} ${turn}`;
    await retryWhileUnavailable(() =>
      workingMemory.update(owner, { scope: 'conversation', conversationId: id }, (content) => [
        ...listOf(content),
        note,
      ]),
    );
    notes.push(note);
  }
  return { id, messages, notes };
}

/**
 * The stored state of a conversation. A note may be stored twice when the result of its write was
 * lost.
 */
export async function storedConversation(
  { conversations, workingMemory }: Stores,
  { id }: AcknowledgedConversation,
): Promise<AcknowledgedConversation> {
  const found = await conversations.messages('anyone', id, { limit: 10_000 });
  const notes = listOf(await workingMemory.read('anyone', { scope: 'conversation', conversationId: id }));
  return {
    id,
    messages: found?.messages.map((message) => message.id) ?? [],
    notes: [...new Set(notes)],
  };
}

export function sampleMessage(id: string, role: 'user' | 'assistant', text = `Text of ${id}`): Message {
  return { id, role, parts: [{ type: 'text', text }] };
}

/** The entries of a working memory that is a list of texts. */
export function listOf(content: JsonValue | undefined): readonly string[] {
  return Array.isArray(content) ? content.map(String) : [];
}
