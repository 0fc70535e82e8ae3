import { setTimeout as delay } from 'node:timers/promises';
import type { Agent, ToolsOption, WorkflowRuntime } from '@halyard/core';
import type { Collection, WorkflowDefinition } from '@halyard/core/server';
import type { FastifyInstance } from 'fastify';
import { defaultLimits } from './admission/limits.ts';
import { createApp } from './create-app.ts';
import { type FetchHandler, fetchHandler } from './http/fetch/fetch-handler.ts';
import type { Internals } from './http/internals.ts';
import { type ListenAddress, listenAddress, listenFailure } from './http/listen-address.ts';
import { type ServerApprovals, serverApprovals } from './http/server-approvals.ts';
import { workflowRuntime } from './http/workflow-runtime.ts';
import { RunningCalls } from './runtime/lifecycle/running-calls.ts';
import { onStopSignal } from './runtime/lifecycle/stop-signals.ts';
import { onUncaughtError } from './runtime/lifecycle/uncaught-errors.ts';
import { checkServerOptions } from './server-option-names.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * `App` has the types of the agents, tools and workflows, for `createClient<typeof server>()` of
 * `@halyard/client`.
 */
export interface HalyardServer<App = unknown> {
  /** Carries types only; never set. */
  readonly '~app'?: App;
  /** The Fastify instance. Add your own routes and plugins before it listens. */
  readonly app: FastifyInstance;
  /**
   * Starts executions of the server's workflows, publishes events, and so on, for your own routes.
   * It runs executions once the server listens, or has answered its first `fetch`.
   */
  readonly runtime: WorkflowRuntime;
  /** Makes links with which people answer requests that wait for them, without a token. */
  readonly approvals: ServerApprovals;
  /**
   * Starts listening and returns the address, such as `http://127.0.0.1:3141`.
   *
   * @throws ConfigurationError when the port is in use, the address is not one of this machine, or
   * the storage cannot be opened until somebody acts.
   */
  listen: (overrides?: Pick<ServerOptions, 'host' | 'port'>) => Promise<string>;
  /**
   * Answers a request by the routes, access rules and limits of the server, whether or not it
   * listens: for route handlers of Next.js, Hono, Bun, Deno and functions. A client that leaves
   * (`request.signal`) or cancels the body stops what a lost connection stops. WebSockets need
   * `listen`.
   *
   * @throws ConfigurationError when the storage cannot be opened until somebody acts, for a request
   * whose body was read, and for a `remoteAddress` that is no IP address.
   */
  readonly fetch: FetchHandler;
  /**
   * Waits up to `limits.shutdownGraceMs` for running work, then closes. Further calls return the
   * same promise.
   */
  close: () => Promise<void>;
}

/**
 * Creates a server for agents, tools and workflows.
 *
 * @throws ConfigurationError for invalid options.
 */
export async function createServer<
  const Agents extends Collection<Agent> = [],
  const Tools extends ToolsOption = [],
  const Workflows extends Collection<WorkflowDefinition> = [],
>(
  options: ServerOptions<Agents, Tools, Workflows> = {},
): Promise<HalyardServer<{ agents: Agents; tools: Tools; workflows: Workflows }>> {
  return createServerWithInternals(options, {});
}

/** {@link createServer} with the internals that tests replace. */
export async function createServerWithInternals(
  options: ServerOptions,
  internals: Internals,
): Promise<HalyardServer<never>> {
  checkServerOptions(options);
  const { host, port, signals = true } = options;
  // Before anything is opened.
  listenAddress({ host, port });
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
  const closeAfterDelay = async (): Promise<void> => {
    work.startStopping();
    await delay(options.limits?.shutdownDelayMs ?? defaultLimits.shutdownDelayMs);
    await server.close();
  };
  const server: HalyardServer<never> = {
    app,
    runtime: workflowRuntime(app),
    approvals: serverApprovals(app),
    fetch: fetchHandler(app, options),
    listen: async (overrides = {}) => {
      const address = await listenOn(app, listenAddress({ host, port, ...overrides }));
      if (signals) stopListening = endWithProcess(server, closeAfterDelay);
      return address;
    },
    close: () => (closed ??= close()),
  };
  return server;
}

/**
 * Closes the server before the process ends, because of a signal or an error. @returns a function
 * that stops this.
 */
function endWithProcess(server: HalyardServer, closeAfterDelay: () => Promise<void>): () => void {
  const close = (): Promise<void> => server.close();
  const log = (err: unknown, message: string): void => server.app.log.fatal({ err }, message);
  const stops = [onStopSignal(closeAfterDelay), onUncaughtError({ close, log })];
  return () => {
    for (const stop of stops) stop();
  };
}

async function listenOn(app: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
}
