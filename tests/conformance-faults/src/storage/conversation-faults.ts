import type { Conversation, ConversationStore, StoredMessage } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { all, passing, type ConversationFault, returning, setting, whole } from './conversation-fault.ts';

/** Faults of creating, changing, deleting and copying conversations. */
export const conversationFaults: FaultTable<ConversationFault> = {
  'creates a conversation with the given fields and its time, and finds it': returning('find', (found) => ({
    ...found,
    updatedAt: found.updatedAt + 1,
  })),
  // Replaces an existing conversation when it creates one.
  'creates no conversation with an id that any owner uses, and does not change the existing one': (store) => ({
    create: async (conversation) => {
      await store.delete('anyone', conversation.id);
      return store.create(conversation);
    },
  }),
  // Checks an id before it creates a conversation, not atomically.
  'creates one conversation when concurrent calls use one id': (store) => ({
    create: async (conversation) => {
      if (await store.isTaken(conversation.id)) return undefined;
      await pause();
      return (await store.create(conversation)) ?? store.find('anyone', conversation.id);
    },
  }),
  'reports an id as taken when any owner uses it, else as free': () => ({ isTaken: async () => false }),
  // Treats an empty title as absent.
  'updates the title, the whole metadata, or both, and the time of the change': passing(
    'update',
    (owner, id, { title, metadata }) => [owner, id, { ...(title && { title }), ...(metadata && { metadata }) }],
  ),
  // Creates an unknown conversation instead of changing it.
  'updates only the given conversation, and returns undefined for an unknown one': (store) => ({
    update: async (owner, id, change) => {
      await store.create({ id, resourceId: '', userId: '', title: '', metadata: {} });
      return store.update(owner, id, change);
    },
  }),
  // Does not update the time of the last change.
  'updates the time of the last change when a message is written': (store) => {
    const changes = new Map<string, number>();
    const noted = (conversation: Conversation | undefined): Conversation | undefined => {
      if (conversation !== undefined) changes.set(conversation.id, conversation.updatedAt);
      return conversation;
    };
    return {
      create: async (conversation) => noted(await store.create(conversation)),
      find: async (owner, id) => {
        const found = await store.find(owner, id);
        return found && { ...found, updatedAt: changes.get(id) ?? found.updatedAt };
      },
    };
  },
  // Reports every deletion as successful.
  'deletes a conversation with its messages and no other, and frees its id': (store) => ({
    delete: async (owner, id) => {
      await store.delete(owner, id);
      return true;
    },
  }),
  // Checks for a conversation, and deletes it later.
  'reports the deletion to one of several concurrent calls': (store) => ({
    delete: async (owner, id) => {
      const found = await store.find(owner, id);
      await pause();
      await store.delete(owner, id);
      return found !== undefined;
    },
  }),
  // Checks the id of a copy before the original.
  'copies neither to an id that any owner uses nor from an unknown conversation': (store) => ({
    clone: async (owner, clone) => {
      const isThere = await store.isTaken(clone.id);
      const answer = await store.clone(owner, clone);
      return isThere && answer === 'not-found' && (await store.isTaken(clone.newId)) ? 'taken' : answer;
    },
  }),
  'lists nothing when nothing is stored': returning('list', ({ conversations, total }) => ({
    conversations,
    total: Math.max(1, total),
  })),
  'copies a conversation without its messages, or with another title': setting('clone', { includeMessages: true }),
  'copies a conversation with its messages, which get new ids and keep order and times': (store) => ({
    clone: copying(store, (messages) => messages),
  }),
  'copies copies, and makes several copies of one conversation, all with distinct ids': (store) => ({
    clone: copying(store, (messages) => messages.map((message) => ({ ...message, id: `${message.id}'` }))),
  }),
  // Writes to the original instead of its copy.
  'makes a copy that is independent of the original': (store) => {
    const originals = new Map<string, string>();
    return {
      clone: async (owner, clone) => {
        const answer = await store.clone(owner, clone);
        if (typeof answer === 'object') originals.set(clone.newId, clone.id);
        return answer;
      },
      save: async (owner, save) => {
        const original = originals.get(save.conversationId);
        if (original !== undefined) await store.save(owner, { ...save, conversationId: original });
        return store.save(owner, save);
      },
    };
  },
  // Checks the id of a copy before it creates it, not atomically.
  'makes one copy when concurrent calls use one id': (store) => ({
    clone: async (owner, clone) => {
      if (await store.isTaken(clone.newId)) return 'taken';
      await pause();
      const answer = await store.clone(owner, clone);
      if (answer !== 'taken') return answer;
      await store.delete(owner, clone.newId);
      return store.clone(owner, clone);
    },
  }),
  'copies nothing of a conversation with more messages than `maxMessages`, or more bytes than `maxBytes`': (
    ['maxMessages', 'maxBytes'] as const
  ).map((limit) => setting('clone', { [limit]: Infinity })),
};

/** Copies a conversation by writing its messages again. */
function copying(
  store: ConversationStore,
  change: (messages: readonly StoredMessage[]) => readonly StoredMessage[],
): ConversationStore['clone'] {
  return async (owner, clone) => {
    const answer = await store.clone(owner, { ...clone, includeMessages: false });
    const original = await store.messages(owner, clone.id, whole);
    if (typeof answer === 'string' || original === undefined || !clone.includeMessages) return answer;
    const messages = change(original.messages);
    await store.save(owner, { conversationId: clone.newId, messages });
    const { conversations } = await store.list(owner, all);
    const conversation = conversations.find(({ id }) => id === clone.newId) ?? answer.conversation;
    return { conversation, messageCount: messages.length };
  };
}
