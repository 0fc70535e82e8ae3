import { createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it, onTestFinished } from 'vitest';
import { ask, userOf } from '../../../testing/memory.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { gateOf } from '../../../testing/workflows.ts';

/** The keys that steps would pass to another service, by the gate of their execution. */
const keys = new Map<string, string>();

const pay = createWorkflow({ id: 'pay', input: Type.Object({ gate: Type.String() }) })
  .andThen({
    id: 'transfer',
    execute: ({ data, idempotencyKey, signal }) => {
      keys.set(data.gate, idempotencyKey);
      return gateOf(data.gate).pass(signal);
    },
  })
  .andThen({ id: 'receipt', execute: ({ data, input }) => ({ data, gate: input.gate }) });

async function serverOn(storage = createInMemoryStorage()): Promise<Served> {
  const server = await serve([], { workflows: [pay], storage, userOf });
  onTestFinished(() => server.close());
  return server;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Starts an execution with an id that the caller has chosen. */
async function start(
  { origin }: Served,
  { as, gate, id, path = 'execute' }: { as: string; gate: string; id: string; path?: 'execute' | 'stream' },
): Promise<Reply> {
  const { headers, ...request } = json({ input: { gate }, options: { executionId: id } });
  const sent = { ...request, headers: { ...(headers as Record<string, string>), 'x-user': as } };
  const response = await fetch(`${origin}/workflows/pay/${path}`, sent);
  return { status: response.status, text: await response.text() };
}

const remove = (server: Served, userId: string) =>
  ask(server.origin, `/users/${userId}`, { method: 'DELETE', as: userId });

it('ends the runs and the open calls of a deleted user, which learn nothing of the executions that have the ids then', async () => {
  const server = await serverOn();
  const executed = start(server, { as: 'mallory', id: 'order-17', gate: 'mallory-17' });
  const streamed = start(server, { as: 'mallory', id: 'order-18', gate: 'mallory-18', path: 'stream' });
  const signals = [await gateOf('mallory-17').entered, await gateOf('mallory-18').entered];

  expect(await remove(server, 'mallory')).toMatchObject({ status: 200, data: { executions: 2 } });
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  const ofBob = ['17', '18'].map((number) =>
    start(server, { as: 'bob', id: `order-${number}`, gate: `bob-${number}` }),
  );
  for (const gate of ['bob-17', 'bob-18']) await gateOf(gate).entered;

  expect(await executed).toEqual({ status: 404, text: '{"success":false,"error":"Execution not found: order-17"}' });
  const { text } = await streamed;
  expect(text).toContain('"gate":"mallory-18"');
  expect(text).toMatch(/data: \{"type":"error","error":"Execution not found: order-18"\}\n\n$/);
  expect(text).not.toContain('bob');
  for (const number of ['17', '18']) {
    gateOf(`mallory-${number}`).open('too late');
    gateOf(`bob-${number}`).open('paid');
  }
  const results = (await Promise.all(ofBob)).map((reply) => JSON.parse(reply.text) as unknown);
  expect(results).toMatchObject([
    { data: { status: 'completed', result: { data: 'paid', gate: 'bob-17' } } },
    { data: { status: 'completed', result: { data: 'paid', gate: 'bob-18' } } },
  ]);
});

it('writes nothing of a deleted execution to the one that has its id then, which another server runs', async () => {
  const storage = createInMemoryStorage();
  const [one, other] = [await serverOn(storage), await serverOn(storage)];
  const executed = start(one, { as: 'mallory', id: 'order-19', gate: 'mallory-19' });
  await gateOf('mallory-19').entered;
  await remove(other, 'mallory');
  const ofBob = start(other, { as: 'bob', id: 'order-19', gate: 'bob-19' });
  await gateOf('bob-19').entered;

  gateOf('mallory-19').open('of mallory');
  expect(await executed).toMatchObject({ status: 404 });
  expect(await storage.executions.journal('anyone', 'order-19')).toEqual([]);
  gateOf('bob-19').open('paid');
  expect(JSON.parse((await ofBob).text)).toMatchObject({ data: { result: { data: 'paid', gate: 'bob-19' } } });
  expect(await storage.executions.find({ user: 'bob' }, 'order-19')).toMatchObject({
    output: { data: 'paid', gate: 'bob-19' },
  });
});

it('gives steps other idempotency keys than those of the execution that had the id before', async () => {
  const server = await serverOn();
  for (const as of ['mallory', 'bob']) {
    gateOf(`${as}-20`).open('paid');
    expect(await start(server, { as, id: 'order-20', gate: `${as}-20` })).toMatchObject({ status: 200 });
    await remove(server, as);
  }
  expect(keys.get('bob-20')).toMatch(/^order-20~.+\/transfer$/);
  expect(keys.get('mallory-20')).toMatch(/^order-20~.+\/transfer$/);
  expect(keys.get('bob-20')).not.toBe(keys.get('mallory-20'));
});
