import {
  checkOptionNames,
  ConfigurationError,
  type EngineStorage,
  type ExecutionEngine,
  type Logger,
  type OptionNames,
  type Storage,
  systemClock,
} from '@halyard/contracts';
import { Deliveries } from './deliveries.ts';
import { Endpoint } from './endpoint.ts';
import { IngressClient } from './ingress-client.ts';
import { MovingExecutions } from './moving-executions.ts';
import { engineClock } from './objects/engine-clock.ts';
import { RestateExecutions } from './restate-executions.ts';
import { RestateUsers } from './restate-users.ts';
import { Watches } from './watches.ts';

export interface RestateEngineOptions {
  /** Where Restate accepts calls, such as `http://restate:8080`. */
  readonly ingress: string;
  /** Where Restate calls this process: the address of a deployment leads to this port. */
  readonly serve: {
    /** 0: any free port. */
    readonly port: number;
    /** The address to listen on. Default: all. */
    readonly host?: string | undefined;
  };
  /**
   * The public keys of the Restate cluster that may call this process, such as
   * `publickeyv1_…`. Default: everybody who reaches the port may; set them unless the network
   * admits only Restate.
   */
  readonly identityKeys?: readonly string[] | undefined;
  /** How long published events are kept, in milliseconds. Default: 30 days. */
  readonly eventsKeptMs?: number | undefined;
  /**
   * For an app whose executions were in the storage. `finish`: those that are there are found, and
   * end there; new ones start on Restate. `start`: new ones start there, too, until all replicas
   * know both. Default: the executions of the storage are ignored.
   */
  readonly storedExecutions?: 'start' | 'finish' | undefined;
}

const optionNames: OptionNames<RestateEngineOptions> = {
  eventsKeptMs: true,
  identityKeys: true,
  ingress: true,
  serve: true,
  storedExecutions: true,
};
const thirtyDaysMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Stores and drives executions on Restate, for `createServer({ engine })`. The storage keeps
 * everything else, and their lists.
 *
 * Each process of the app serves the same deployment, which is registered with Restate once for
 * each version of this package: `halyard restate register`.
 *
 * @throws ConfigurationError for an unknown or invalid option.
 */
export function createRestateEngine(options: RestateEngineOptions): ExecutionEngine {
  checkOptions(options);
  return { open: (storage, { logger }) => openEngine(options, storage, logger) };
}

async function openEngine(
  { eventsKeptMs = thirtyDaysMs, identityKeys, ingress, serve, storedExecutions }: RestateEngineOptions,
  storage: Storage,
  logger: Logger,
): Promise<EngineStorage> {
  const { executionMirror: mirror } = storage;
  if (mirror === undefined)
    throw new ConfigurationError('The storage cannot list the executions of an engine: it has no `executionMirror`');
  const client = new IngressClient(ingress);
  const watches = new Watches(client);
  const deliveries = new Deliveries(client, watches);
  const { host, port } = serve;
  const endpoint = await Endpoint.open({
    port,
    host,
    identityKeys,
    clock: engineClock,
    logger,
    client,
    deliveries,
    mirror,
  });
  const executions = new RestateExecutions({
    client,
    watches,
    deliveries,
    mirror,
    eventsKeptMs,
    now: () => systemClock.now(),
    disconnect: async () => {
      watches.close();
      await endpoint.close();
    },
  });
  const users = new RestateUsers(storage.users, executions, mirror);
  if (storedExecutions === undefined) return { ...storage, executions, users };
  return { ...storage, executions: new MovingExecutions(storage.executions, executions, storedExecutions), users };
}

/** @throws ConfigurationError */
function checkOptions(options: RestateEngineOptions): void {
  checkOptionNames('createRestateEngine', options, optionNames);
  const { eventsKeptMs, ingress, serve, storedExecutions } = options;
  if (!URL.canParse(ingress)) throw new ConfigurationError(`The option \`ingress\` must be a URL, not ${ingress}`);
  if (!Number.isInteger(serve?.port) || serve.port < 0 || serve.port > 65_535)
    throw new ConfigurationError(`The option \`serve.port\` must be a port, not ${serve?.port}`);
  if (eventsKeptMs !== undefined && !(Number.isFinite(eventsKeptMs) && eventsKeptMs > 0))
    throw new ConfigurationError(`The option \`eventsKeptMs\` must be a positive number, not ${eventsKeptMs}`);
  if (storedExecutions !== undefined && !['start', 'finish'].includes(storedExecutions))
    throw new ConfigurationError(
      `The option \`storedExecutions\` must be "start" or "finish", not ${storedExecutions}`,
    );
}
