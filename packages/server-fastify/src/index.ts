export type { AuthOptions } from './access/auth-options.ts';
export { createServer, type HalyardServer } from './create-server.ts';
export { defaultConsoleRoutes } from './default-console-routes.ts';
export { verifiedUser } from './fastify/access-hook.ts';
export { halyard } from './fastify/halyard.ts';
export type { RetentionOptions } from './lifecycle/retention.ts';
export type { Limits } from './limits.ts';
export type { HalyardOptions, LogLevel, RateLimit, ServerOptions } from './server-options.ts';
