import type { JsonValue, Message, Storage } from '@halyard/contracts';
import { again } from './retry-while-unavailable.ts';

/** What was answered, and so has to be there. */
export interface AcknowledgedConversation {
  readonly id: string;
  /** Ids of messages in their order. */
  readonly messages: readonly string[];
  /** What was appended to its working memory. */
  readonly notes: readonly string[];
}

type Stores = Pick<Storage, 'conversations' | 'workingMemory'>;

/**
 * Writes turns of conversations of `turns` each until it is told to stop: a question, an answer that grows, another in its place, and a note. Calls that fail
 * because the storage is away are sent again.
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
      again(() =>
        conversations.save(owner, {
          conversationId: id,
          messages: written,
          ...(turn === 0 && { create }),
          ...(dropAfter !== undefined && { dropAfter }),
        }),
      );
    await save([sampleMessage(question, 'user')]);
    await save([sampleMessage(answer, 'assistant', 'begun')]);
    await save([sampleMessage(answer, 'assistant', 'begun and ended')]);
    await save([sampleMessage(other, 'assistant')], question);
    messages.push(question, other);
    const note = `${id} ${turn}`;
    await again(() =>
      workingMemory.update(owner, { scope: 'conversation', conversationId: id }, (content) => [
        ...listOf(content),
        note,
      ]),
    );
    notes.push(note);
  }
  return { id, messages, notes };
}

/** What is there of what was acknowledged. A note whose answer was lost may be there twice. */
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

/** A working memory that is a list of texts. */
export function listOf(content: JsonValue | undefined): readonly string[] {
  return Array.isArray(content) ? content.map(String) : [];
}
