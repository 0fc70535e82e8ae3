import { listConsoleRoutes, type Tiered } from '../access/console-routes.ts';
import { channels } from './channels/index.ts';
import type { Endpoint } from './define/define-route.ts';
import { consolePage, explorerPage } from './routes/documents/documents.ts';
import { endpoints } from './routes/index.ts';

/**
 * All routes and channels of a server with their tiers, including the console and the API explorer,
 * which plugins serve.
 */
export function tieredRoutes(
  served: readonly Pick<Endpoint, 'method' | 'tier' | 'url'>[],
  servedChannels: readonly Pick<Endpoint, 'isScoped' | 'tier' | 'url'>[],
): readonly Tiered[] {
  return [...served, consolePage, explorerPage, ...servedChannels.map((channel) => ({ ...channel, method: 'WS' }))];
}

/**
 * The default of `auth.consoleRoutes`: the routes that need the console key. To add to it, pass
 * `[...defaultConsoleRoutes, 'GET /admin']`.
 */
export const defaultConsoleRoutes: readonly string[] = listConsoleRoutes(tieredRoutes(endpoints, channels));
