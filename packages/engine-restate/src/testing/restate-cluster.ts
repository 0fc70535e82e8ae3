import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, type EngineStorage } from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createRestateEngine } from '../create-restate-engine.ts';
import { freePorts, RestateServer } from './restate-server.ts';
import { LoadBalancer, WorkerProcess } from './worker-process.ts';

interface Parts {
  readonly directory: string;
  readonly nodes: readonly RestateServer[];
  readonly ingress: LoadBalancer;
  readonly ingressUrl: string;
  readonly workers: WorkerProcess[];
  readonly deployment: LoadBalancer;
  readonly storage: EngineStorage;
  readonly runtime: WorkflowRuntime;
}

/** Nodes, three processes that run executions, and this one, which only starts them. */
export class RestateCluster {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(
    workflows: (directory: string) => readonly WorkflowDefinition[],
    env: Readonly<Record<string, string>> = {},
    nodeCount: 1 | 3 = 3,
  ): Promise<RestateCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'halyard-cluster-'));
    const nodes = await RestateServer.startCluster(env, nodeCount);
    const [ingressPort, address, own] = await freePorts();
    const ingress = await LoadBalancer.start(
      ingressPort,
      nodes.map((node) => Number(new URL(node.ingress).port)),
    );
    const ingressUrl = `http://127.0.0.1:${ingressPort}`;
    const ports = await freePorts();
    const workers = await Promise.all(ports.map((port) => WorkerProcess.start(ingressUrl, port, directory)));
    const deployment = await LoadBalancer.start(address, ports);
    await nodes[0]?.register(address);
    const engine = createRestateEngine({ ingress: ingressUrl, serve: { port: own, host: '127.0.0.1' } });
    const storage = await engine.open(createInMemoryStorage(), { logger: silentLogger });
    const services = { logger: silentLogger };
    const runtime = new WorkflowRuntime({ workflows: workflows(directory), storage, services });
    return new RestateCluster({ directory, nodes, ingress, ingressUrl, workers, deployment, storage, runtime });
  }

  get directory(): string {
    return this.#parts.directory;
  }

  get runtime(): WorkflowRuntime {
    return this.#parts.runtime;
  }

  get storage(): EngineStorage {
    return this.#parts.storage;
  }

  node(index: number): RestateServer {
    return at(this.#parts.nodes, index);
  }

  worker(index: number): WorkerProcess {
    return at(this.#parts.workers, index);
  }

  /** Starts another process in the place of a killed one. */
  async restartWorker(index: number): Promise<void> {
    const { directory, ingressUrl, workers } = this.#parts;
    workers[index] = await WorkerProcess.start(ingressUrl, this.worker(index).port, directory);
  }

  /** The worker hangs. A health check notices it. */
  pauseWorker(index: number): void {
    this.worker(index).signal('SIGSTOP');
    this.#parts.deployment.leaveOut(this.worker(index).port);
  }

  continueWorker(index: number): void {
    this.worker(index).signal('SIGCONT');
    this.#parts.deployment.takeIn(this.worker(index).port);
  }

  pauseNode(index: number): void {
    this.node(index).signal('SIGSTOP');
    this.#parts.ingress.leaveOut(Number(new URL(this.node(index).ingress).port));
  }

  continueNode(index: number): void {
    this.node(index).signal('SIGCONT');
    this.#parts.ingress.takeIn(Number(new URL(this.node(index).ingress).port));
  }

  /** What Restate knows of an execution: its invocations and its state. */
  async describe(executionId: string): Promise<string> {
    const invocations = await this.node(0).query(
      `select * from sys_invocation where target_service_key = '${executionId}'`,
    );
    const state = await this.node(0).query(
      `select service_name, value_utf8 from state where service_key = '${executionId}' and key = 'root'`,
    );
    return JSON.stringify({ invocations, state }, undefined, 2);
  }

  async close(): Promise<void> {
    const { deployment, directory, ingress, nodes, storage, workers } = this.#parts;
    await storage.executions.disconnect();
    await Promise.all(workers.map((worker) => worker.kill()));
    deployment.close();
    ingress.close();
    await Promise.all(nodes.map((node) => node.close()));
    await rm(directory, { recursive: true, force: true });
  }
}

function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new ConfigurationError(`The cluster has no ${index}`);
  return value;
}
