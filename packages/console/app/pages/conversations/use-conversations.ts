import { type Pages, usePages } from '../../ui/use-pages.ts';
import { type Conversation, readConversations } from './memory-api.ts';

export interface ConversationSearch {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly q?: string | undefined;
  readonly order?: string | undefined;
  readonly direction?: string | undefined;
}

const pageSize = 100;

/** Components that ask for the same read it once. */
export function useConversations({ agentId, direction, order, userId }: ConversationSearch): Pages<Conversation> {
  return usePages(
    ['conversations', 'list', { agentId, direction, order, userId }],
    async (offset, signal) => {
      const query = {
        ...(agentId !== undefined && { agentId }),
        ...(userId !== undefined && { userId }),
        ...(order !== undefined && { orderBy: order as 'created_at' | 'title' }),
        ...(direction !== undefined && { orderDirection: direction }),
        limit: pageSize,
        offset,
      };
      const { conversations, total } = await readConversations(query, signal);
      return { rows: conversations, total, hasMore: offset + conversations.length < total };
    },
    ({ id }) => id,
  );
}
