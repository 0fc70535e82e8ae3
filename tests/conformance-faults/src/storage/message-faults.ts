import type { ConversationStore, MessageFilter, Message, StoredMessage } from '@halyard/contracts';
import { type ConversationFault, whole } from './conversation-fault.ts';

const inOrder = 'returns messages in the order of their first write; those of one call in the given order';
const laterTimes =
  'gives each message a later time than the one before, in one call, at one moment, and after the clock was set back';
const inPlace = 'replaces a stored message in its place, with its time, and adds others after the last';
const replaced = 'replaces the whole message: absent fields are removed';
const twice = 'writes messages with the same id in one call like consecutive writes';
const firstWrite = 'creates a conversation with the first write, and reports it as new';
const found = 'finds the requested messages that exist, each once, in the order of the conversation';
const deleted = 'deletes the messages that exist, and returns their ids once, in the order of the conversation';
const dropped = 'deletes the messages after a message before it writes, and returns their ids';
const notThere = 'deletes nothing after a message that is unknown, is only part of the write, or is the last';
const broughtBack = 'does not report a deleted message that the write contains, and moves it to its place in the write';

/** Faults of writing, finding and deleting messages. */
export const messageFaults: readonly ConversationFault[] = [
  [
    'orders messages by their ids',
    inOrder,
    reading((messages) => messages.toSorted((one, other) => (one.id < other.id ? -1 : 1))),
  ],
  ['writes the messages of a call from the end', inOrder, writing((messages) => messages.toReversed())],
  ['gives messages within ten milliseconds the same time', laterTimes, reading((messages) => messages.map(rounded))],
  [
    'uses the time of the clock, also when it was set back',
    laterTimes,
    (store) => {
      let saves = 0;
      return {
        save: (owner, save) => {
          saves += 1;
          return store.save(owner, save);
        },
        messages: async (owner, id, filter) => {
          const answer = await store.messages(owner, id, filter);
          if (answer === undefined || saves < 7) return answer;
          return {
            ...answer,
            messages: answer.messages.map((message) => ({
              ...message,
              createdAt: message.createdAt - (message.id.startsWith('back') ? 60_000 : 0),
            })),
          };
        },
      };
    },
  ],
  [
    'loses a message of each page that begins in the middle of a moment',
    'returns each message once when pages are read by the time of the oldest message',
    (store) => ({
      messages: (owner, id, { before, ...filter }) =>
        store.messages(owner, id, { ...filter, ...(before !== undefined && { before: before - 1 }) }),
    }),
  ],
  [
    'writes a changed message after the last',
    inPlace,
    (store) => ({
      save: async (owner, save) => {
        await store.deleteMessages(
          owner,
          save.conversationId,
          save.messages.map(({ id }) => id),
        );
        return store.save(owner, save);
      },
    }),
  ],
  [
    'adds a message that is written again',
    'stores a message once when it is written again',
    (store) => {
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
  ],
  [
    'keeps the removed metadata of a replaced message',
    replaced,
    (store) => ({
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
  ],
  [
    'stores the first of two messages with the same id',
    twice,
    writing((messages) =>
      messages.filter(({ id }, index) => messages.findIndex((message) => message.id === id) === index),
    ),
  ],
  [
    'moves a message that a call contains twice to its last position',
    twice,
    writing((messages) =>
      messages.filter(({ id }, index) => messages.findLastIndex((message) => message.id === id) === index),
    ),
  ],
  [
    'identifies messages by their id alone',
    'separates messages with the same id in two conversations',
    (store) => ({
      deleteMessages: async (owner, id, ids) => {
        await store.deleteMessages(owner, 'c-2', ids);
        return store.deleteMessages(owner, id, ids);
      },
    }),
  ],
  [
    'reports no conversation as new',
    firstWrite,
    (store) => ({
      save: async (owner, save) => {
        const answer = await store.save(owner, save);
        return answer === 'not-found' ? answer : { ...answer, isNew: false };
      },
    }),
  ],
  [
    'replaces the fields of a conversation with those of a later write',
    firstWrite,
    (store) => ({
      save: async (owner, save) => {
        const answer = await store.save(owner, save);
        if (save.create) await store.update(owner, save.conversationId, save.create);
        return answer;
      },
    }),
  ],
  [
    'creates a conversation only with its first message',
    'creates a conversation with a write of no messages',
    (store) => ({
      save: async (owner, { create, ...save }) =>
        store.save(owner, save.messages.length > 0 && create !== undefined ? { ...save, create } : save),
    }),
  ],
  [
    'returns messages in the requested order',
    found,
    (store) => ({
      findMessages: async (owner, id, ids, maxBytes) => {
        const messages = await store.findMessages(owner, id, ids, maxBytes);
        return ids.flatMap((wanted) => messages.filter((message) => message.id === wanted));
      },
    }),
  ],
  [
    'finds no messages when one of them is unknown',
    found,
    (store) => ({
      findMessages: async (owner, id, ids, maxBytes) => {
        const messages = await store.findMessages(owner, id, ids, maxBytes);
        return messages.length === ids.length ? messages : [];
      },
    }),
  ],
  ['reports all requested messages as deleted', deleted, deletingMessages((asked) => asked)],
  [
    'returns deleted ids in the requested order',
    deleted,
    deletingMessages((asked, gone) => asked.filter((id) => gone.includes(id))),
  ],
  [
    'returns an empty list for the messages of an unknown conversation',
    deleted,
    (store) => ({ deleteMessages: async (owner, id, ids) => (await store.deleteMessages(owner, id, ids)) ?? [] }),
  ],
  [
    'deletes a conversation with its last message',
    'adds messages after the last one when all before it were deleted',
    (store) => ({
      deleteMessages: async (owner, id, ids) => {
        const gone = await store.deleteMessages(owner, id, ids);
        const left = await store.messages(owner, id, whole);
        if (left?.messages.length === 0) await store.delete(owner, id);
        return gone;
      },
    }),
  ],
  [
    'writes a thousand messages at most',
    'writes, finds and deletes thousands of messages in one call',
    writing((messages) => messages.slice(0, 1_000)),
  ],
  ['drops nothing', dropped, (store) => ({ save: (owner, { dropAfter: _left, ...save }) => store.save(owner, save) })],
  [
    'also drops the message after which it should drop',
    dropped,
    (store) => ({
      save: async (owner, save) => {
        const answer = await store.save(owner, save);
        if (save.dropAfter !== undefined) await store.deleteMessages(owner, save.conversationId, [save.dropAfter]);
        return answer;
      },
    }),
  ],
  ['does not return the dropped ids', dropped, answering((answer) => ({ ...answer, dropped: [] }))],
  [
    'drops the messages that the same write wrote',
    'has the same result when the same write with a deletion is repeated',
    saysAllDropped,
  ],
  ['reports messages as dropped that the write contains', broughtBack, saysAllDropped],
  [
    'keeps the place of a dropped message that the write contains',
    broughtBack,
    (store) => ({
      save: async (owner, { dropAfter, ...save }) => {
        const ids = (await store.messages(owner, save.conversationId, whole))?.messages.map(({ id }) => id) ?? [];
        const isBack = new Set(save.messages.map(({ id }) => id));
        const from = dropAfter === undefined ? -1 : ids.indexOf(dropAfter);
        const gone = from < 0 ? [] : ids.slice(from + 1).filter((id) => !isBack.has(id));
        await store.deleteMessages(owner, save.conversationId, gone);
        const answer = await store.save(owner, save);
        return answer === 'not-found' ? answer : { ...answer, dropped: gone };
      },
    }),
  ],
  [
    'drops all messages after an unknown message',
    notThere,
    (store) => ({
      save: async (owner, save) => {
        const ids = (await store.messages(owner, save.conversationId, whole))?.messages.map(({ id }) => id) ?? [];
        const isUnknown = save.dropAfter !== undefined && !ids.includes(save.dropAfter);
        if (isUnknown) await store.deleteMessages(owner, save.conversationId, ids);
        const answer = await store.save(owner, save);
        return answer === 'not-found' || !isUnknown ? answer : { ...answer, dropped: ids };
      },
    }),
  ],
  [
    'drops nothing in a write without messages',
    'deletes the messages after a message also in a write without messages, or with a conversation to create',
    (store) => ({
      save: (owner, { dropAfter, ...save }) =>
        store.save(owner, save.messages.length > 0 && dropAfter !== undefined ? { ...save, dropAfter } : save),
    }),
  ],
];

/** Reads only `messages` of the conversation. */
export function reading(
  change: (messages: readonly StoredMessage[], filter: MessageFilter) => readonly StoredMessage[],
): ConversationFault[2] {
  return (store) => ({
    messages: async (owner, id, filter) => {
      const answer = await store.messages(owner, id, filter);
      return answer && { ...answer, messages: change(answer.messages, filter) };
    },
  });
}

export function writing(change: (messages: readonly Message[]) => readonly Message[]): ConversationFault[2] {
  return (store) => ({ save: (owner, save) => store.save(owner, { ...save, messages: change(save.messages) }) });
}

type Answer = Exclude<Awaited<ReturnType<ConversationStore['save']>>, string>;

function answering(change: (answer: Answer) => Answer): ConversationFault[2] {
  return (store) => ({
    save: async (owner, save) => {
      const answer = await store.save(owner, save);
      return answer === 'not-found' ? answer : change(answer);
    },
  });
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

function deletingMessages(
  report: (asked: readonly string[], gone: readonly string[]) => readonly string[],
): ConversationFault[2] {
  return (store) => ({
    deleteMessages: async (owner, id, ids) => {
      const gone = await store.deleteMessages(owner, id, ids);
      return gone && report(ids, gone);
    },
  });
}

function rounded(message: StoredMessage): StoredMessage {
  return { ...message, createdAt: Math.floor(message.createdAt / 10) * 10 };
}
