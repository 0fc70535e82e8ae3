import { consoleRoutesOf } from './access/console-routes.ts';
import { tieredRoutes } from './access/tiered-routes.ts';
import { channels } from './channels/index.ts';
import { endpoints } from './routes/index.ts';

/** What needs the console key where `auth.consoleRoutes` is not given. A list of one's own replaces it: `[...defaultConsoleRoutes, 'GET /admin']`. */
export const defaultConsoleRoutes: readonly string[] = consoleRoutesOf(tieredRoutes(endpoints, channels));
