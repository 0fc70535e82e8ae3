import type { ConversationStore, Message, MessageSave, Owner, StoredMessage } from '@halyard/contracts';
import { type ConversationFault, pause, whole } from './conversation-fault.ts';

const whoever = 'lets one of two people have an id when both make a conversation of it at the same time';

/** Faults that show when several calls run at the same time, or one fails. */
export const raceFaults: readonly ConversationFault[] = [
  [
    'reads all messages of a conversation, and writes them back with the new ones',
    'keeps all of parallel writes to one conversation, the messages of each together',
    (store) => ({
      save: async (owner, save) => {
        const before = (await store.messages(owner, save.conversationId, whole))?.messages ?? [];
        await pause();
        const answer = await store.save(owner, save);
        const known = new Set([...before, ...save.messages].map(({ id }) => id));
        const lost = (await idsOf(store, owner, save)).filter((id) => !known.has(id));
        await store.deleteMessages(owner, save.conversationId, lost);
        return answer;
      },
    }),
  ],
  [
    'writes the messages of a call one by one, among those of others',
    'keeps all of parallel writes to one conversation, the messages of each together',
    oneByOne,
  ],
  ['shows what it is about to write', 'shows all that a call wrote, or nothing of it', oneByOne],
  ['leaves what it wrote before a call failed', 'writes nothing of a call that fails', oneByOne],
  [
    'takes for new what was not there when it looked',
    'makes a conversation once when parallel writes make it, and keeps what each brings',
    (store) => ({
      save: async (owner, save) => {
        const isFree = !(await store.isTaken(save.conversationId));
        await pause();
        const answer = await store.save(owner, save);
        return answer === 'not-found' ? answer : { ...answer, isNew: isFree };
      },
    }),
  ],
  [
    'finds no conversation when another write has just made it',
    'makes a conversation once when parallel writes make it, and keeps what each brings',
    (store) => ({
      save: async (owner, save) => {
        const isFree = !(await store.isTaken(save.conversationId));
        await pause();
        const answer = await store.save(owner, save);
        return isFree && answer !== 'not-found' && !answer.isNew ? 'not-found' : answer;
      },
    }),
  ],
  [
    'looks at the owner before it makes a conversation, and not when it writes',
    whoever,
    (store) => ({
      save: async (owner, save) => {
        const isFree = !(await store.isTaken(save.conversationId));
        await pause();
        return store.save(isFree ? 'anyone' : owner, save);
      },
    }),
  ],
  [
    'drops messages in one write, and adds others in the next',
    'shows what was there or what replaced it, and never neither',
    (store) => ({
      save: async (owner, save) => {
        await store.save(owner, { ...save, messages: [] });
        await pause();
        return store.save(owner, save);
      },
    }),
  ],
  [
    'looks whether a message is there before it adds it',
    'keeps one message of parallel writes of one id, in whatever order they write',
    (store) => {
      let copies = 0;
      const named = (message: Message): Message => ({ ...message, id: message.id.split(' copy')[0] ?? '' });
      return {
        save: async (owner, save) => {
          const isThere = new Set(await idsOf(store, owner, save));
          copies += 1;
          const number = copies;
          for (let turns = 0; turns < number; turns += 1) await pause();
          const now = new Set(await idsOf(store, owner, save));
          const messages = save.messages.map((message) => ({
            ...message,
            id: now.has(message.id) && !isThere.has(message.id) ? `${message.id} copy ${number}` : message.id,
          }));
          return store.save(owner, { ...save, messages });
        },
        messages: async (owner, id, filter) => {
          const answer = await store.messages(owner, id, filter);
          const messages = answer?.messages.map((message) => ({ ...message, ...named(message) })) ?? [];
          return answer && { ...answer, messages };
        },
      };
    },
  ],
  [
    'locks the messages that it writes one by one',
    'keeps one message of parallel writes of one id, in whatever order they write',
    oneByOne,
  ],
  [
    'reads what it will drop before it drops it',
    'says of each dropped message once that it was dropped when parallel writes drop it',
    (store) => ({
      save: async (owner, save) => {
        const ids = await idsOf(store, owner, save);
        await pause();
        const answer = await store.save(owner, save);
        const from = save.dropAfter === undefined ? -1 : ids.indexOf(save.dropAfter);
        return answer === 'not-found' || from < 0 ? answer : { ...answer, dropped: ids.slice(from + 1) };
      },
    }),
  ],
  [
    'reads which messages are there before it deletes them',
    'deletes each message once when parallel calls delete it',
    (store) => ({
      deleteMessages: async (owner, id, ids) => {
        const found = await store.findMessages(owner, id, ids);
        await pause();
        const deleted = await store.deleteMessages(owner, id, ids);
        return deleted && found.map((message) => message.id);
      },
    }),
  ],
  [
    'writes messages of a conversation that was there when it looked',
    'leaves no message of a conversation that is deleted while it is written to',
    (store) => {
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
  ],
  [
    'copies a conversation while its messages change',
    'goes on with all of them when many things happen to many conversations at once',
    (store) => {
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
  ],
];

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
