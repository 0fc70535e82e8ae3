import type { ConversationStore, MessageFilter, Message, StoredMessage } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, type ConversationFault, returning, whole } from './conversation-fault.ts';

/** Faults of writing, finding and deleting messages. */
export const messageFaults: FaultTable<ConversationFault> = {
  'returns messages in the order of their first write; those of one call in the given order': writing((messages) =>
    messages.toReversed(),
  ),
  'gives each message a later time than the one before, in one call, at one moment, and after the clock was set back':
    reading((messages) => messages.map(rounded)),
  // Loses a message of each page that begins in the middle of a moment.
  'returns each message once when pages are read by the time of the oldest message': passing(
    'messages',
    (owner, id, { before, ...filter }) => [
      owner,
      id,
      { ...filter, ...(before !== undefined && { before: before - 1 }) },
    ],
  ),
  // Writes a changed message after the last.
  'replaces a stored message in its place, with its time, and adds others after the last': (store) => ({
    save: async (owner, save) => {
      await store.deleteMessages(
        owner,
        save.conversationId,
        save.messages.map(({ id }) => id),
      );
      return store.save(owner, save);
    },
  }),
  // Adds a message that is written again.
  'stores a message once when it is written again': (store) => {
    let saves = 0;
    return {
      save: (owner, save) => {
        saves += 1;
        return store.save(owner, {
          ...save,
          messages: save.messages.map((message) => ({ ...message, id: `${saves} ${message.id}` })),
        });
      },
    };
  },
  // Keeps the removed metadata of a replaced message.
  'replaces the whole message: absent fields are removed': (store) => ({
    save: async (owner, save) => {
      const had = await store.findMessages(
        owner,
        save.conversationId,
        save.messages.map(({ id }) => id),
      );
      const metadata = new Map(had.map((message) => [message.id, message.metadata]));
      const messages = save.messages.map((message) => ({ metadata: metadata.get(message.id), ...message }));
      return store.save(owner, { ...save, messages });
    },
  }),
  'writes messages with the same id in one call like consecutive writes': writing((messages) =>
    messages.filter(({ id }, index) => messages.findIndex((message) => message.id === id) === index),
  ),
  // Identifies messages by their id alone.
  'separates messages with the same id in two conversations': (store) => ({
    deleteMessages: async (owner, id, ids) => {
      await store.deleteMessages(owner, 'c-2', ids);
      return store.deleteMessages(owner, id, ids);
    },
  }),
  'creates a conversation with the first write, and reports it as new': returning('save', (answer) =>
    answer === 'not-found' ? answer : { ...answer, isNew: false },
  ),
  'creates a conversation with a write of no messages': passing('save', (owner, { create, ...save }) => [
    owner,
    save.messages.length > 0 && create !== undefined ? { ...save, create } : save,
  ]),
  'finds the requested messages that exist, each once, in the order of the conversation': returning(
    'findMessages',
    (messages, owner, id, ids) => (messages.length === ids.length ? messages : []),
  ),
  'deletes the messages that exist, and returns their ids once, in the order of the conversation': returning(
    'deleteMessages',
    (_, _owner, _id, ids) => ids,
  ),
  // Deletes a conversation with its last message.
  'adds messages after the last one when all before it were deleted': (store) => ({
    deleteMessages: async (owner, id, ids) => {
      const gone = await store.deleteMessages(owner, id, ids);
      const left = await store.messages(owner, id, whole);
      if (left?.messages.length === 0) await store.delete(owner, id);
      return gone;
    },
  }),
  'writes, finds and deletes thousands of messages in one call': writing((messages) => messages.slice(0, 1_000)),
  'deletes the messages after a message before it writes, and returns their ids': returning('save', (answer) =>
    answer === 'not-found' ? answer : { ...answer, dropped: [] },
  ),
  'has the same result when the same write with a deletion is repeated': saysAllDropped,
  'does not report a deleted message that the write contains, and moves it to its place in the write': saysAllDropped,
  // Drops all messages after an unknown message.
  'deletes nothing after a message that is unknown, is only part of the write, or is the last': (store) => ({
    save: async (owner, save) => {
      const ids = (await store.messages(owner, save.conversationId, whole))?.messages.map(({ id }) => id) ?? [];
      const isUnknown = save.dropAfter !== undefined && !ids.includes(save.dropAfter);
      if (isUnknown) await store.deleteMessages(owner, save.conversationId, ids);
      const answer = await store.save(owner, save);
      return answer === 'not-found' || !isUnknown ? answer : { ...answer, dropped: ids };
    },
  }),
  'deletes the messages after a message also in a write without messages, or with a conversation to create': passing(
    'save',
    (owner, { dropAfter, ...save }) => [
      owner,
      save.messages.length > 0 && dropAfter !== undefined ? { ...save, dropAfter } : save,
    ],
  ),
};

/** Reads only `messages` of the conversation. */
export function reading(
  change: (messages: readonly StoredMessage[], filter: MessageFilter) => readonly StoredMessage[],
): ConversationFault {
  return (store) => ({
    messages: async (owner, id, filter) => {
      const answer = await store.messages(owner, id, filter);
      return answer && { ...answer, messages: change(answer.messages, filter) };
    },
  });
}

export function writing(change: (messages: readonly Message[]) => readonly Message[]): ConversationFault {
  return (store) => ({ save: (owner, save) => store.save(owner, { ...save, messages: change(save.messages) }) });
}

function saysAllDropped(store: ConversationStore): Partial<ConversationStore> {
  return {
    save: async (owner, save) => {
      const ids = (await store.messages(owner, save.conversationId, whole))?.messages.map(({ id }) => id) ?? [];
      const answer = await store.save(owner, save);
      const from = save.dropAfter === undefined ? -1 : ids.indexOf(save.dropAfter);
      return answer === 'not-found' || from < 0 ? answer : { ...answer, dropped: ids.slice(from + 1) };
    },
  };
}

function rounded(message: StoredMessage): StoredMessage {
  return { ...message, createdAt: Math.floor(message.createdAt / 10) * 10 };
}
