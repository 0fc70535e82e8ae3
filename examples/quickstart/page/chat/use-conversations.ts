import { useCallback, useEffect, useState } from 'react';
import { type Conversation, deleteConversation, listConversations, renameConversation } from './conversations.ts';

export interface Conversations {
  /** Undefined while they are loaded. */
  readonly list: readonly Conversation[] | undefined;
  readonly problem: string | undefined;
  /** Shows a conversation that the server does not list yet. */
  readonly add: (conversation: Conversation) => void;
  /** Loads the list again until the server has created the title of this conversation. */
  readonly refresh: (conversationId: string) => Promise<void>;
  readonly rename: (conversationId: string, title: string) => Promise<void>;
  readonly remove: (conversationId: string) => Promise<void>;
}

/** The server creates a title in the background after the first answer. */
const waitsForTitleMs = [0, 300, 1_000, 2_000, 4_000];

/** The user's conversations with one agent. */
export function useConversations(agentId: string): Conversations {
  const [list, setList] = useState<readonly Conversation[]>();
  const [problem, setProblem] = useState<string>();

  const load = useCallback(async () => {
    try {
      const found = await listConversations(agentId);
      setList((known = []) => found.map((conversation) => titled(conversation, known)));
      setProblem(undefined);
      return found;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }, [agentId]);
  useEffect(() => void load(), [load]);

  const attempt = async (change: () => Promise<void>): Promise<void> => {
    try {
      await change();
      await load();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    list,
    problem,
    add: (conversation) =>
      setList((known = []) => (known.some(({ id }) => id === conversation.id) ? known : [conversation, ...known])),
    refresh: useCallback(
      async (conversationId) => {
        for (const waitMs of waitsForTitleMs) {
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          const found = (await load())?.find(({ id }) => id === conversationId);
          if (found === undefined || found.title !== '') return;
        }
      },
      [load],
    ),
    rename: (conversationId, title) => attempt(() => renameConversation(agentId, conversationId, title)),
    remove: (conversationId) => attempt(() => deleteConversation(agentId, conversationId)),
  };
}

/** Keeps the title that the page shows until the server has created one. */
function titled(conversation: Conversation, known: readonly Conversation[]): Conversation {
  if (conversation.title !== '') return conversation;
  return { ...conversation, title: known.find(({ id }) => id === conversation.id)?.title ?? '' };
}
