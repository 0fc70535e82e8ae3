import { executionRoutes } from './executions.ts';

interface View {
  readonly url: string;
  readonly tier: 'console' | 'user';
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
}

/**
 * Routes that only read, for the other credential, by the operation of the original. Handlers and
 * ownership are those of the original.
 */
const views: Readonly<Record<string, View>> = {
  listExecutions: {
    url: '/api/executions',
    tier: 'user',
    tag: 'Workflows',
    operationId: 'listOwnExecutions',
    summary: 'List your own executions, newest first',
  },
  followExecution: {
    url: '/observability/workflows/:id/executions/:executionId/stream',
    tier: 'console',
    tag: 'Observability',
    operationId: 'viewExecutionEvents',
    summary: 'Follow the events of an execution of any user until it is suspended or ends',
  },
};

export const executionViewRoutes = executionRoutes.flatMap((route) => {
  const view = views[route.operationId];
  return view === undefined ? [] : [{ ...route, ...view, takesTicket: false }];
});
