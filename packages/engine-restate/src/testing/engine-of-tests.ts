import { ConfigurationError, type ExecutionEngine, type ExecutionMirror } from '@halyard/contracts';
import { afterAll } from 'vitest';
import { createRestateEngine } from '../create-restate-engine.ts';
import { freePorts, RestateServer } from './restate-server.ts';
import { LoadBalancer } from './worker-process.ts';

interface Opened {
  readonly restate: RestateServer;
  readonly deployment: LoadBalancer;
}

/**
 * Servers of a test that share a storage share a Restate server. A test may wrap the stores of a
 * storage, but not its mirror.
 */
const openedBy = new Map<ExecutionMirror, Promise<Opened>>();

/** This module is a setup file, too: nothing remains of a file of tests. */
afterAll(async () => {
  for (const opened of openedBy.values()) {
    const { deployment, restate } = await opened;
    deployment.close();
    await restate.close();
  }
  openedBy.clear();
});

/** For tests that run on the engine which the environment variable `HALYARD_ENGINE` names. */
export const engine: ExecutionEngine = {
  open: async (storage, services) => {
    const { executionMirror: mirror } = storage;
    if (mirror === undefined) throw new ConfigurationError('The storage of a test has no mirror');
    const opened = openedBy.get(mirror) ?? openRestate();
    openedBy.set(mirror, opened);
    const { deployment, restate } = await opened;
    const [port] = await freePorts();
    const own = createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } });
    const result = await own.open(storage, services);
    const { executions } = result;
    deployment.takeIn(port);
    await restate.register(deployment.port);
    const disconnect = executions.disconnect.bind(executions);
    executions.disconnect = async () => {
      deployment.leaveOut(port);
      await disconnect();
    };
    // Tests look into the storage that they have passed.
    Object.defineProperty(storage, 'executions', { value: executions, configurable: true, enumerable: true });
    return result;
  },
};

async function openRestate(): Promise<Opened> {
  const restate = await RestateServer.start();
  const [port] = await freePorts();
  return { restate, deployment: await LoadBalancer.start(port, []) };
}
