import { queryOptions } from '@tanstack/react-query';
import type { UIMessage } from 'ai';
import { ApiError } from '../../api/client.ts';
import { runApi, readRunData } from '../../api/run-client.ts';
import type { components } from '../../api/schema.ts';

export type Feedback = components['schemas']['Feedback'];

/** Whose conversations: those of the token's user if `userId` is undefined. */
export interface ConversationOwner {
  readonly agentId: string;
  readonly userId: string | undefined;
}

/** The stored messages of a conversation, and the ratings of its replies by their ids. */
export interface StoredChat {
  readonly messages: readonly UIMessage[];
  readonly feedback: Readonly<Record<string, Feedback>>;
}

/** The newest conversations of a user with an agent. */
export const conversationsQuery = ({ agentId, userId }: ConversationOwner, isEnabled: boolean) =>
  queryOptions({
    queryKey: ['playground', 'conversations', agentId, userId],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const query = { agentId, ...(userId !== undefined && { userId }), limit: 50 };
      return (await readRunData(runApi.GET('/api/memory/conversations', { params: { query }, signal }))).conversations;
    },
  });

/** The stored messages of a conversation; none if it does not exist yet. */
export const messagesQuery = ({ agentId, userId }: ConversationOwner, conversationId: string, isEnabled: boolean) =>
  queryOptions({
    queryKey: ['playground', 'messages', agentId, userId, conversationId],
    enabled: isEnabled,
    // The lane goes on from here by itself.
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) => readChat({ agentId, userId }, conversationId, signal),
  });

export async function readChat(
  { agentId, userId }: ConversationOwner,
  conversationId: string,
  signal?: AbortSignal,
): Promise<StoredChat> {
  const query = { agentId, ...(userId !== undefined && { userId }), limit: 1_000, includeFeedback: true };
  const path = { conversationId };
  try {
    const { messages } = await readRunData(
      runApi.GET('/api/memory/conversations/{conversationId}/messages', {
        params: { path, query },
        ...(signal && { signal }),
      }),
    );
    return {
      messages: messages as readonly UIMessage[],
      feedback: Object.fromEntries(messages.flatMap(({ feedback, id }) => (feedback ? [[id, feedback]] : []))),
    };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { messages: [], feedback: {} };
    throw error;
  }
}
