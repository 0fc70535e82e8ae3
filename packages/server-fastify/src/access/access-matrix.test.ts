import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultConsoleRoutes } from '../default-console-routes.ts';
import type { Internals } from '../fastify/halyard.ts';
import { endpoints } from '../routes/index.ts';
import { consoleKey, provider } from '../testing/access/credentials.ts';
import { deviationsOf, echoing, type Mode, openMatrix } from '../testing/access/matrix.ts';
import { legacyPublicRoutes, lists, readRoutes, routeTable } from '../testing/access/tables.ts';
import { AccessRefusedError } from './access-refused-error.ts';
import type { Access } from './create-access.ts';

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

describe.each(modes)('mode $name', (mode) => {
  it('accepts exactly the credentials that the tables list', { timeout: 120_000 }, async () => {
    const server = await openMatrix(mode);
    for (const environment of ['production', 'Production', undefined]) {
      vi.stubEnv('NODE_ENV', environment);
      const { asked, deviations } = await deviationsOf(server, mode);
      expect(deviations, `NODE_ENV ${environment}`).toEqual([]);
      expect(asked).toBeGreaterThan(3_000);
    }
    await server.close();
  });
});

describe('the matrix finds', () => {
  const faults: readonly (readonly [string, Mode, Internals])[] = [
    [
      'HEAD that is not taken for GET',
      policy,
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
      { endpoints: echoing(endpoints.map((one) => (one.url === '/tools' ? { ...one, tier: 'user' } : one))) },
    ],
    ['an invalid token that is accepted as a user', policy, { accessFrom: letting(isInvalidToken) }],
    [
      'a console key that is compared where none is set',
      policyWithoutKey,
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

  it.each(faults)('%s', async (_name, mode, internals) => {
    vi.stubEnv('NODE_ENV', 'production');
    const server = await openMatrix(mode, internals);
    expect((await deviationsOf(server, mode)).deviations).not.toEqual([]);
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
