import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError } from '@halyard/contracts';
import { fetchProgram } from '../../../../tools/programs/fetch-program.ts';
import { registerDeployment } from '../register-deployment.ts';

export interface RestateServerOptions {
  /** Environment variables, such as `RESTATE_WORKER__…`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The name of the node. */
  readonly name?: string | undefined;
}

interface Ports {
  readonly admin: number;
  readonly fabric: number;
  readonly ingress: number;
}

/** A real server of one node, on free ports and in a directory of its own. */
export class RestateServer {
  readonly directory: string;
  readonly #ports: Ports;
  #env: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(directory: string, ports: Ports, { env = {}, name = 'one' }: RestateServerOptions) {
    this.directory = directory;
    this.#ports = ports;
    this.#env = { RESTATE_NODE_NAME: name, ...env };
  }

  static async start(options: RestateServerOptions = {}): Promise<RestateServer> {
    const server = await RestateServer.create(options);
    await server.start();
    return server;
  }

  /** Without starting it. */
  static async create(options: RestateServerOptions): Promise<RestateServer> {
    const directory = await mkdtemp(join(tmpdir(), 'halyard-restate-'));
    const [ingress, admin, fabric] = await freePorts();
    return new RestateServer(directory, { ingress, admin, fabric }, options);
  }

  /** Three nodes, which replicate everything to two of them, or only one. */
  static async startCluster(
    env: Readonly<Record<string, string>> = {},
    count: 1 | 3 = 3,
  ): Promise<readonly RestateServer[]> {
    const names = ['one', 'two', 'three'].slice(0, count);
    const nodes = await Promise.all(names.map((name) => RestateServer.create({ name, env })));
    const addresses = JSON.stringify(nodes.map((node) => node.#address));
    for (const [index, node] of nodes.entries())
      node.#env = {
        ...node.#env,
        RESTATE_CLUSTER_NAME: 'halyard',
        RESTATE_AUTO_PROVISION: `${index === 0}`,
        RESTATE_METADATA_CLIENT__ADDRESSES: addresses,
        RESTATE_DEFAULT_REPLICATION: count === 1 ? '1' : '2',
      };
    await Promise.all(nodes.map((node) => node.start()));
    return nodes;
  }

  /** For other nodes. */
  get #address(): string {
    return `http://127.0.0.1:${this.#ports.fabric}`;
  }

  get ingress(): string {
    return `http://127.0.0.1:${this.#ports.ingress}`;
  }

  get admin(): string {
    return `http://127.0.0.1:${this.#ports.admin}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const { admin, fabric, ingress } = this.#ports;
    const child = spawn(await binary(), ['--no-logo'], {
      cwd: this.directory,
      env: {
        ...process.env,
        DO_NOT_TRACK: '1',
        RESTATE_BASE_DIR: this.directory,
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_ADVERTISED_ADDRESS: this.#address,
        RESTATE_BIND_PORT: `${fabric}`,
        RESTATE_INGRESS__BIND_PORT: `${ingress}`,
        RESTATE_ADMIN__BIND_PORT: `${admin}`,
        RESTATE_DEFAULT_NUM_PARTITIONS: '4',
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256 MB',
        RESTATE_LOG_FILTER: 'warn',
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-20_000);
      });
    await this.#untilHealthy();
  }

  /** As by a crash: nothing is saved first. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Pauses or continues the process. */
  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** The rows of a statement on Restate's tables. */
  async query<Row = unknown>(query: string): Promise<readonly Row[]> {
    const response = await fetch(`${this.admin}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    const answer = (await response.json()) as { readonly rows?: readonly Row[] };
    // The first queries come too early for a server that has just started.
    return answer.rows ?? this.query(query);
  }

  async register(port: number): Promise<void> {
    await registerDeployment(this.admin, `http://127.0.0.1:${port}`);
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #untilHealthy(): Promise<void> {
    const child = this.#process;
    while (!(await isHealthy(`${this.admin}/health`)) || !(await isHealthy(`${this.ingress}/restate/health`))) {
      if (child?.exitCode !== null) throw new ConfigurationError(`restate-server has exited:\n${this.#output}`);
      await delay(50);
    }
  }
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function binary(): Promise<string> {
  const program = await fetchProgram('restate-server');
  if (program !== undefined) return program;
  throw new ConfigurationError(`Restate has no server for ${process.platform} ${process.arch}`);
}

/** Ports that were free a moment ago. */
export async function freePorts(): Promise<readonly [number, number, number]> {
  const servers = [createServer(), createServer(), createServer()] as const;
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const [one = 0, two = 0, three = 0] = servers.map((server) => portOf(server.address()));
  for (const server of servers) server.close();
  return [one, two, three];
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
