import { expect, it } from 'vitest';
import { endpoints } from '../../../../packages/server-fastify/src/api/routes/index.ts';
import { createServerWithInternals } from '../../../../packages/server-fastify/src/create-server.ts';
import {
  readRoutes,
  type RouteRow,
  routeTable,
} from '../../../../packages/server-fastify/src/testing/access-tables.ts';
import { consoleKey, provider, tokenOf } from '../../../../packages/server-fastify/src/testing/credentials.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';
import { inParallel } from '../in-parallel.ts';
import { echoing } from './matrix.ts';

const consoleRoles = {
  support: 'viewer',
  manager: 'operator',
  admin: 'owner',
  desk: { level: 'owner', workflows: ['x1'], agents: ['x1'] },
  local: { level: 'owner', tenant: 'own' },
} as const;
type Role = keyof typeof consoleRoles;

/** Routes that only an owner opens. Other reads are a viewer's, and all else is an operator's. */
const owners = [
  'GET /audit',
  'GET /audit/export',
  'GET /observability/users/:userId/export',
  'POST /updates',
  'POST /updates/:packageName',
  'POST /setup-observability',
];
/** It changes nothing. */
const counts = ['POST /workflows/executions/bulk/preview'];
/** Console routes that leave out what a limited role is not for. */
const limited = [
  'GET /agents',
  'GET /agents/:id',
  'GET /workflows',
  'GET /workflows/:id',
  'GET /workflows/executions',
  'GET /workflows/:id/executions/:executionId/state',
  'GET /observability/workflows/:id/executions/:executionId/stream',
  'GET /approvals',
  'POST /approvals/answer',
  'GET /approvals/grants',
  'DELETE /approvals/grants/:grantId',
];

function expected({ method, policy, url }: RouteRow, role: Role): string | number {
  if (policy === 'public') return 'anyone';
  // A token is that of a user where users may call.
  if (policy !== 'console') return 'olga';
  const route = `${method} ${url}`;
  if (role === 'desk' || role === 'local') return limited.includes(route) ? 'anyone' : 403;
  if (role === 'admin') return 'anyone';
  if (owners.includes(route)) return 403;
  return role === 'manager' || method === 'GET' || counts.includes(route) ? 'anyone' : 403;
}

it.each(Object.keys(consoleRoles) as Role[])('opens exactly the routes that the tables list: %s', async (role) => {
  const { app, close } = await createServerWithInternals(
    {
      logger: 'silent',
      signals: false,
      limits: unreachableLimits,
      auth: { provider, consoleKey, consoleRoles, rejectedPerMinute: false },
    },
    { endpoints: echoing(endpoints) },
  );
  await app.ready();
  const authorization = `Bearer ${tokenOf({ id: 'olga', roles: [role], tenantId: 'acme' })}`;
  const deviations = await inParallel(readRoutes(routeTable), async (row) => {
    const url = row.url.replaceAll(/:\w+/g, 'x1');
    const { body, statusCode } = await app.inject({ method: row.method as 'GET', url, headers: { authorization } });
    const seen = statusCode === 200 ? (JSON.parse(body) as { data: string }).data : statusCode;
    const should = expected(row, role);
    return seen === should ? [] : [`${row.method} ${row.url}: ${seen}, not ${should}`];
  });
  await close();
  expect(deviations.flat()).toEqual([]);
});
