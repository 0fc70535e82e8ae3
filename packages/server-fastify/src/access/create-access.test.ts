import { ConfigurationError } from '@halyard/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  legacyPublicRoutes,
  lists,
  otherTable,
  readRoutes,
  type RouteRow,
  routeTable,
} from '../testing/access-tables.ts';
import type { AuthOptions } from './auth-options.ts';
import type { Tiered } from './console-routes.ts';
import { accessRules, createAccess } from './create-access.ts';
import type { Requirement } from './policy.ts';
import type { ResolvedRoute } from './route-pattern.ts';

const rows = [...readRoutes(routeTable), ...readRoutes(otherTable).filter(({ policy }) => policy !== 'either')];
const tiers: Readonly<Record<string, Tiered['tier']>> = { either: 'operator', answers: 'user-or-operator' };
/** The tier of a route is what policy mode requires for it. */
const routes: readonly Tiered[] = [
  ...readRoutes(routeTable),
  ...readRoutes(otherTable).filter(({ url }) => url === '/ui'),
].map(({ method, policy, url }) => ({ method, url, tier: tiers[policy] ?? (policy as Tiered['tier']) }));
const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const unknownUrl = undefined;
const request = { method: 'GET', path: '/', headers: {}, address: '127.0.0.1' };
const withKey = { token: undefined, consoleKey: 'k', hasDevBypass: false };
const withBypass = { token: undefined, consoleKey: undefined, hasDevBypass: true };

afterEach(() => vi.unstubAllEnvs());

function requirements(options: AuthOptions, isBelowPrefix = true): readonly string[] {
  const requirementOf = accessRules(options, routes);
  return rows.map(
    ({ method, url }) => `${method} ${url} ${requirementOf({ method, url, isWebSocket: false, isBelowPrefix })}`,
  );
}

function expected(column: (row: RouteRow) => string): readonly string[] {
  const names: Record<string, Requirement> = {
    either: 'console-or-user',
    answers: 'user-or-operator',
    calls: 'calls-of-users',
  };
  // The table lists one file of the explorer, which the server protects as a route of its own.
  return rows.map((row) => `${row.method} ${row.url} ${names[column(row)] ?? column(row)}`);
}

const isFile = ({ url }: RouteRow): boolean => url.startsWith('/ui/');
const withoutFiles = (all: readonly string[]): readonly string[] =>
  all.filter((_, index) => !isFile(rows[index] as RouteRow));

function ofRoute(options: AuthOptions, route: Partial<ResolvedRoute>): Requirement {
  return accessRules(
    options,
    routes,
  )({ method: 'GET', url: '/own', isWebSocket: false, isBelowPrefix: true, ...route });
}

describe('policy mode', () => {
  it('requires the tier of each route', () => {
    expect(withoutFiles(requirements({}))).toEqual(withoutFiles(expected((row) => row.policy)));
  });

  it('follows the lists of the app and of the provider', () => {
    const { consoleRoutes, providersPublicRoutes, publicRoutes } = lists;
    const options = { consoleRoutes, publicRoutes, provider: { ...provider, publicRoutes: providersPublicRoutes } };
    expect(withoutFiles(requirements(options))).toEqual(withoutFiles(expected((row) => row.listed)));
  });

  it('applies its own lists only to routes below the prefix, and the lists of the app to all', () => {
    const outside = { isBelowPrefix: false };
    expect(ofRoute({}, { ...outside, url: '/healthz' })).toBe('user');
    expect(ofRoute({}, { ...outside, url: '/agents' })).toBe('user');
    expect(ofRoute({ publicRoutes: ['/agents'] }, { ...outside, url: '/agents' })).toBe('public');
    expect(ofRoute({ consoleRoutes: ['/agents'] }, { ...outside, url: '/agents' })).toBe('console');
  });

  it('keeps the public routes of the server public with lists of the app', () => {
    expect(ofRoute({ consoleRoutes: ['/**'] }, { url: '/healthz' })).toBe('public');
  });

  it('accepts either credential for a path without a route', () => {
    expect(ofRoute({ publicRoutes: ['/**'] }, { url: unknownUrl })).toBe('console-or-user');
  });

  it.each([
    ['/observability/more', false, 'console'],
    ['/ws/observability', true, 'console'],
    ['/ws/observability/more', true, 'console'],
    ['/ws/observability/more', false, 'user'],
  ] as const)('requires for a route of the app at %s (WebSocket: %s): %s', (url, isWebSocket, requirement) => {
    expect(ofRoute({}, { url, isWebSocket })).toBe(requirement);
  });
});

describe('legacy mode', () => {
  const legacy = { mode: 'legacy', publicRoutes: legacyPublicRoutes } as const;

  it('requires the credential of its column', () => {
    const open = (asks: string): string => (asks === 'rest' ? 'open' : asks);
    expect(withoutFiles(requirements(legacy))).toEqual(withoutFiles(expected((row) => open(row.legacy))));
  });

  it.each([
    ['the option', { ...legacy, defaultPrivate: true }],
    ['the provider', { ...legacy, provider: { ...provider, defaultPrivate: true } }],
  ])('protects all other routes if %s says so', (_by, options) => {
    const closed = (asks: string): string => (['rest', 'calls'].includes(asks) ? 'user' : asks);
    expect(withoutFiles(requirements(options))).toEqual(withoutFiles(expected((row) => closed(row.legacy))));
    expect(ofRoute(options, { url: unknownUrl })).toBe('console-or-user');
  });

  it('prefers the option to the provider', () => {
    const options = { ...legacy, defaultPrivate: false, provider: { ...provider, defaultPrivate: true } };
    expect(ofRoute(options, {})).toBe('open');
    expect(ofRoute(options, { url: unknownUrl })).toBe('public');
  });

  it('applies its own lists only to routes below the prefix', () => {
    const options = { ...legacy, defaultPrivate: true, publicRoutes: ['/agents'] };
    const outside = { isBelowPrefix: false };
    expect(ofRoute(options, { ...outside, url: '/agents' })).toBe('public');
    expect(ofRoute(options, { ...outside, url: '/tools' })).toBe('user');
    expect(ofRoute(options, { ...outside, url: '/updates' })).toBe('user');
    expect(ofRoute(legacy, { ...outside, url: '/api/memory/search' })).toBe('open');
  });

  it('leaves the test channel open, and protects the memory', () => {
    expect(ofRoute({ ...legacy, defaultPrivate: true }, { url: '/ws', isWebSocket: true })).toBe('public');
    expect(ofRoute(legacy, { url: '/api/memory' })).toBe('user');
  });
});

describe('options', () => {
  it.each<[string, object]>([
    ['auth.mode', { mode: 'open' }],
    ['auth.publicRoutes', { publicRoutes: ['agents'] }],
    ['auth.consoleRoutes', { consoleRoutes: ['agents'] }],
    ['auth.publicRoutes', { mode: 'legacy', publicRoutes: ['agents'] }],
    ['auth.provider', { provider: { verifyToken: () => null } }],
    ['auth.provider', { provider: { type: 'names' } }],
    ['auth.provider', { provider: { type: 1, verifyToken: () => null } }],
    ['auth.rejectedPerMinute', { rejectedPerMinute: -1 }],
    ['auth.rejectedPerMinute', { rejectedPerMinute: 0.5 }],
    ['auth.rejectedPerMinute', { rejectedPerMinute: true }],
  ])('refuses an invalid %s: %j', (option, options) => {
    const create = (): unknown => createAccess(options, { logger, routes });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(option);
  });

  it.each([
    {},
    { provider },
    { rejectedPerMinute: 0 },
    { rejectedPerMinute: false },
    { rejectedPerMinute: 5 },
  ] as const)('accepts %j', (options) => {
    expect(() => createAccess(options, { logger, routes })).not.toThrow();
  });
});

describe('authorize', () => {
  const byKey = { user: undefined, hasCredential: true };

  it('accepts the console key of the option, else that of the environment', async () => {
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'k');
    expect(await createAccess({}, { logger, routes }).authorize('console', withKey, request)).toEqual(byKey);
    const own = createAccess({ consoleKey: 'own' }, { logger, routes });
    await expect(own.authorize('console', withKey, request)).rejects.toThrow('Console access required');
    expect(await own.authorize('console', { ...withKey, consoleKey: 'own' }, request)).toEqual(byKey);
  });

  it('accepts the dev bypass outside of production only', async () => {
    const access = createAccess({}, { logger, routes });
    expect(await access.authorize('user', withBypass, request)).toEqual({ user: undefined, hasCredential: false });
    vi.stubEnv('NODE_ENV', 'production');
    await expect(access.authorize('user', withBypass, request)).rejects.toThrow('Authentication required');
  });

  it('refuses a token of a reserved user', async () => {
    const access = createAccess({ provider }, { logger, routes, reservedUserIds: new Set(['visitors']) });
    const token = (text: string): typeof withKey => ({ ...withKey, consoleKey: undefined, token: text }) as never;
    expect(await access.authorize('user', token('ada'), request)).toEqual({ user: { id: 'ada' }, hasCredential: true });
    await expect(access.authorize('user', token('visitors'), request)).rejects.toThrow('Invalid or expired token');
  });
});
