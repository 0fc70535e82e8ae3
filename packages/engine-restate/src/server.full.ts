import { silentLogger } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

const order = createWorkflow({ id: 'order', name: 'Order', purpose: 'Takes an order' })
  .andThen({ id: 'price', execute: async () => 3 })
  .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') });

let restate: RestateServer;

beforeAll(async () => {
  restate = await RestateServer.start();
});
afterAll(async () => {
  await restate?.close();
});

it('serves executions of the engine', async () => {
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } });
  const storage = createInMemoryStorage();
  const server = await createServer({ workflows: [order], storage, engine, port: 0, logger: false });
  const url = await server.listen();
  await restate.register(port);
  const call = async (path: string, body?: object): Promise<unknown> => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, body === undefined ? {} : request);
    return response.json();
  };
  const begun = await call('/workflows/order/execute', { input: {} });
  expect(begun).toMatchObject({ data: { status: 'suspended' } });
  const { executionId } = (begun as { readonly data: { readonly executionId: string } }).data;
  const { executions } = await vi.waitFor(async () => {
    const page = await server.runtime.list({ owner: 'anyone', status: 'suspended' });
    if (page.executions.length === 0) expect.fail('the list lags');
    return page;
  }, 30_000);
  expect(executions.map(({ id }) => id)).toEqual([executionId]);
  await call(`/workflows/order/executions/${executionId}/resume`, { resumeData: 'yes' });
  await vi.waitFor(async () => {
    expect(await call(`/workflows/order/executions/${executionId}/state`)).toMatchObject({
      data: { status: 'completed' },
    });
  }, 30_000);
  // Nothing is in the storage but a copy for lists.
  expect(await storage.executions.find('anyone', executionId)).toBeUndefined();
  await server.close();
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
});

it('takes an answer by a link', async () => {
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } });
  const signature = createWorkflow({ id: 'signature' }).andThen({
    id: 'sign',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('Sign', {}, { approvers: ['grace'] }),
  });
  const server = await createServer({ workflows: [signature], engine, port: 0, logger: false });
  await server.listen();
  await restate.register(port);
  const { executionId } = await server.runtime.execute('signature', {});
  const link = await server.approvals.link({ executionId, stepId: 'sign' }, { to: 'grace', expiryMs: 60_000 });
  const open = async (): Promise<string> => (await fetch(link)).text();
  const page = await open();
  const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const body = new URLSearchParams({ token: field('token'), form: field('form'), decision: 'approve' });
  expect(await (await fetch(link.split('?')[0] ?? '', { method: 'POST', body })).text()).toContain('approved');
  await vi.waitFor(async () => expect(await open()).toContain('<bdi>You</bdi> approved'), 30_000);
  const key = { owner: 'anyone', workflowId: 'signature', executionId } as const;
  await vi.waitFor(async () => expect((await server.runtime.get(key)).status).toBe('completed'), 30_000);
  await server.close();
});

it('refuses a storage without a mirror, and an option that it does not have', async () => {
  const engine = createRestateEngine({ ingress: restate.ingress, serve: { port: 0 } });
  const { executionMirror: _, ...storage } = createInMemoryStorage();
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  await expect(engine.open(storage, { logger })).rejects.toThrow('has no `executionMirror`');
  expect(() => createRestateEngine({ ingress: 'restate', serve: { port: 1 } })).toThrow('`ingress` must be a URL');
  expect(() => createRestateEngine({ ingress: 'http://a', serve: { port: -1 } })).toThrow(
    '`serve.port` must be a port',
  );
  expect(() =>
    // @ts-expect-error there is no such mode
    createRestateEngine({ ingress: 'http://a', serve: { port: 1 }, storedExecutions: 'move' }),
  ).toThrow('`storedExecutions` must be "start" or "finish", not move');
});

it('lets no attempt of Restate fail while an execution runs and its events are read', async () => {
  const [port] = await freePorts();
  const engine = createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } });
  const faults: unknown[] = [];
  const warn = (fields: unknown): void => {
    if (typeof fields === 'object' && fields !== null && 'err' in fields) faults.push(fields);
  };
  const storage = await engine.open(createInMemoryStorage(), { logger: { ...silentLogger, warn, error: warn } });
  const reads = createWorkflow({ id: 'reads' })
    .andThen({ id: 'before', execute: () => 1 })
    .andThen({
      id: 'read',
      execute: async () => {
        for (let read = 0; read < 20; read += 1)
          await storage.executions.events('anyone', 'reading', { after: 0, limit: 100 });
      },
    });
  const runtime = new WorkflowRuntime({ workflows: [reads], storage, services: { logger: silentLogger } });
  runtime.start();
  await restate.register(port);
  expect(await runtime.execute('reads', {}, { executionId: 'reading' })).toMatchObject({ status: 'completed' });
  expect(faults).toEqual([]);
  await storage.executions.disconnect();
});
