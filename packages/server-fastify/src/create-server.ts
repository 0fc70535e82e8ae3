import { ConfigurationError } from '@halyard/contracts';
import type { FastifyInstance } from 'fastify';
import { createApp } from './fastify/create-app.ts';
import type { Internals } from './fastify/halyard.ts';
import { isProduction } from './is-production.ts';
import { RunningCalls } from './lifecycle/running-calls.ts';
import { onStopSignal } from './lifecycle/stop-signals.ts';
import { defaultPort, type ServerOptions } from './server-options.ts';

export interface HalyardServer {
  /** The Fastify instance. Add your own routes and plugins before it listens. */
  readonly app: FastifyInstance;
  /**
   * Starts listening and returns the address, such as `http://127.0.0.1:3141`.
   *
   * @throws ConfigurationError when the port is in use.
   */
  listen: (overrides?: Pick<ServerOptions, 'host' | 'port'>) => Promise<string>;
  /** Waits up to `limits.shutdownGraceMs` for running work, then closes. Further calls return the same promise. */
  close: () => Promise<void>;
}

/**
 * Creates a server for agents, tools and workflows.
 *
 * @throws ConfigurationError for invalid options.
 */
export async function createServer(options: ServerOptions = {}): Promise<HalyardServer> {
  return createServerOf(options, {});
}

/** {@link createServer} with the internals that tests replace. */
export async function createServerOf(options: ServerOptions, internals: Internals): Promise<HalyardServer> {
  const { host = isProduction() ? '0.0.0.0' : '127.0.0.1', port = defaultPort, signals = true } = options;
  const work = new RunningCalls();
  const app = await createApp(options, { ...internals, work });
  let stopListening = (): void => {};
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    // Refuses new work at once, before the hooks of the app run.
    work.startDraining();
    await app.close();
    stopListening();
  };
  const server: HalyardServer = {
    app,
    listen: async (overrides = {}) => {
      const address = await listenOn(app, { host, port, ...overrides });
      if (signals) stopListening = onStopSignal(() => server.close());
      return address;
    },
    close: () => (closed ??= close()),
  };
  return server;
}

async function listenOn(
  app: FastifyInstance,
  address: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await app.listen(address);
  } catch (error) {
    const { host, port } = address;
    if (!isInUse(error)) throw error;
    throw new ConfigurationError(
      `Port ${port} on ${host} is in use: stop the process that listens there, or choose another port with the option \`port\``,
      { cause: error },
    );
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
