import type { ConversationStore, Message, MessageSave, Owner, StoredMessage } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import { type ConversationFault, whole } from './conversation-fault.ts';

/** Faults of concurrent and of failing calls. */
export const raceFaults: FaultTable<ConversationFault> = {
  'stores all concurrent writes to one conversation, and the messages of each write together': oneByOne,
  'shows a write completely or not at all': oneByOne,
  'writes nothing when a call fails': oneByOne,
  // Adds a message that a concurrent write has added.
  'creates a conversation once when concurrent writes create it, and stores the messages of each': (store) => ({
    save: async (owner, save) => {
      const isFree = !(await store.isTaken(save.conversationId));
      await pause();
      const answer = await store.save(owner, save);
      return answer === 'not-found' ? answer : { ...answer, isNew: isFree };
    },
  }),
  // Checks the owner before it creates a conversation, but not when it writes.
  'gives an id to one of two users who create a conversation with it concurrently': (store) => ({
    save: async (owner, save) => {
      const isFree = !(await store.isTaken(save.conversationId));
      await pause();
      return store.save(isFree ? 'anyone' : owner, save);
    },
  }),
  // Drops messages in one write, and adds others in the next.
  'shows either the replaced or the new messages, and never none': (store) => ({
    save: async (owner, save) => {
      await store.save(owner, { ...save, messages: [] });
      await pause();
      return store.save(owner, save);
    },
  }),
  'stores one message when concurrent writes use one id, in any order': oneByOne,
  // Reads the messages to drop, and drops them later.
  'reports each dropped message once when concurrent writes drop it': (store) => ({
    save: async (owner, save) => {
      const ids = await idsOf(store, owner, save);
      await pause();
      const answer = await store.save(owner, save);
      const from = save.dropAfter === undefined ? -1 : ids.indexOf(save.dropAfter);
      return answer === 'not-found' || from < 0 ? answer : { ...answer, dropped: ids.slice(from + 1) };
    },
  }),
  // Reads the messages to delete, and deletes them later.
  'deletes each message once when concurrent calls delete it': (store) => ({
    deleteMessages: async (owner, id, ids) => {
      const found = await store.findMessages(owner, id, ids);
      await pause();
      const deleted = await store.deleteMessages(owner, id, ids);
      return deleted && found.map((message) => message.id);
    },
  }),
  // Checks for a conversation, and writes its messages later.
  'stores no message of a conversation that is deleted during a write': (store) => {
    const left = new Map<string, readonly Message[]>();
    return {
      save: async (owner, save) => {
        const isThere = await store.isTaken(save.conversationId);
        await pause();
        const answer = await store.save(owner, save);
        if (isThere && answer === 'not-found') left.set(save.conversationId, save.messages);
        return answer;
      },
      messages: async (owner, id, filter) => {
        const answer = await store.messages(owner, id, filter);
        const orphans = (left.get(id) ?? []).map((message): StoredMessage => ({ ...message, createdAt: 0 }));
        return answer && { ...answer, messages: [...orphans, ...answer.messages] };
      },
    };
  },
  // Copies a conversation while its messages change.
  'completes many concurrent operations on many conversations': (store) => {
    let isBusy = false;
    return {
      clone: async (owner, clone) => {
        if (isBusy) return 'not-found';
        isBusy = true;
        await pause();
        isBusy = false;
        return store.clone(owner, clone);
      },
    };
  },
};

function oneByOne(store: ConversationStore): Partial<ConversationStore> {
  return {
    save: async (owner, { messages: [first, ...rest], ...save }) => {
      const answer = await store.save(owner, { ...save, messages: first ? [first] : [] });
      for (const message of rest) {
        await pause();
        await store.save(owner, { conversationId: save.conversationId, messages: [message] });
      }
      return answer;
    },
  };
}

async function idsOf(
  store: ConversationStore,
  owner: Owner,
  { conversationId }: MessageSave,
): Promise<readonly string[]> {
  return (await store.messages(owner, conversationId, whole))?.messages.map(({ id }) => id) ?? [];
}
