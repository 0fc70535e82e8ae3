import type { Conversation, ConversationStore, JsonValue, Message, MessagePart } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, type ConversationFault } from './conversation-fault.ts';
import { corruptedIds, corruptedValues } from './corrupted-values.ts';
import { writing } from './message-faults.ts';

/** For each group of parts, one that is lost. */
const lostParts = {
  reasoning: 'reasoning-file',
  files: 'file',
  sources: 'source-document',
  'tool calls': 'output-denied',
  'parts of apps, providers and users': 'steering-message',
};

/** Faults of stored values. */
export const valueFaults: FaultTable<ConversationFault> = {
  'returns the parts of messages complete and in order: text': writing((messages) =>
    messages.map((message) => ({ ...message, parts: joined(message.parts) })),
  ),
  'stores every role of a message': writing((messages) =>
    messages.map((message) => ({ ...message, role: message.role === 'tool' ? 'assistant' : message.role })),
  ),
  'distinguishes metadata that is null from absent metadata': writing((messages) =>
    messages.map((message) => ({ metadata: null, ...message })),
  ),
  'stores a title of ten kilobytes and a text of a megabyte': passing('create', (conversation) => [
    { ...conversation, title: conversation.title.slice(0, 255) },
  ]),
  // Returns the objects that were passed.
  'is not affected by later changes of passed objects': (store) => {
    const given = new Map<string, Message>();
    return {
      save: (owner, save) => {
        for (const message of save.messages) given.set(message.id, message);
        return store.save(owner, save);
      },
      messages: async (owner, id, filter) => {
        const answer = await store.messages(owner, id, filter);
        const messages =
          answer?.messages.map((message) => ({ ...message, parts: given.get(message.id)?.parts ?? [] })) ?? [];
        return answer && { ...answer, messages };
      },
    };
  },
  // Returns the stored objects.
  'is not affected by changes of returned objects': (store) => {
    const cached = new Map<string, Conversation>();
    return {
      find: async (owner, id) => {
        const found = cached.get(id) ?? structuredClone(await store.find(owner, id));
        if (found !== undefined) cached.set(id, found);
        return found;
      },
    };
  },
  // Changes returned objects.
  'returns values that later writes do not change': (store) => {
    const returned: Conversation[] = [];
    return {
      find: async (owner, id) => {
        const found = structuredClone(await store.find(owner, id));
        if (found !== undefined) returned.push(found);
        return found;
      },
      update: async (owner, id, change) => {
        for (const conversation of returned) Object.assign(conversation, change);
        return store.update(owner, id, change);
      },
    };
  },
  ...Object.fromEntries(
    Object.entries(lostParts).map(([group, lost]) => [
      `returns the parts of messages complete and in order: ${group}`,
      writing((messages) =>
        messages.map((message) => ({
          ...message,
          parts: message.parts.filter((part) => part.type !== lost && !('state' in part && part.state === lost)),
        })),
      ),
    ]),
  ),
  ...Object.fromEntries(
    corruptedValues.map(([sample, corrupt]) => [
      `returns values as they were written: ${sample}`,
      writing((messages) => messages.map((message) => corrupted(message, corrupt))),
    ]),
  ),
  ...Object.fromEntries(
    corruptedIds.map(([which, corrupt]) => [
      `accepts any ids, users and titles: ${which}`,
      (store: ConversationStore) => withIds(store, corrupt),
    ]),
  ),
};

function joined(parts: readonly MessagePart[]): MessagePart[] {
  const merged: MessagePart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      merged[merged.length - 1] = { ...last, ...part, text: last.text + part.text };
    else merged.push(part);
  }
  return merged;
}

function corrupted(message: Message, corrupt: (value: JsonValue) => JsonValue): Message {
  const { metadata } = message as { readonly metadata?: JsonValue };
  return { ...message, ...(metadata !== undefined && { metadata: corrupt(metadata) }) };
}

/** A store that changes ids, consistently for writing and reading. */
function withIds(store: ConversationStore, corrupt: (id: string) => string): Partial<ConversationStore> {
  return {
    create: (conversation) => store.create({ ...conversation, id: corrupt(conversation.id) }),
    isTaken: (id) => store.isTaken(corrupt(id)),
    find: (owner, id) => store.find(owner, corrupt(id)),
    save: (owner, save) =>
      store.save(owner, {
        ...save,
        conversationId: corrupt(save.conversationId),
        ...(save.create && { create: { ...save.create, id: corrupt(save.create.id) } }),
      }),
  };
}
