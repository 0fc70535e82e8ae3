import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowRuntime } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { orderWorkflow } from './testing/order-workflow.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';
import { LoadBalancer, WorkerProcess } from './testing/worker-process.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('completes all executions once while nodes and a worker of a cluster are killed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'halyard-cluster-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const nodes = await RestateServer.startCluster();
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  const [one, two] = nodes;
  if (one === undefined || two === undefined) expect.fail('a cluster has three nodes');

  const [ingressPort, address, own] = await freePorts();
  const ingress = await LoadBalancer.start(
    ingressPort,
    nodes.map((node) => Number(new URL(node.ingress).port)),
  );
  onTestFinished(() => ingress.close());
  const url = `http://127.0.0.1:${ingressPort}`;
  const workers = await Promise.all((await freePorts()).map((port) => WorkerProcess.start(url, port, directory)));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const balancer = await LoadBalancer.start(
    address,
    workers.map(({ port }) => port),
  );
  onTestFinished(() => balancer.close());
  await one.register(address);

  const engine = createRestateEngine({ ingress: url, serve: { port: own, host: '127.0.0.1' } });
  const storage = await engine.open(createInMemoryStorage(), { logger: silent });
  onTestFinished(() => storage.executions.disconnect());
  const runtime = new WorkflowRuntime({ workflows: [orderWorkflow(directory)], storage, services: { logger: silent } });

  const ids = Array.from({ length: 24 }, (_, index) => `run-${index}`);
  await Promise.all(ids.map((executionId) => runtime.begin('order', {}, { executionId })));
  await one.kill();
  await writeFile(join(directory, 'go'), '');
  await workers[0]?.kill();
  const halfway = runtime.wait({ owner: 'anyone', executionId: 'run-0' }, { until: 'ended' });
  await halfway;
  await one.start();
  await two.kill();
  await two.start();

  for (const executionId of ids) {
    const result = await runtime.wait({ owner: 'anyone', executionId }, { until: 'ended', timeoutMs: 120_000 });
    expect(result.status).toBe('completed');
    const paths = (await storage.executions.journal('anyone', executionId)).map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    const events = await storage.executions.events('anyone', executionId, { after: 0, limit: 1_000 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const completed = events.filter(({ event }) => event.type === 'step-complete').map(({ event }) => event.from);
    expect(completed.toSorted()).toEqual(['a', 'b', 'checks', 'first', 'last', 'nap', 'slow']);
  }
  expect((await readFile(join(directory, 'steps.log'), 'utf8')).length).toBeGreaterThan(0);
});
