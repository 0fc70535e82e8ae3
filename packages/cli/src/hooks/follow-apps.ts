import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/**
 * Calls the listener with each Fastify app that this process creates, and with the paths of its GET
 * routes, which are complete once it is ready.
 */
export function followApps(listener: (app: FastifyInstance, paths: readonly string[]) => void): void {
  // Fastify publishes each new app there, for tools like this one.
  subscribe('fastify.initialization', (message) => {
    const { fastify: app } = message as { readonly fastify: FastifyInstance };
    const paths: string[] = [];
    app.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('GET')) paths.push(url);
    });
    listener(app, paths);
  });
}

/**
 * The path of a route of Halyard, with the prefix that the app has chosen. Undefined: the app does
 * not serve it.
 */
export function pathEndingWith(paths: readonly string[], ending: string): string | undefined {
  return paths.find((path) => path.endsWith(ending));
}
