export { createServer, type HalyardServer } from './create-server.ts';
export { halyard } from './fastify/halyard.ts';
export type { RetentionOptions } from './lifecycle/retention.ts';
export type { Limits } from './limits.ts';
export type { HalyardOptions, LogLevel, ServerOptions } from './server-options.ts';
