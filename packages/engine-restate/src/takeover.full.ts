import type { EngineStorage } from '@halyard/contracts';
import { andThen, createWorkflow, WorkflowRuntime } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { IngressClient } from './ingress-client.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';
import { LoadBalancer } from './testing/worker-process.ts';

let server: RestateServer;
let balancer: LoadBalancer;
let ports: readonly number[];
const opened: EngineStorage[] = [];

beforeEach(async () => {
  server = await RestateServer.start();
  const [address, ...others] = await freePorts();
  ports = others;
  balancer = await LoadBalancer.start(address, []);
  deployment = address;
});
let deployment = 0;

afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.executions.disconnect();
  balancer?.close();
  await server?.close();
});

/** A process of the app, as far as Restate sees it. */
async function open(port: number, workflows: readonly WorkflowDefinition[]): Promise<WorkflowRuntime> {
  const engine = createRestateEngine({ ingress: server.ingress, serve: { port, host: '127.0.0.1' } });
  const storage = await engine.open(createInMemoryStorage(), { logger: silentLogger });
  opened.push(storage);
  const runtime = new WorkflowRuntime({ workflows, storage, services: { logger: silentLogger } });
  runtime.start();
  return runtime;
}

/** A step that ends when it may, in the process that runs it last. */
function slowWorkflow(): { readonly workflow: WorkflowDefinition; readonly begun: () => number; allow(): void } {
  const allowed = Promise.withResolvers<void>();
  let begun = 0;
  const workflow = createWorkflow({ id: 'slow', name: 'Slow', purpose: 'Waits' }).andThen({
    id: 'wait',
    execute: async () => {
      begun += 1;
      await allowed.promise;
      return 'done';
    },
  });
  return { workflow, begun: () => begun, allow: () => allowed.resolve() };
}

const key = { owner: 'anyone', workflowId: 'slow', executionId: 'one' } as const;

/** The invocations that run the execution or will. */
async function runs(): Promise<readonly { readonly id: string }[]> {
  return server.query(
    `select id from sys_invocation where target_service_name = 'HalyardRunner' and target_service_key = 'one' and status <> 'completed' order by created_at`,
  );
}

/** What Restate stores of the execution. */
async function stateOf() {
  const rows = await server.query<{ readonly value_utf8: string }>(
    "select value_utf8 from state where service_name = 'HalyardExecution' and service_key = 'one' and key = 'root'",
  );
  return JSON.parse(rows[0]?.value_utf8 ?? '') as {
    readonly claimsWithoutCommit: number;
    readonly record: { readonly runner: string | null };
    readonly place: { readonly dueAt: number | null };
  };
}

it('continues after a process has died and another one did not know the workflow', async () => {
  const { allow, begun, workflow } = slowWorkflow();
  const other = createWorkflow({ id: 'other', name: 'Other', purpose: 'Is another' }).andThen({
    id: 'only',
    execute: async () => 1,
  });
  const [first = 0, second = 0] = ports;
  await open(second, [other]);
  const runtime = await open(first, [workflow]);
  balancer.takeIn(first);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun()).toBe(1), 60_000);
  const [delivered] = await runs();

  balancer.leaveOut(first);
  balancer.takeIn(second);
  await opened[1]?.executions.disconnect();
  await vi.waitFor(async () => expect((await runs()).map(({ id }) => id)).not.toContain(delivered?.id), 60_000);

  const [third] = await freePorts();
  const later = await open(third, [workflow]);
  balancer.takeIn(third);
  balancer.leaveOut(second);
  await opened[0]?.executions.disconnect();
  allow();
  expect(await later.wait(key, { until: 'ended', timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
});

it('gives an execution again to the delivery that has it: its process has lost the first claim', async () => {
  const { allow, begun, workflow } = slowWorkflow();
  const runtime = await open(ports[0] ?? 0, [workflow]);
  balancer.takeIn(ports[0] ?? 0);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun()).toBe(1), 60_000);
  const claim = (claimId: string, attempt: number) =>
    new IngressClient(server.ingress).call('execution', 'one', 'claim', {
      runner: 'by hand',
      definitions: null,
      claimId,
      delivery: { ticket: 1, attempt },
      awakeable: null,
      maxClaims: null,
    });
  const epochOf = (result: Awaited<ReturnType<typeof claim>>): unknown =>
    result.status === 'claimed' ? result.claimed.execution.epoch : result.status;
  expect(epochOf(await claim('first', 5))).toBe(2);
  expect(epochOf(await claim('first', 5))).toBe(2);
  expect(epochOf(await claim('second', 5))).toBe(3);
  expect(epochOf(await claim('older', 4))).toBe('refused');
  allow();
});

it('continues an execution whose invocation an operator has killed', async () => {
  const { allow, begun, workflow } = slowWorkflow();
  const runtime = await open(ports[0] ?? 0, [workflow]);
  balancer.takeIn(ports[0] ?? 0);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun()).toBe(1), 60_000);
  for (const times of [2, 3]) {
    const [delivered] = await runs();
    await fetch(`${server.admin}/invocations/${delivered?.id}/kill`, { method: 'PATCH' });
    await vi.waitFor(() => expect(begun()).toBe(times), 60_000);
  }
  // The process lives, so that nothing speaks against the execution.
  expect((await stateOf()).claimsWithoutCommit).toBe(1);
  allow();
  expect(await runtime.wait(key, { until: 'ended', timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
});

it('counts no claim whose process lives, and delays an execution whose processes may have died of it', async () => {
  const { allow, begun, workflow } = slowWorkflow();
  const runtime = await open(ports[0] ?? 0, [workflow]);
  balancer.takeIn(ports[0] ?? 0);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun()).toBe(1), 60_000);
  const client = new IngressClient(server.ingress);
  const claim = async (attempt: number, maxClaims: number | null = null) => {
    const delivery = { ticket: 1, attempt };
    const input = { runner: 'by hand', definitions: null, claimId: `${attempt}`, delivery, awakeable: null, maxClaims };
    return (await client.call('execution', 'one', 'claim', input)).status;
  };
  const leave = (attempt: number) =>
    client.call('execution', 'one', 'left', { delivery: { ticket: 1, attempt }, delayMs: 0, isGivenUp: true });
  for (const attempt of [2, 3, 4]) expect(await claim(attempt)).toBe('claimed');
  // The first one has committed the start of the step.
  expect((await stateOf()).claimsWithoutCommit).toBe(3);
  for (const attempt of [2, 2, 1]) await leave(attempt);
  expect((await stateOf()).claimsWithoutCommit).toBe(2);
  const before = Date.now();
  expect(await claim(5, 8)).toBe('refused');
  const { claimsWithoutCommit, place, record } = await stateOf();
  expect([claimsWithoutCommit, record.runner]).toEqual([2, null]);
  expect(place.dueAt).toBeGreaterThanOrEqual(before + 20_000);
  // A request does not wait.
  allow();
  expect(await runtime.cancel(key)).toMatchObject({ status: 'cancelled' });
});

it('lets a request continue an execution whose process and invocation are gone', async () => {
  const { begun, workflow } = slowWorkflow();
  const [first = 0, second = 0] = ports;
  const runtime = await open(first, [workflow]);
  balancer.takeIn(first);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(() => expect(begun()).toBe(1), 60_000);
  const [delivered] = await runs();
  balancer.leaveOut(first);
  await opened[0]?.executions.disconnect();
  await fetch(`${server.admin}/invocations/${delivered?.id}/kill`, { method: 'PATCH' });
  await vi.waitFor(async () => expect((await runs()).map(({ id }) => id)).not.toContain(delivered?.id), 60_000);

  const later = await open(second, [workflow]);
  balancer.takeIn(second);
  expect(await later.cancel(key)).toMatchObject({ status: 'cancelled' });
});

it('hears of a request after a takeover, also if the first process had heard of a signal', async () => {
  let begun = 0;
  const mixed = createWorkflow({ id: 'slow', name: 'Mixed', purpose: 'Waits and works' }).andAll({
    id: 'both',
    steps: [
      andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') }),
      andThen({
        id: 'work',
        execute: ({ signal }) => {
          begun += 1;
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')));
          });
        },
      }),
    ],
  });
  const [first = 0, second = 0] = ports;
  const runtime = await open(first, [mixed]);
  balancer.takeIn(first);
  await server.register(deployment);
  await runtime.begin('slow', {}, { executionId: 'one' });
  await vi.waitFor(async () => expect((await runtime.get(key)).suspensions).toHaveLength(1), 60_000);
  await runtime.resume(key, { resumeData: 'yes' });
  await vi.waitFor(async () => {
    const journal = await opened[0]?.executions.journal('anyone', 'one');
    expect(journal?.map(({ path }) => path)).toContainEqual(expect.stringContaining('approve'));
  }, 60_000);

  await open(second, [mixed]);
  const [third] = await freePorts();
  const elsewhere = await open(third, [mixed]);
  balancer.leaveOut(first);
  balancer.takeIn(second);
  await opened[0]?.executions.disconnect();
  await vi.waitFor(() => expect(begun).toBe(2), 60_000);
  expect(await elsewhere.cancel(key)).toMatchObject({ status: 'cancelled' });
});
