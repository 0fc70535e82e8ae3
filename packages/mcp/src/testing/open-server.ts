import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { onTestFinished } from 'vitest';

/** Limits that a busy machine does not reach. */
const limits = {
  eventLoopDelayMs: 1_000_000_000,
  requestTimeoutMs: 600_000,
} as const;

/** Starts a server that closes at the end of the test. @returns its URL. */
export async function openServer(options: ServerOptions): Promise<string> {
  const server = await createServer({
    logger: 'silent',
    signals: false,
    ...options,
    limits: { ...limits, ...options.limits },
  });
  onTestFinished(() => server.close());
  return server.listen({ port: 0 });
}
