import type { JsonValue } from '@halyard/contracts';
import { type FaultTable, pause } from '../faults.ts';
import type { WorkingMemoryFault } from './working-memory-faults.ts';

/** Faults of working memory when its conversation is copied or deleted. */
export const clonedMemoryFaults: FaultTable<WorkingMemoryFault> = {
  // Keeps the working memory of deleted conversations.
  'deletes the content of a deleted conversation, and keeps that of its user': ({ workingMemory, conversations }) => {
    const left = new Map<string, JsonValue>();
    return {
      conversations: {
        delete: async (owner, id) => {
          const content = await workingMemory.read(owner, { scope: 'conversation', conversationId: id });
          if (content !== undefined) left.set(id, content);
          return conversations.delete(owner, id);
        },
        create: async (conversation) => {
          const created = await conversations.create(conversation);
          const key = { scope: 'conversation', conversationId: conversation.id } as const;
          await workingMemory.update('anyone', key, () => left.get(conversation.id));
          return created;
        },
      },
    };
  },
  // Clears the working memory of a conversation whose messages are deleted.
  'keeps the content when its conversation is updated or written to': ({ workingMemory, conversations }) => ({
    conversations: {
      deleteMessages: async (owner, id, ids) => {
        await workingMemory.update(owner, { scope: 'conversation', conversationId: id }, () => undefined);
        return conversations.deleteMessages(owner, id, ids);
      },
    },
  }),
  // Copies no working memory without messages.
  'copies the content with its conversation, with or without messages, and keeps both independent': ({
    workingMemory,
    conversations,
  }) => ({
    conversations: {
      clone: async (owner, clone) => {
        const answer = await conversations.clone(owner, clone);
        const key = { scope: 'conversation', conversationId: clone.newId } as const;
        if (!clone.includeMessages) await workingMemory.update(owner, key, () => undefined);
        return answer;
      },
    },
  }),
  // Gives a copy the working memory of its user.
  'has no content in the copy of a conversation without content': ({ workingMemory, conversations }) => ({
    conversations: {
      clone: async (owner, clone) => {
        const answer = await conversations.clone(owner, clone);
        const content = await workingMemory.read(owner, { scope: 'user', userId: 'ada' });
        await workingMemory.update(owner, { scope: 'conversation', conversationId: clone.newId }, () => content);
        return answer;
      },
    },
  }),
  // Checks for a conversation, and writes its working memory later.
  'stores nothing of a conversation that is deleted during a change': ({ workingMemory }) => {
    const left = new Map<string, JsonValue>();
    return {
      workingMemory: {
        update: async (owner, key, change) => {
          const content = await workingMemory.read(owner, key);
          await pause();
          const isWritten = await workingMemory.update(owner, key, change);
          const made = isWritten ? undefined : change(content);
          if (made !== undefined) left.set(JSON.stringify(key), made);
          return isWritten;
        },
        read: async (owner, key) => (await workingMemory.read(owner, key)) ?? left.get(JSON.stringify(key)),
      },
    };
  },
};
