import { isProduction } from '@halyard/contracts';
import { systemClock } from '@halyard/core/server';
import type { FastifyInstance } from 'fastify';
import { reservedUserIds } from '../../access/anonymous-user.ts';
import type { Tiered } from '../../access/console-routes.ts';
import type { Access } from '../../access/create-access.ts';
import { createAccess } from '../../access/create-access.ts';
import { requiresNothing } from '../../access/policy.ts';
import { channels as allChannels } from '../../api/channels/index.ts';
import { tieredRoutes } from '../../api/default-console-routes.ts';
import { endpoints as api } from '../../api/routes/index.ts';
import type { HalyardOptions } from '../../server-options.ts';
import type { Internals } from '../internals.ts';
import { type AccessHookOptions, guardAccess, trustEverybody } from './access-hook.ts';
import { isLoopback, LocalRequests } from './local-requests.ts';
import { refuseChangesOfOtherSites } from './other-sites.ts';
import { refuseRemoteRequests } from './refuse-remote-requests.ts';

/**
 * Applies the option `auth` to all routes that are added to `app` from here on, and logs a warning
 * at start about risky settings.
 *
 * @throws ConfigurationError for invalid options.
 */
export function protectRoutes(
  app: FastifyInstance,
  { allowedHosts, anonymousUserId, auth }: Pick<HalyardOptions, 'allowedHosts' | 'anonymousUserId' | 'auth'>,
  internals: Internals & Pick<AccessHookOptions, 'countRefused' | 'prefix'>,
): void {
  const local = new LocalRequests(allowedHosts);
  if (auth === undefined) {
    refuseRemoteRequests(app, local, internals.prefix);
    refuseChangesOfOtherSites(app, internals.userOf);
    trustEverybody(app);
    app.addHook('onListen', async () => {
      if (isProduction() && listensInPublic(app))
        app.log.warn({}, 'anyone who can reach this server can use all of it: set the option `auth`');
    });
    return;
  }
  const {
    accessFrom = (made: Access) => made,
    channels = allChannels,
    clock = systemClock,
    endpoints = api,
  } = internals;
  const routes = tieredRoutes(endpoints, channels);
  const access = accessFrom(
    createAccess(auth, { routes, logger: app.log, reservedUserIds: reservedUserIds({ anonymousUserId }) }),
  );
  const { mode = 'policy', rejectedPerMinute = 20 } = auth;
  const { countRefused, prefix } = internals;
  guardAccess(app, { access, prefix, rejectedPerMinute, local, clock, ...(countRefused && { countRefused }) });
  app.addHook('onListen', async () => {
    if (!isProduction() && listensInPublic(app))
      app.log.warn({}, 'other computers can reach this server in development mode: set NODE_ENV=production');
  });
  app.addHook('onReady', async () => {
    if (mode === 'legacy') warnOfLegacy(app, openTo(['user', 'user-or-operator'], routes, access));
    else warnOfPublicConsole(app, openTo(['console'], routes, access));
  });
}

function listensInPublic(app: FastifyInstance): boolean {
  return app.addresses().some((at) => typeof at === 'object' && !isLoopback(at.address));
}

/** The routes of these tiers that are public. */
function openTo(tiers: readonly Tiered['tier'][], routes: readonly Tiered[], access: Access): readonly string[] {
  return routes
    .filter(({ tier }) => tiers.includes(tier))
    .filter(({ method, url }) => {
      const isWebSocket = method === 'WS';
      return requiresNothing(access.requirementOf({ method, url, isWebSocket, isBelowPrefix: true }));
    })
    .map(({ method, url }) => `${method} ${url}`);
}

function warnOfLegacy(app: FastifyInstance, open: readonly string[]): void {
  app.log.warn(
    { open },
    `the legacy mode of \`auth\` is deprecated. These routes with users' data are open: ${open.join(', ') || 'none'}`,
  );
}

function warnOfPublicConsole(app: FastifyInstance, open: readonly string[]): void {
  if (open.length > 0)
    app.log.warn({ open }, `the option \`auth.publicRoutes\` opens console routes: ${open.join(', ')}`);
}
