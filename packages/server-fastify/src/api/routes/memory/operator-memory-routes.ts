import { conversationRoutes } from './conversations.ts';
import { messageRoutes } from './messages.ts';
import { memorySearchRoutes } from './search.ts';
import { userView } from './users.ts';
import { workingMemoryRoutes } from './working-memory.ts';

const memoryRoutes = [...conversationRoutes, ...messageRoutes, ...workingMemoryRoutes, ...memorySearchRoutes];

const path = '/observability/conversations';

/** The views that the console key can read, by the operation of the user's route. */
const views: Readonly<Record<string, readonly [url: string, operationId: string, summary: string]>> = {
  listConversations: [path, 'viewConversations', 'List the conversations of all users'],
  getConversation: [`${path}/:conversationId`, 'viewConversation', 'Get a conversation of any user'],
  listMessages: [`${path}/:conversationId/messages`, 'viewMessages', 'List the newest messages of a conversation'],
  getWorkingMemory: [
    `${path}/:conversationId/working-memory`,
    'viewWorkingMemory',
    'Get the working memory of a conversation or its user',
  ],
  searchMemory: ['/observability/memory/search', 'viewMemorySearch', 'Search the messages of all users by meaning'],
};

/**
 * The routes of `/api/memory` that only read, for operators with the console key, which names no
 * user and opens no user route. Handlers and ownership are those of the user's routes.
 */
const copies = memoryRoutes.flatMap((route) => {
  const view = views[route.operationId];
  if (view === undefined) return [];
  const [url, operationId, summary] = view;
  return [{ ...route, url, operationId, summary, tier: 'console' as const, tag: 'Observability' }];
});

export const operatorMemoryRoutes = [...copies, userView];
