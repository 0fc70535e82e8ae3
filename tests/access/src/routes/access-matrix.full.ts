import { defaultConsoleRoutes } from '@halyard/server-fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AccessRefusedError } from '../../../../packages/server-fastify/src/access/access-refused-error.ts';
import type { Access } from '../../../../packages/server-fastify/src/access/create-access.ts';
import { endpoints } from '../../../../packages/server-fastify/src/api/routes/index.ts';
import type { Internals } from '../../../../packages/server-fastify/src/http/internals.ts';
import {
  legacyPublicRoutes,
  lists,
  readRoutes,
  routeTable,
} from '../../../../packages/server-fastify/src/testing/access-tables.ts';
import { consoleKey, provider } from '../../../../packages/server-fastify/src/testing/credentials.ts';
import { type Cell, deviationsOf, echoing, type Mode, openMatrix } from './matrix.ts';

const rejectedPerMinute = false;
const common = { provider, consoleKey, rejectedPerMinute } as const;

const policy: Mode = { name: 'policy', auth: common, requirementOf: (row) => row.policy };
const policyWithoutKey: Mode = {
  ...policy,
  name: 'policy without a console key',
  auth: { provider, consoleKey: '', rejectedPerMinute },
  hasNoKey: true,
};
const legacy = { ...common, mode: 'legacy', publicRoutes: legacyPublicRoutes } as const;

const modes: readonly Mode[] = [
  policy,
  policyWithoutKey,
  {
    name: 'policy with lists',
    auth: {
      ...common,
      provider: { ...provider, publicRoutes: lists.providersPublicRoutes },
      publicRoutes: lists.publicRoutes,
      consoleRoutes: lists.consoleRoutes,
    },
    requirementOf: (row) => row.listed,
  },
  {
    name: 'legacy',
    auth: legacy,
    requirementOf: ({ legacy: asks }) => ({ rest: 'open', nowhere: 'public' })[asks] ?? asks,
  },
  {
    name: 'legacy, private by default',
    auth: { ...legacy, defaultPrivate: true },
    requirementOf: ({ legacy: asks }) => ({ rest: 'user', calls: 'user', nowhere: 'either' })[asks] ?? asks,
  },
  { name: 'none', requirementOf: () => 'public' },
];

afterEach(() => vi.unstubAllEnvs());

it('has every route of the API in its table', () => {
  const names = readRoutes(routeTable).map(({ method, url }) => `${method} ${url}`);
  expect(names.toSorted()).toEqual(endpoints.map(({ method, url }) => `${method} ${url}`).toSorted());
});

/** How `NODE_ENV` is written matters only to the credentials of developers. */
const environments: readonly (readonly [string | undefined, (cell: Cell) => boolean])[] = [
  ['production', () => true],
  ['Production', ({ name }) => name.startsWith('dev ')],
  [undefined, () => true],
];

describe.each(modes)('mode $name', (mode) => {
  it('accepts exactly the credentials that the tables list', async () => {
    const server = await openMatrix(mode);
    for (const [environment, isAsked] of environments) {
      vi.stubEnv('NODE_ENV', environment);
      const { asked, deviations } = await deviationsOf(server, mode, { isAsked });
      expect(deviations, `NODE_ENV ${environment}`).toEqual([]);
      expect(asked).toBeGreaterThan(1_000);
    }
    await server.close();
  });
});

describe('the matrix finds', () => {
  const faults: readonly (readonly [string, Mode, string, Internals])[] = [
    [
      'HEAD that is not taken for GET',
      policy,
      'HEAD /tools, token of ada: let in, not C',
      {
        accessFrom: (access) => ({
          ...access,
          // No route has this method.
          requirementOf: (route) =>
            access.requirementOf(route.method === 'HEAD' ? { ...route, method: 'UNFOLDED' } : route),
        }),
      },
    ],
    [
      'a tier that one route has lost',
      policy,
      'GET /tools, token of ada: ada, not C',
      { endpoints: echoing(endpoints.map((one) => (one.url === '/tools' ? { ...one, tier: 'user' } : one))) },
    ],
    [
      'an invalid token that is accepted as a user',
      policy,
      'POST /tools/:name/execute, bad token: anyone, not T',
      { accessFrom: letting(isInvalidToken) },
    ],
    [
      'a console key that is compared where none is set',
      policyWithoutKey,
      'GET /tools, none: anyone, not C',
      {
        accessFrom: (access) => ({
          ...access,
          authorize: async (requirement, credentials, request) =>
            requirement === 'console' && (credentials.consoleKey ?? '') === ''
              ? { user: undefined, hasCredential: true }
              : access.authorize(requirement, credentials, request),
        }),
      },
    ],
  ];

  it.each(faults)('%s, and names the cell', async (_name, mode, cell, internals) => {
    vi.stubEnv('NODE_ENV', 'production');
    const server = await openMatrix(mode, internals);
    const { deviations } = await deviationsOf(server, mode, { isAsked: ({ row }) => row.url.startsWith('/tools') });
    expect(deviations).toContain(cell);
    await server.close();
  });
});

it('has the console routes of the contract as its defaults', () => {
  const contract = [
    ...readRoutes(routeTable)
      .filter((row) => row.policy === 'console')
      .map(({ method, url }) => `${method} ${url}`),
    'GET /ui',
    '/observability/*',
    'WS /ws',
    'WS /ws/logs',
    'WS /ws/observability',
    'WS /ws/observability/**',
  ];
  expect(defaultConsoleRoutes.toSorted()).toEqual(contract.toSorted());
});

function isInvalidToken(error: unknown): boolean {
  return error instanceof AccessRefusedError && error.message === 'Invalid or expired token';
}

function letting(isForgiven: (error: unknown) => boolean): (access: Access) => Access {
  return (access) => ({
    ...access,
    authorize: async (...args) => {
      try {
        return await access.authorize(...args);
      } catch (error) {
        if (isForgiven(error)) return { user: undefined, hasCredential: true };
        throw error;
      }
    },
  });
}
