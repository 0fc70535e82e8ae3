import type { AgentId, Client } from '@halyard/client';
import { useCallback, useEffect, useState } from 'react';
import { openConversation } from './open-conversation.ts';

export interface ListedConversation {
  readonly id: string;
  readonly title: string;
  readonly updatedAt: string;
}

export interface Conversations {
  /** Undefined until they are loaded. */
  readonly list: readonly ListedConversation[] | undefined;
  readonly problem: string | undefined;
  /** Shows a conversation that the server does not list yet. */
  readonly add: (id: string, title: string) => void;
  /** Loads the list again, until the server has made up a title. */
  readonly refresh: (id: string) => Promise<void>;
  readonly rename: (id: string, title: string) => Promise<void>;
  readonly remove: (id: string, isOpen: boolean) => Promise<void>;
}

/** The server makes up a title after the first answer. */
const waitsForTitleMs = [0, 500, 1_500, 3_000];

/** The conversations of the user with an agent, newest first. */
export function useConversations<App>(
  client: Client<App>,
  agentId: AgentId<App>,
  userId: string | undefined,
): Conversations {
  const [list, setList] = useState<readonly ListedConversation[]>();
  const [problem, setProblem] = useState<string>();

  const load = useCallback(async () => {
    try {
      const { conversations } = await client.conversations.list({
        agentId,
        resourceId: agentId,
        limit: 100,
        orderBy: 'updated_at',
        ...(userId !== undefined && { userId }),
      });
      setList((known = []) =>
        conversations.map((one) => ({
          ...one,
          title: one.title || (known.find(({ id }) => id === one.id)?.title ?? ''),
        })),
      );
      setProblem(undefined);
      return conversations;
    } catch {
      setProblem('Your conversations cannot be loaded.');
      return undefined;
    }
  }, [agentId, client, userId]);
  useEffect(() => void load(), [load]);

  return {
    list,
    problem,
    add: (id, title) =>
      setList((known = []) =>
        known.some((one) => one.id === id) ? known : [{ id, title, updatedAt: new Date().toISOString() }, ...known],
      ),
    refresh: useCallback(
      async (id) => {
        for (const waitMs of waitsForTitleMs) {
          await new Promise((resolve) => setTimeout(resolve, waitMs));
          const conversations = await load();
          if (conversations !== undefined && conversations.find((one) => one.id === id)?.title !== '') return;
        }
      },
      [load],
    ),
    rename: async (id, title) => {
      try {
        await client.conversations.update(id, { title });
      } catch {
        setProblem('The conversation cannot be renamed.');
        return;
      }
      await load();
    },
    remove: async (id, isOpen) => {
      // First, so that the page reads nothing more of the conversation.
      if (isOpen) openConversation();
      try {
        await client.conversations.delete(id, { agentId, ...(userId !== undefined && { userId }) });
      } catch {
        setProblem('The conversation cannot be deleted.');
        return;
      }
      await load();
    },
  };
}
