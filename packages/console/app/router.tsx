import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { playgroundSearch } from './pages/playground/playground-search.ts';
import { startReadingTrace } from './pages/traces/trace-query.ts';
import { traceFilters } from './pages/traces/trace-search.ts';
import { lazyPage } from './shell/lazy-page.ts';
import { LoadingPage } from './shell/loading-page.tsx';
import { MissingPage } from './shell/missing-page.tsx';
import { RouteError } from './shell/route-error.tsx';
import { Shell } from './shell/shell.tsx';
import { listSearch, periodSearch, timeSearch } from './ui/search-params.ts';

/*
 * Each page is loaded when it is first opened. Its search parameters hold the state of its list, so that a link can be shared.
 */
const root = createRootRoute({ component: Shell, notFoundComponent: MissingPage, errorComponent: RouteError });

const overviewPage = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search) => ({ ...listSearch(search, ['by', 'show']), ...periodSearch(search) }),
  component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const approvalsPage = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  validateSearch: (search) => listSearch(search, ['id', 'kind']),
  component: lazyPage(() => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage'),
});

const grantsPage = createRoute({
  getParentRoute: () => root,
  path: '/approvals/grants',
  component: lazyPage(() => import('./pages/approvals/grants-page.tsx'), 'GrantsPage'),
});

const agentsPage = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyPage(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
});

const agentPage = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: (search) => listSearch(search, ['tab']),
  component: lazyPage(() => import('./pages/agents/agent-page.tsx'), 'AgentPage'),
});

const playgroundPage = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: playgroundSearch,
  component: lazyPage(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
});

const trialPage = createRoute({
  getParentRoute: () => root,
  path: '/try',
  validateSearch: (search) => listSearch(search, ['span']),
  component: lazyPage(() => import('./pages/trial/trial-page.tsx'), 'TrialPage'),
});

const toolsPage = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: (search) => listSearch(search, ['q']),
  component: lazyPage(() => import('./pages/tools/tools-page.tsx'), 'ToolsPage'),
});

const toolPage = createRoute({
  getParentRoute: () => root,
  path: '/tools/$toolName',
  component: lazyPage(() => import('./pages/tools/tool-page.tsx'), 'ToolPage'),
});

const workflowsPage = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  component: lazyPage(() => import('./pages/workflows/workflows-page.tsx'), 'WorkflowsPage'),
});

const workflowPage = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$workflowId',
  validateSearch: (search) => listSearch(search, ['tab', 'step', 'like']),
  component: lazyPage(() => import('./pages/workflows/workflow-page.tsx'), 'WorkflowPage'),
});

const executionsPage = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  validateSearch: (search) => ({
    ...listSearch(search, ['workflowId', 'status', 'quarantined', 'userId', 'metadata', 'bulk']),
    ...timeSearch(search),
  }),
  component: lazyPage(() => import('./pages/executions/executions-page.tsx'), 'ExecutionsPage'),
});

const executionPage = createRoute({
  getParentRoute: () => root,
  path: '/executions/$workflowId/$executionId',
  validateSearch: (search) => listSearch(search, ['tab', 'step', 'parent', 'at']),
  component: lazyPage(() => import('./pages/executions/execution-page.tsx'), 'ExecutionPage'),
});

const comparePage = createRoute({
  getParentRoute: () => root,
  path: '/compare/$workflowId',
  validateSearch: (search) => listSearch(search, ['left', 'right']),
  component: lazyPage(() => import('./pages/executions/compare-page.tsx'), 'ComparePage'),
});

const tracesPage = createRoute({
  getParentRoute: () => root,
  path: '/traces',
  validateSearch: traceFilters,
  component: lazyPage(() => import('./pages/traces/traces-page.tsx'), 'TracesPage'),
});

const runsPage = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: (search) =>
    listSearch(search, ['entityType', 'entityId', 'model', 'entry', 'userId', 'status', 'from', 'to']),
  component: lazyPage(() => import('./pages/traces/runs-page.tsx'), 'RunsPage'),
});

const failuresPage = createRoute({
  getParentRoute: () => root,
  path: '/failures',
  validateSearch: periodSearch,
  component: lazyPage(() => import('./pages/failures/failures-page.tsx'), 'FailuresPage'),
});

const tracePage = createRoute({
  getParentRoute: () => root,
  path: '/traces/$traceId',
  validateSearch: (search) => ({ ...listSearch(search, ['span', 'tab', 'view']), ...traceFilters(search) }),
  loader: ({ params }) => startReadingTrace(params.traceId),
  component: lazyPage(() => import('./pages/traces/trace-page.tsx'), 'TracePage'),
});

const conversationsPage = createRoute({
  getParentRoute: () => root,
  path: '/conversations',
  validateSearch: (search) => listSearch(search, ['userId', 'agentId', 'q', 'order', 'direction']),
  component: lazyPage(() => import('./pages/conversations/conversations-page.tsx'), 'ConversationsPage'),
});

const conversationPage = createRoute({
  getParentRoute: () => root,
  path: '/conversations/$conversationId',
  validateSearch: (search) => listSearch(search, ['agentId', 'tab', 'message']),
  component: lazyPage(() => import('./pages/conversations/conversation-page.tsx'), 'ConversationPage'),
});

const userPage = createRoute({
  getParentRoute: () => root,
  path: '/users/$userId',
  validateSearch: (search) => listSearch(search, ['agentId', 'tab']),
  component: lazyPage(() => import('./pages/conversations/user-page.tsx'), 'UserPage'),
});

const logsPage = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  validateSearch: (search) => ({ ...listSearch(search, ['console', 'level', 'q', 'traceId']), ...timeSearch(search) }),
  component: lazyPage(() => import('./pages/logs/logs-page.tsx'), 'LogsPage'),
});

const webhooksPage = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: (search) => listSearch(search, ['status', 'url']),
  component: lazyPage(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const auditPage = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: (search) => ({ ...listSearch(search, ['actor', 'action', 'target']), ...timeSearch(search) }),
  component: lazyPage(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

const systemPage = createRoute({
  getParentRoute: () => root,
  path: '/system',
  validateSearch: (search) => listSearch(search, ['tab']),
  component: lazyPage(() => import('./pages/system/system-page.tsx'), 'SystemPage'),
});

const routeTree = root.addChildren([
  overviewPage,
  approvalsPage,
  grantsPage,
  agentsPage,
  agentPage,
  playgroundPage,
  trialPage,
  toolsPage,
  toolPage,
  workflowsPage,
  workflowPage,
  executionsPage,
  executionPage,
  comparePage,
  tracesPage,
  tracePage,
  runsPage,
  failuresPage,
  conversationsPage,
  conversationPage,
  userPage,
  logsPage,
  webhooksPage,
  auditPage,
  systemPage,
]);

export const router = createRouter({
  routeTree,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
