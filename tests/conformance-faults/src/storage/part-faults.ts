import type { ConversationStore, MessagePart, PartsSave } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import type { ConversationFault } from './conversation-fault.ts';

/** Faults of writing some parts of a message. */
export const partFaults: FaultTable<ConversationFault> = {
  'writes some parts of a message, and returns it with all of them': changed((save) => ({
    ...save,
    length: save.parts.length,
  })),
  'refuses parts when somebody else has written the message since, or it does not exist': (store) => ({
    saveParts: (owner, save) => saveMerged(store, owner, save),
  }),
  // Keeps parts when the whole message is written.
  'replaces parts when the whole message is written, and deletes them with it': (store) => {
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
  // Copies a message without its new parts.
  'copies and lists a message with the parts that were written': (store) => {
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
  'writes no parts to a conversation of another owner': (store) => ({
    saveParts: (_, save) => saved(store, 'anyone', save),
  }),
  // Loses characters of parts.
  'returns parts of all kinds, with any text, as they were when they were written': changed((save) => ({
    ...save,
    parts: save.parts.map(({ part, place }) => ({
      place,
      part: part.type === 'text' ? { ...part, text: part.text.replaceAll('\0', '') } : part,
    })),
  })),
  // Checks the writer of a message, and writes its parts later.
  'never mixes the parts of two writers': (store) => ({
    saveParts: async (owner, save) => {
      await pause();
      return saveMerged(store, owner, save);
    },
  }),
};

function changed(change: (save: PartsSave) => PartsSave): ConversationFault {
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
