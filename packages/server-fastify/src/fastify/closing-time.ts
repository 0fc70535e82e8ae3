import type { FastifyInstance } from 'fastify';

/** What is to be done after the grace: last words of those who were given up, and the writes of memories. */
const lastActsMs = 3_000;
/** Beyond that: hooks of the app, and a batch that the storage is deleting. */
const spareMs = 60_000;

/**
 * Fastify's `pluginTimeout` for a server that gives running work this grace. It holds for hooks before closing too: one that takes longer
 * makes the closing fail, and the hooks after it are left out.
 */
export function hookLimitFor(shutdownGraceMs: number): number {
  return shutdownGraceMs + spareMs;
}

/** The grace that can be given to running work in an app of somebody else, who decides how long hooks may take. */
export function graceWithin(
  { initialConfig }: Pick<FastifyInstance, 'initialConfig'>,
  shutdownGraceMs: number,
): number {
  const { pluginTimeout = 0 } = initialConfig;
  return pluginTimeout === 0 ? shutdownGraceMs : Math.max(0, Math.min(shutdownGraceMs, pluginTimeout - lastActsMs));
}
