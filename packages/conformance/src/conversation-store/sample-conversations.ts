import type {
  Conversation,
  ConversationFilter,
  ConversationStore,
  Message,
  MessageSave,
  NewConversation,
  Owner,
  SavedMessages,
  StoredMessage,
} from '@halyard/contracts';
import { check, checkFound } from '../check.ts';

/** A filter for all conversations, 50 at most. */
export const everyConversation: ConversationFilter = {
  orderBy: 'createdAt',
  direction: 'asc',
  limit: 50,
  offset: 0,
};

/** A conversation of Ada. */
export function sampleConversation(id: string, values: Partial<NewConversation> = {}): NewConversation {
  return { id, resourceId: 'assistant', userId: 'ada', title: `About ${id}`, metadata: { about: id }, ...values };
}

export function sampleMessage(id: string, values: Partial<Message> = {}): Message {
  return { id, role: 'user', parts: [{ type: 'text', text: `Text of ${id}` }], ...values };
}

/** `count` messages with the ids `prefix-0`, `prefix-1` and so on. */
export function sampleMessages(prefix: string, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => sampleMessage(`${prefix}-${index}`));
}

/** Creates a conversation of Ada, and writes messages with these ids one by one. */
export async function begin(store: ConversationStore, id: string, ...ids: string[]): Promise<Conversation> {
  const conversation = await store.create(sampleConversation(id));
  for (const messageId of ids) await save(store, id, [sampleMessage(messageId)]);
  return checkFound(conversation, `The new conversation ${id}`);
}

/** Writes messages; the write must succeed. */
export async function save(
  store: ConversationStore,
  conversationId: string,
  messages: readonly Message[],
  values: Partial<MessageSave> = {},
): Promise<SavedMessages> {
  const saved = await store.save('anyone', { conversationId, messages, ...values });
  check(saved !== 'not-found', `Conversation ${conversationId} should be there to write to`);
  return saved;
}

/** All messages of a conversation, which must exist. */
export async function messagesOf(store: ConversationStore, id: string): Promise<readonly StoredMessage[]> {
  const found = await store.messages('anyone', id, { limit: 100_000 });
  return checkFound(found, `Conversation ${id}`).messages;
}

export async function messageIds(store: ConversationStore, id: string): Promise<readonly string[]> {
  return idsOf(await messagesOf(store, id));
}

export function idsOf(items: readonly { readonly id: string }[]): readonly string[] {
  return items.map(({ id }) => id);
}

export interface ConversationSnapshot {
  readonly conversation: Conversation | undefined;
  readonly messages: readonly StoredMessage[];
}

/** Everything that a store returns about a conversation. */
export async function snapshotOf(store: ConversationStore, id: string): Promise<ConversationSnapshot> {
  const found = await store.messages('anyone', id, { limit: 100_000 });
  return { conversation: await store.find('anyone', id), messages: found?.messages ?? [] };
}

/** The listed conversations, and how many match. */
export async function listed(
  store: ConversationStore,
  owner: Owner,
  filter: Partial<ConversationFilter> = {},
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const { conversations, total } = await store.list(owner, { ...everyConversation, ...filter });
  return { ids: idsOf(conversations), total };
}
