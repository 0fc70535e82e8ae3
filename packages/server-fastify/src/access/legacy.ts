import type { RouteLists, Rules } from './policy.ts';
import { matchesAny, parsePatterns } from './route-pattern.ts';

/** Management, documents, discovery and the test channel, which are public with any options. */
const alwaysPublic = [
  'GET /agents',
  'GET /agents/:id',
  'GET /workflows',
  'GET /workflows/:id',
  'GET /tools',
  'GET /agents/:id/history',
  'GET /workflows/executions',
  'GET /workflows/:id/executions/:executionId/state',
  'GET /',
  'GET /doc',
  'GET /ui',
  'GET /agents/:id/card',
  'GET /mcp/servers',
  'GET /mcp/servers/:serverId',
  'GET /mcp/servers/:serverId/tools',
  'WS /ws',
];

/**
 * Routes that run agents, tools and workflows, the memory, and the lists and responses of a user.
 */
const usersOnly = [
  'POST /agents/:id/text',
  'POST /agents/:id/stream',
  'POST /agents/:id/chat',
  'GET /agents/:id/chat/:conversationId/stream',
  'POST /agents/:id/chat/:conversationId/stop',
  'POST /agents/:id/feedback',
  'POST /agents/:id/object',
  'POST /agents/:id/stream-object',
  'POST /tools/:name/execute',
  'POST /workflows/:id/run',
  'POST /workflows/:id/execute',
  'POST /workflows/:id/stream',
  '/api/memory/**',
  'GET /api/executions',
  '/api/approvals/**',
  'WS /ws/approvals',
];

/** Routes whose messages may run agents, tools and workflows, or only ask what there is. */
const callsOfUsers = ['POST /mcp/:serverId'];

/**
 * The rules of legacy mode: public routes first, then routes that need a token, then the remaining
 * console routes (observability, logs, updates) and those for operators, which accept the key or a
 * token. All other routes are open unless `defaultPrivate`; MCP only for messages that run nothing.
 */
export function legacyRules(lists: Omit<RouteLists, 'console' | 'shared'>, defaultPrivate: boolean): Rules {
  const open = parsePatterns(lists.public, 'auth.publicRoutes');
  const alwaysOpen = parsePatterns([...alwaysPublic, ...lists.alwaysPublic], 'auth.publicRoutes');
  const users = parsePatterns(usersOnly, 'auth.provider');
  const calls = parsePatterns(callsOfUsers, 'auth.provider');
  const operator = parsePatterns(lists.operator, 'auth.consoleRoutes');
  const console = parsePatterns(lists.defaultConsole, 'auth.consoleRoutes');
  return (route) => {
    if (route.url === undefined) return defaultPrivate ? 'console-or-user' : 'public';
    if (matchesAny(open, route)) return 'public';
    if (route.isBelowPrefix) {
      if (matchesAny(alwaysOpen, route)) return 'public';
      if (matchesAny(users, route)) return 'user';
      if (matchesAny(console, route)) return 'console-or-user';
      if (!defaultPrivate && matchesAny(calls, route)) return 'calls-of-users';
      if (matchesAny(operator, route)) return 'console-or-user';
    }
    return defaultPrivate ? 'user' : 'open';
  };
}
