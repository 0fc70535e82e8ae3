import type { FastifyInstance } from 'fastify';

/**
 * Time after the grace period: for the last events of cancelled streams and the writes of memories.
 */
const finalWritesMs = 3_000;
/** Further time for hooks of the app and a batch that the storage is deleting. */
const spareMs = 60_000;

/**
 * Fastify's `pluginTimeout` for a server with this grace period. It also limits the hooks that run
 * on close: a hook that takes longer makes the close fail and skips the hooks after it.
 */
export function hookLimitFor(shutdownGraceMs: number): number {
  return shutdownGraceMs + spareMs;
}

/** The grace period in an app that is not Halyard's own and that has its own limit for hooks. */
export function graceWithin(
  { initialConfig }: Pick<FastifyInstance, 'initialConfig'>,
  shutdownGraceMs: number,
): number {
  const { pluginTimeout = 0 } = initialConfig;
  return pluginTimeout === 0 ? shutdownGraceMs : Math.max(0, Math.min(shutdownGraceMs, pluginTimeout - finalWritesMs));
}
