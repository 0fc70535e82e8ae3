import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger, type Storage } from '@halyard/contracts';
import { type AnyWorkflow, createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPostgresServer } from '../../memory-postgres/src/testing/postgres-server.ts';
import { createServerDatabase, type ServerDatabase } from '../../memory-postgres/src/testing/server-database.ts';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';
import { type ServerProcess, startServerProcess } from './testing/server-process.ts';

let restate: RestateServer;
let database: ServerDatabase;
let directory: string;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  restate = await RestateServer.start();
});
beforeEach(async () => {
  database = await createServerDatabase();
  directory = mkdtempSync(join(tmpdir(), 'halyard-moving-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  rmSync(directory, { recursive: true, force: true });
  await database.remove();
});
afterAll(() => restate?.close());

/** @param port where Restate calls it. Undefined: its executions are in PostgreSQL only. */
function startServer(port?: number): Promise<ServerProcess> {
  const args = [database.connectionString, directory, ...(port === undefined ? [] : [restate.ingress, `${port}`])];
  return startServerProcess(new URL('testing/moving-server.ts', import.meta.url), args, closing);
}

interface Reply {
  readonly code: number;
  readonly data?: unknown;
  readonly hasMore?: boolean;
}

async function call(url: string, body?: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) });
  return { ...((await reply.json()) as object), code: reply.status };
}

const begunIds = (): readonly string[] => readFileSync(join(directory, 'slow.log'), 'utf8').trim().split('\n');

it('starts executions on Restate, and ends those of PostgreSQL where they are, after each is killed', async () => {
  const [port] = await freePorts();
  const start = (url: string, executionId: string) =>
    call(`${url}/workflows/order/execute`, { input: executionId, options: { executionId } });
  const resume = (url: string, executionId: string) =>
    call(`${url}/workflows/order/executions/${executionId}/resume`, { resumeData: 'yes' });
  const stateOf = async (url: string, executionId: string) =>
    (await call(`${url}/workflows/order/executions/${executionId}/state`)).data;
  const suspended = { code: 200, data: { status: 'suspended' } };

  const first = await startServer();
  for (const id of ['old-1', 'old-2', 'old-3', 'old-4']) expect(await start(first.url, id)).toMatchObject(suspended);
  void resume(first.url, 'old-1').catch(() => {});
  await expect.poll(begunIds).toEqual(['old-1']);
  await first.kill();

  const second = await startServer(port);
  await restate.register(port);
  expect(await start(second.url, 'old-2')).toMatchObject({ code: 409 });
  for (const id of ['new-1', 'new-2']) expect(await start(second.url, id)).toMatchObject(suspended);
  expect(await start(second.url, 'new-1')).toMatchObject({ code: 409 });
  for (const id of ['old-2', 'new-1']) void resume(second.url, id).catch(() => {});
  // The lease of the killed process ends, and this one claims its execution.
  await expect.poll(() => begunIds().toSorted()).toEqual(['new-1', 'old-1', 'old-1', 'old-2']);
  await second.kill();

  const third = await startServer(port);
  await expect.poll(() => begunIds().length).toBe(7);
  for (const id of ['old-3', 'new-2']) void resume(third.url, id).catch(() => {});
  await expect.poll(() => begunIds().length).toBe(9);
  const cancel = (id: string) => call(`${third.url}/workflows/order/executions/${id}/cancel`, {});
  expect(await cancel('old-4')).toMatchObject({ data: { status: 'cancelled' } });
  writeFileSync(join(directory, 'go'), '');

  const ids = ['new-2', 'new-1', 'old-4', 'old-3', 'old-2', 'old-1'];
  const list = async (query: string) => {
    const { data, hasMore } = await call(`${third.url}/workflows/executions?events=false&${query}`);
    return { ids: (data as readonly { readonly id: string }[]).map(({ id }) => id), hasMore };
  };
  await expect.poll(() => list('limit=10')).toEqual({ ids, hasMore: false });
  for (const [index, after] of ids.entries()) {
    const rest = ids.slice(index + 1);
    expect(await list(`limit=2&after=${after}`)).toEqual({ ids: rest.slice(0, 2), hasMore: rest.length > 2 });
    expect(await list(`limit=2&offset=${index}`)).toEqual({
      ids: ids.slice(index, index + 2),
      hasMore: index < ids.length - 2,
    });
  }

  const others = ids.filter((id) => id !== 'old-4');
  for (const id of others)
    await expect.poll(async () => JSON.stringify(await stateOf(third.url, id))).toContain('"paid"');
  await call(`${third.url}/workflows/events`, { name: 'paid', key: 'all', payload: { euros: 3 }, requestId: 'p-1' });
  for (const id of others)
    await expect.poll(() => stateOf(third.url, id)).toMatchObject({ status: 'completed', output: { euros: 3 } });

  const storage = createPostgresStorage({ connectionString: database.connectionString, logger: silentLogger });
  closing.push(() => storage.close());
  for (const id of ids) {
    const stored = await storage.executions.find('anyone', id);
    expect([id, stored !== undefined]).toEqual([id, id.startsWith('old')]);
    const stream = await fetch(`${third.url}/workflows/order/executions/${id}/stream`);
    const seqs = [...(await stream.text()).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(seqs.length).toBeGreaterThan(3);
  }
});

interface OpenOptions {
  readonly storage: Storage;
  readonly port: number;
  readonly storedExecutions: 'start' | 'finish';
  readonly leaseMs?: number;
  readonly logger?: Logger;
}

async function open(
  workflow: AnyWorkflow,
  { leaseMs, logger = silentLogger, port, storage, storedExecutions }: OpenOptions,
): Promise<WorkflowRuntime> {
  const serve = { port, host: '127.0.0.1' };
  const engine = createRestateEngine({ ingress: restate.ingress, serve, storedExecutions });
  const opened = await engine.open(storage, { logger });
  closing.push(() => opened.executions.disconnect());
  const runtime = new WorkflowRuntime({ workflows: [workflow], storage: opened, leaseMs, services: { logger } });
  runtime.start();
  closing.push(() => runtime.stop(0));
  return runtime;
}

it('starts an id once while some replicas start on PostgreSQL and others on Restate', async () => {
  const both = createWorkflow({ id: 'both' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs an answer'),
  });
  const storage = createPostgresStorage({ connectionString: database.connectionString, logger: silentLogger });
  closing.push(() => storage.close());
  const [deployment, other] = await freePorts();
  const before = await open(both, { storage, port: deployment, storedExecutions: 'start' });
  const after = await open(both, { storage, port: other, storedExecutions: 'finish' });
  await restate.register(deployment);
  for (let index = 0; index < 20; index += 1) {
    const executionId = `both-${index}`;
    const runtimes = index % 2 === 0 ? [before, after] : [after, before];
    const ended = await Promise.allSettled(runtimes.map((runtime) => runtime.begin('both', {}, { executionId })));
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const key = { owner: 'anyone', workflowId: 'both', executionId } as const;
    for (const runtime of [before, after]) expect(await runtime.wait(key)).toMatchObject({ status: 'suspended' });
    const [one, another] = index % 3 === 0 ? [before, after] : [after, before];
    await one.resume(key, { resumeData: index });
    expect(await another.wait(key, { until: 'ended' })).toMatchObject({ status: 'completed', result: index });
  }
  await before.begin('both', {}, { executionId: 'before' });
  await after.begin('both', {}, { executionId: 'after' });
  expect(await storage.executions.find('anyone', 'before')).toBeDefined();
  expect(await storage.executions.find('anyone', 'after')).toBeUndefined();
  const { executions } = await before.list({ owner: 'anyone', status: 'completed' });
  expect(executions).toHaveLength(20);
});

it('runs on Restate whatever happens to the lease in PostgreSQL, also while that is down', async () => {
  const own = await startPostgresServer({ fsync: false });
  closing.push(() => own.remove());
  const storage = createPostgresStorage({ connectionString: own.connectionString, logger: silentLogger });
  closing.push(() => storage.close());
  const allowed = Promise.withResolvers<void>();
  let begun = 0;
  const held = createWorkflow({ id: 'held' })
    .andThen({
      id: 'wait',
      execute: async () => {
        begun += 1;
        await allowed.promise;
        return 'waited';
      },
    })
    .andThen({ id: 'last', execute: async ({ data }) => data });
  const [port] = await freePorts();
  const leaseMs = 600;
  let failures = 0;
  const logger = { ...silentLogger, warn: () => void (failures += 1) };
  const runtime = await open(held, { storage, port, storedExecutions: 'finish', leaseMs, logger });
  await restate.register(port);
  const executionId = await runtime.begin('held', {});
  await expect.poll(() => begun).toBe(1);

  const leaseUntil = async () => {
    const runners = await storage.executions.runners?.();
    return runners?.find(({ runner }) => runner === runtime.runner)?.leaseUntil ?? 0;
  };
  await expect.poll(leaseUntil).toBeGreaterThan(0);
  const before = await leaseUntil();
  await expect.poll(leaseUntil).toBeGreaterThan(before + 3 * leaseMs);
  await own.stop();
  // One for each third of the lease, at most.
  await expect.poll(() => failures).toBeGreaterThan(5);
  await own.start();
  allowed.resolve();
  expect(await runtime.wait({ owner: 'anyone', executionId }, { until: 'ended' })).toMatchObject({ result: 'waited' });
  expect(begun).toBe(1);
});
