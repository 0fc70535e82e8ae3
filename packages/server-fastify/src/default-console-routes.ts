import { consoleRoutesOf } from './access/console-routes.ts';
import { tieredRoutes } from './access/tiered-routes.ts';
import { channels } from './channels/index.ts';
import { endpoints } from './routes/index.ts';

/** The default of `auth.consoleRoutes`: the routes that need the console key. To add to it, pass `[...defaultConsoleRoutes, 'GET /admin']`. */
export const defaultConsoleRoutes: readonly string[] = consoleRoutesOf(tieredRoutes(endpoints, channels));
