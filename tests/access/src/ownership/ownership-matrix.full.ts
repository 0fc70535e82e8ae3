import type { AuthOptions } from '@halyard/server-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../../packages/server-fastify/src/api/routes/index.ts';
import { auth } from '../../../../packages/server-fastify/src/testing/owned-request.ts';
import { places } from './claims.ts';
import { namedFields } from './named-fields.ts';
import { ownershipCases, impersonal, refusals } from './ownership-cases.ts';
import { storeViolations } from './store-violations.ts';
import { violations } from './violations.ts';
import { openWorld, type World } from './world.ts';

const routes = endpoints.map((endpoint) => ({ route: `${endpoint.method} ${endpoint.url}`, endpoint }));

describe('the table', () => {
  it.each(routes)('has every route, and every field that names a user or their data: $route', ({ endpoint, route }) => {
    const rows = ownershipCases.filter((ask) => ask.route === route);
    expect(rows.length > 0, 'in the table, or impersonal').toBe(!impersonal.includes(route));
    const known = new Set<string>([...places, ...rows.flatMap(({ by }) => by)]);
    expect(namedFields(endpoint).filter((field) => !known.has(field))).toEqual([]);
    if (impersonal.includes(route)) expect(namedFields(endpoint)).toEqual([]);
  });

  it('has no unknown route', () => {
    const there = new Set(routes.map(({ route }) => route));
    const named = [...ownershipCases.map(({ route }) => route), ...impersonal, ...Object.keys(refusals)];
    expect(named.filter((route) => !there.has(route))).toEqual([]);
  });
});

/**
 * The fields in which routes accept a user. `ownership-claims.full.ts` claims to be another user in
 * every field.
 */
const claims = ['query.userId', 'body.options.userId'] as const;

describe('no user can access the data of another', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it.each(ownershipCases.map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const))(
    '%s',
    async (_, ask) => {
      expect(await violations(world, ask, claims)).toEqual([]);
    },
  );

  it('through no method of the stores', async () => {
    expect(await storeViolations(world)).toEqual([]);
  });
});

describe('no user can access the data of another with real tokens', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ auth });
  });
  afterAll(() => world.close());

  // Developers may access the data of users, so console routes have separate rows.
  const ofUsers = new Set(endpoints.filter(({ tier }) => tier === 'user').map(({ method, url }) => `${method} ${url}`));
  it.each(
    ownershipCases
      .filter(({ route }) => ofUsers.has(route))
      .map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const),
  )('%s', async (_, ask) => {
    expect(await violations(world, ask, claims)).toEqual([]);
  });
});

describe('no owner of a tenant can access the data of another tenant', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ auth: ofTenants });
  });
  afterAll(() => world.close());

  const reached = new Set(
    endpoints
      .filter(({ isScoped, tier }) => tier === 'user' || isScoped === true)
      .map(({ method, url }) => `${method} ${url}`),
  );
  it.each(
    ownershipCases
      .filter(({ route }) => reached.has(route))
      // Of which tenant the user of a conversation is, is only known for requests with rules.
      .filter(({ route, thing }) => !(route.includes(' /approvals') && ['delegated', 'remembered'].includes(thing)))
      .map((ask) => [`${ask.route} about ${ask.thing} by ${ask.by.join()}`, ask] as const),
  )('%s', async (_, ask) => {
    expect(await violations(world, ask, claims)).toEqual([]);
  });
});

/** Ada and Bob are owners of different tenants. The console key of the requests is not that of the server. */
const ofTenants: AuthOptions = {
  provider: {
    type: 'names',
    verifyToken: (id: string) => ({ id, roles: ['owner'], tenantId: id === 'ada' ? 'acme' : 'globex' }),
  },
  consoleKey: 'another key than that of the requests',
  consoleRoles: { owner: { level: 'owner', tenant: 'own' } },
  rejectedPerMinute: false,
};
