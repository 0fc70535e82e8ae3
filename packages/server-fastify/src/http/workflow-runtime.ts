import { ConfigurationError } from '@halyard/contracts';
import type { WorkflowRuntime } from '@halyard/core';
import type { FastifyInstance } from 'fastify';

const runtimes = new WeakMap<FastifyInstance, WorkflowRuntime>();

/** To be called when the services of an app exist. */
export function setWorkflowRuntime(app: FastifyInstance, runtime: WorkflowRuntime): void {
  runtimes.set(app, runtime);
}

/**
 * The runtime of the workflows that an app serves, for your own routes: it starts executions,
 * publishes events, and so on. `createServer` returns it as `runtime`.
 *
 * @param app the instance with which the plugin was registered.
 * @throws ConfigurationError when the plugin is not registered yet: `await` its registration.
 */
export function workflowRuntime(app: FastifyInstance): WorkflowRuntime {
  const runtime = runtimes.get(app);
  if (runtime === undefined)
    throw new ConfigurationError(
      'The plugin of Halyard is not registered with this app: await app.register(halyard, …)',
    );
  return runtime;
}
