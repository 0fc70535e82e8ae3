import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { freePort } from '../../../../../packages/memory-postgres/src/testing/free-port.ts';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { PlantName } from '../plants.ts';
import { CpuWaits } from './cpu-waits.ts';
import { HttpClient } from './http-client.ts';
import { Replica } from './replica-process.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface ClusterOptions {
  readonly random: SeededRandom;
  /** Default: 3. */
  readonly replicas?: number;
  /** Default: 3 000. */
  readonly leaseMs?: number;
  /** Limits of the servers. By default, `/execute` returns at once with `running`. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly plant?: PlantName | undefined;
  /** The connection string for a replica, for example through a proxy. Default: the server's. */
  readonly connectionStringFor?: (server: PostgresServer, replica: number) => string;
}

/** Replicas of one app with their own PostgreSQL server. */
export interface Cluster {
  readonly server: PostgresServer;
  readonly replicas: readonly Replica[];
  readonly leaseMs: number;
  readonly client: HttpClient;
  /** Direct connections to the database, for checks. */
  readonly pool: Pool;
  /** How long the processes had to wait for the CPU. */
  readonly cpuWaits: CpuWaits;
  /** The directory of the processes' logs. */
  readonly directory: string;
  /** Stops all processes and deletes their data. */
  readonly close: () => Promise<void>;
}

export async function startCluster({
  connectionStringFor = ({ connectionString }) => connectionString,
  leaseMs = 3_000,
  limits = { executeWaitMs: 1 },
  plant,
  random,
  replicas: count = 3,
}: ClusterOptions): Promise<Cluster> {
  const server = await startPostgresServer();
  const directory = mkdtempSync(join(tmpdir(), 'halyard-faults-'));
  const pool = new Pool({ connectionString: server.connectionString, max: 4 });
  // Errors of idle connections. Failing queries reject.
  pool.on('error', () => {});
  const ports = await freePorts(count);
  const replicas = ports.map(
    (port, index) =>
      new Replica({
        index,
        port,
        directory,
        leaseMs,
        limits,
        plant,
        connectionString: connectionStringFor(server, index),
      }),
  );
  const client = new HttpClient(replicas, random.fork());
  const cpuWaits = new CpuWaits(() => replicas.flatMap(({ pid }) => pid ?? []), pool);
  const onSignal = (): void => void close().finally(() => process.exit(1));
  const close = async (): Promise<void> => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    cpuWaits.close();
    await Promise.all(replicas.map((replica) => replica.signal('SIGKILL')));
    await pool.end();
    await server.remove();
    rmSync(directory, { recursive: true, force: true });
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    await Promise.all(replicas.map((replica) => client.ask('/readyz', { replica })));
  } catch (error) {
    await close();
    throw error;
  }
  return { server, replicas, leaseMs, directory, pool, cpuWaits, close, client };
}

/** Different free ports. */
async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
