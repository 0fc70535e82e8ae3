import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineStorage, Execution } from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { orderWorkflow } from './testing/order-workflow.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';
import { LoadBalancer, WorkerProcess } from './testing/worker-process.ts';

let server: RestateServer;
let directory: string;
let balancer: LoadBalancer;
let workers: WorkerProcess[] | undefined;
/** Of this process, which starts executions and runs none. */
let storage: EngineStorage;
let runtime: WorkflowRuntime;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'halyard-workers-'));
  server = await RestateServer.start({
    env: {
      RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '1s',
      RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '2s',
    },
  });
  const [address, ...ports] = await freePorts();
  workers = await Promise.all(ports.map((port) => WorkerProcess.start(server.ingress, port, directory)));
  balancer = await LoadBalancer.start(address, ports);
  await server.register(address);
  const [own] = await freePorts();
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port: own, host: '127.0.0.1' } });
  storage = await engine.open(createInMemoryStorage(), { logger: silent });
  runtime = new WorkflowRuntime({ workflows: [orderWorkflow(directory)], storage, services: { logger: silent } });
});

afterEach(async () => {
  await storage?.executions.disconnect();
  for (const worker of workers ?? []) await worker.kill();
  balancer?.close();
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function begin(executionId: string): Promise<void> {
  await runtime.begin('order', {}, { executionId });
}

async function find(executionId: string): Promise<Execution> {
  return runtime.get({ owner: 'anyone', workflowId: 'order', executionId });
}

/** The steps that began, each with the process that ran it. */
async function steps(): Promise<readonly { readonly step: string; readonly key: string; readonly pid: number }[]> {
  const text = await readFile(join(directory, 'steps.log'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [step = '', key = '', pid = ''] = line.split(' ');
      return { step, key, pid: Number(pid) };
    });
}

/** The worker in which the step `slow` runs. */
async function runnerOfSlow(): Promise<WorkerProcess> {
  return vi.waitFor(async () => {
    const pid = (await steps()).findLast(({ step }) => step === 'slow')?.pid;
    const worker = workers?.find((one) => one.pid === pid);
    if (worker === undefined) throw new Error('The step has not begun');
    return worker;
  }, 60_000);
}

async function allow(): Promise<void> {
  await writeFile(join(directory, 'go'), '');
}

async function untilCompleted(id: string): Promise<void> {
  await vi.waitFor(async () => expect((await find(id)).status).toBe('completed'), { timeout: 120_000, interval: 200 });
}

/** Each step is recorded once, and no event is missing or doubled. */
async function expectWholeHistory(id: string): Promise<void> {
  const { executions } = storage;
  const paths = (await executions.journal('anyone', id)).map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
  const { seq } = await find(id);
  const events = await executions.events('anyone', id, { after: 0, limit: 1_000 });
  expect(events.map((one) => one.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  const completed = events.filter(({ event }) => event.type === 'step-complete').map(({ event }) => event.from);
  expect(completed.toSorted()).toEqual([...new Set(completed)].toSorted());
  expect(completed).toHaveLength(7);
}

it('continues in another process when the one that runs a step is killed', async () => {
  await begin('run');
  const worker = await runnerOfSlow();
  await worker.kill();
  await vi.waitFor(async () => {
    const slow = (await steps()).filter(({ step }) => step === 'slow');
    expect(slow).toHaveLength(2);
    expect(slow[1]?.pid).not.toBe(worker.pid);
    expect(slow[1]?.key).toBe(slow[0]?.key);
  }, 60_000);
  await allow();
  await untilCompleted('run');
  await expectWholeHistory('run');
  expect((await steps()).filter(({ step }) => step === 'first')).toHaveLength(1);
});

it('continues when the server is killed while a step runs', async () => {
  await begin('run');
  await runnerOfSlow();
  await server.kill();
  await server.start();
  await allow();
  await untilCompleted('run');
  await expectWholeHistory('run');
  expect((await steps()).filter(({ step }) => step === 'first')).toHaveLength(1);
});

it('accepts nothing from a process that was paused, once another one has its execution', async () => {
  await begin('run');
  const paused = await runnerOfSlow();
  paused.signal('SIGSTOP');
  balancer.leaveOut(paused.port);
  await vi.waitFor(async () => {
    expect((await steps()).findLast(({ step }) => step === 'slow')?.pid).not.toBe(paused.pid);
  }, 60_000);
  paused.signal('SIGCONT');
  await allow();
  await untilCompleted('run');
  await expectWholeHistory('run');
  const ofLater = (await steps()).filter(({ step }) => step === 'a' || step === 'b');
  expect(ofLater.map(({ pid }) => pid)).not.toContain(paused.pid);
});
