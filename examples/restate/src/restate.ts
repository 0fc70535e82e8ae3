import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fetchProgram } from '../../../tools/programs/fetch-program.ts';

export interface RestatePorts {
  readonly ingress: number;
  readonly admin: number;
  /** For other nodes of a cluster. */
  readonly node: number;
}

export interface Restate {
  readonly ingress: string;
  readonly admin: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a Restate server of one node, which npm provides: in an app of your own, `npx
 * restate-server` after `npm install --save-dev @restatedev/restate-server`. It is not a dependency
 * of this example, because it takes 220 MB of each clone of the repository.
 *
 * @throws Error when it does not start.
 */
export async function startRestate(directory: string, ports: RestatePorts): Promise<Restate> {
  const program = await fetchProgram('restate-server');
  if (program === undefined) throw new Error(`npm has no Restate server for ${process.platform} ${process.arch}`);
  await mkdir(directory, { recursive: true });
  const child = spawn(program, ['--no-logo'], {
    cwd: directory,
    // A signal from the terminal ends the app first.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      RESTATE_NODE_NAME: 'one',
      RESTATE_BASE_DIR: directory,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: `${ports.node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${ports.node}`,
      RESTATE_INGRESS__BIND_PORT: `${ports.ingress}`,
      RESTATE_ADMIN__BIND_PORT: `${ports.admin}`,
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256 MB',
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
  });
  const exited = once(child, 'exit');
  const restate = {
    ingress: `http://127.0.0.1:${ports.ingress}`,
    admin: `http://127.0.0.1:${ports.admin}`,
    close: async () => {
      child.kill();
      await exited;
    },
  };
  while (!(await isHealthy(`${restate.admin}/health`)) || !(await isHealthy(`${restate.ingress}/restate/health`))) {
    if (child.exitCode !== null) throw new Error('Restate has ended. Does another one run on its ports?');
    await delay(100);
  }
  return restate;
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
