import type { ConversationStore, MessagePart, PartsSave } from '@halyard/contracts';
import { type ConversationFault, pause } from './conversation-fault.ts';

const someParts = 'writes some parts of a message, and returns it with all of them';
const refused = 'refuses parts when somebody else has written the message since, or it does not exist';
const replaced = 'replaces parts when the whole message is written, and deletes them with it';
const copied = 'copies and lists a message with the parts that were written';
const ofOwner = 'writes no parts to a conversation of another owner';
const kinds = 'returns parts of all kinds, with any text, as they were when they were written';
const mixed = 'never mixes the parts of two writers';

/** Faults of writing some parts of a message. */
export const partFaults: readonly ConversationFault[] = [
  ['forgets the parts that are not given', someParts, changed((save) => ({ ...save, length: save.parts.length }))],
  [
    'keeps the parts after the last',
    someParts,
    (store) => {
      let longest = 0;
      return {
        saveParts: async (owner, save) => {
          longest = Math.max(longest, save.length);
          const isWhole = save.parts.length === save.length;
          return saved(store, owner, isWhole ? save : { ...save, length: longest });
        },
      };
    },
  ],
  ['keeps the metadata', someParts, changed((save) => ({ ...save, metadata: save.metadata ?? { a: 1 } }))],
  [
    'moves the message to the end',
    someParts,
    (store) => ({
      saveParts: async (owner, save) => {
        const [message] = await store.findMessages(owner, save.conversationId, [save.messageId]);
        if (message === undefined) return false;
        await store.deleteMessages(owner, save.conversationId, [save.messageId]);
        await store.save(owner, { conversationId: save.conversationId, messages: [message] });
        return saved(store, owner, { ...save, ...wholeOf(message.parts, save) });
      },
    }),
  ],
  ['takes parts from any writer', refused, (store) => ({ saveParts: (owner, save) => saveMerged(store, owner, save) })],
  [
    'answers that it has written what it has not',
    refused,
    (store) => ({
      saveParts: async (owner, save) => {
        await saved(store, owner, save);
        return true;
      },
    }),
  ],
  [
    'keeps parts when the whole message is written',
    replaced,
    (store) => {
      const written = new Map<string, PartsSave>();
      return {
        saveParts: async (owner, save) => {
          written.set(save.messageId, save);
          return saved(store, owner, save);
        },
        save: async (owner, save) => {
          const outcome = await store.save(owner, save);
          for (const { id } of save.messages) {
            const parts = written.get(id);
            if (parts !== undefined) await saved(store, owner, parts);
          }
          return outcome;
        },
      };
    },
  ],
  [
    'copies a message without its new parts',
    copied,
    (store) => {
      const first = new Map<string, readonly MessagePart[]>();
      return {
        saveParts: async (owner, save) => {
          const [message] = await store.findMessages(owner, save.conversationId, [save.messageId]);
          if (message !== undefined) first.set(save.messageId, message.parts);
          return saved(store, owner, save);
        },
        clone: async (owner, clone) => {
          const cloned = await store.clone(owner, clone);
          const page = await store.messages(owner, clone.newId, { limit: 10 });
          const messages = (page?.messages ?? []).map((message) => ({
            ...message,
            parts: [...([...first.values()].at(-1) ?? message.parts)],
          }));
          await store.save(owner, { conversationId: clone.newId, messages });
          return cloned;
        },
      };
    },
  ],
  ['writes parts for every user', ofOwner, (store) => ({ saveParts: (_, save) => saved(store, 'anyone', save) })],
  [
    'loses characters of parts',
    kinds,
    changed((save) => ({
      ...save,
      parts: save.parts.map(({ part, place }) => ({
        place,
        part: part.type === 'text' ? { ...part, text: part.text.replaceAll('\0', '') } : part,
      })),
    })),
  ],
  [
    'checks the writer of a message, and writes its parts later',
    mixed,
    (store) => ({
      saveParts: async (owner, save) => {
        await pause();
        return saveMerged(store, owner, save);
      },
    }),
  ],
];

function changed(change: (save: PartsSave) => PartsSave): ConversationFault[2] {
  return (store) => ({ saveParts: (owner, save) => saved(store, owner, change(save)) });
}

async function saved(
  store: ConversationStore,
  owner: Parameters<ConversationStore['save']>[0],
  save: PartsSave,
): Promise<boolean> {
  return (await store.saveParts?.(owner, save)) ?? false;
}

/** Writes all parts, whoever has written those that are not given. */
async function saveMerged(
  store: ConversationStore,
  owner: Parameters<ConversationStore['save']>[0],
  save: PartsSave,
): Promise<boolean> {
  const [message] = await store.findMessages(owner, save.conversationId, [save.messageId]);
  return message !== undefined && saved(store, owner, { ...save, ...wholeOf(message.parts, save) });
}

function wholeOf(stored: readonly MessagePart[], { length, parts }: PartsSave): Pick<PartsSave, 'length' | 'parts'> {
  const whole = stored.slice(0, length).map((part, place) => ({ part, place }));
  for (const placed of parts) whole[placed.place] = placed;
  return { length: whole.length, parts: whole };
}
