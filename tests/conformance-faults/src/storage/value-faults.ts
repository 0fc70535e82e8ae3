import type { Conversation, ConversationStore, JsonValue, Message, MessagePart } from '@halyard/contracts';
import type { ConversationFault } from './conversation-fault.ts';
import { corruptedIds, corruptedValues } from './corrupted-values.ts';
import { writing } from './message-faults.ts';

const lostParts: readonly (readonly [group: string, lost: (part: MessagePart) => boolean])[] = [
  ['reasoning', ({ type }) => type === 'reasoning-file'],
  ['files', ({ type }) => type === 'file'],
  ['sources', ({ type }) => type === 'source-document'],
  ['tool calls', (part) => 'state' in part && part.state === 'output-denied'],
  ['parts of apps, providers and users', ({ type }) => type === 'steering-message'],
];

/** Faults of stored values. */
export const valueFaults: readonly ConversationFault[] = [
  ...lostParts.map(([group, isLost]): ConversationFault => [
    `loses some of these parts: ${group}`,
    `returns the parts of messages complete and in order: ${group}`,
    writing((messages) =>
      messages.map((message) => ({ ...message, parts: message.parts.filter((part) => !isLost(part)) })),
    ),
  ]),
  [
    'joins texts that follow one another',
    'returns the parts of messages complete and in order: text',
    writing((messages) => messages.map((message) => ({ ...message, parts: joined(message.parts) }))),
  ],
  [
    'puts the texts of a message first',
    'returns the parts of messages complete and in order: parts of apps, providers and users',
    writing((messages) =>
      messages.map((message) => ({
        ...message,
        parts: message.parts.toSorted((one, other) => (one.type < other.type ? 1 : -1)),
      })),
    ),
  ],
  ...corruptedValues.map(([fault, sample, corrupt]): ConversationFault => [
    fault,
    `returns values as they were written: ${sample}`,
    (store) => ({
      save: (owner, save) =>
        store.save(owner, { ...save, messages: save.messages.map((message) => corrupted(message, corrupt)) }),
    }),
  ]),
  ...corruptedIds.map(([fault, what, corrupt]): ConversationFault => [
    fault,
    `accepts any ids, users and titles: ${what}`,
    (store) => withIds(store, corrupt),
  ]),
  [
    'stores messages of tools as messages of the assistant',
    'stores every role of a message',
    writing((messages) =>
      messages.map((message) => ({ ...message, role: message.role === 'tool' ? 'assistant' : message.role })),
    ),
  ],
  [
    'treats metadata that is null as absent',
    'distinguishes metadata that is null from absent metadata',
    writing((messages) =>
      messages.map(({ metadata, ...message }) => (metadata === null ? message : { ...message, metadata })),
    ),
  ],
  [
    'stores absent metadata as null',
    'distinguishes metadata that is null from absent metadata',
    writing((messages) => messages.map((message) => ({ metadata: null, ...message }))),
  ],
  [
    'cuts titles',
    'stores a title of ten kilobytes and a text of a megabyte',
    (store) => ({
      create: (conversation) => store.create({ ...conversation, title: conversation.title.slice(0, 255) }),
    }),
  ],
  [
    'returns the objects that were passed',
    'is not affected by later changes of passed objects',
    (store) => {
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
  ],
  [
    'returns the stored objects',
    'is not affected by changes of returned objects',
    (store) => {
      const cached = new Map<string, Conversation>();
      return {
        find: async (owner, id) => {
          const found = cached.get(id) ?? structuredClone(await store.find(owner, id));
          if (found !== undefined) cached.set(id, found);
          return found;
        },
      };
    },
  ],
  [
    'changes returned objects',
    'returns values that later writes do not change',
    (store) => {
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
  ],
];

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
