import { Agent, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

const double = createWorkflow({ id: 'double', name: 'Double', purpose: '', input: Type.Object({ n: Type.Number() }) })
  .andThen({ id: 'first', execute: ({ data }) => data.n })
  .andThen({ id: 'second', execute: ({ data }) => data * 2 });
const provider = { type: 'test', verifyToken: (token: string) => (token === 'of-ada' ? { id: 'ada' } : null) };
const headers = { authorization: 'Bearer of-ada', 'content-type': 'application/json' };

let open: HalyardServer;
let guarded: HalyardServer;
const origins = new Map<HalyardServer, string>();
beforeAll(async () => {
  const agents = [new Agent({ id: 'greeter', model: scriptedModel('Hi') })];
  const options = { limits: unreachableLimits, agents, workflows: [double], logger: false, signals: false } as const;
  open = await createServer(options);
  guarded = await createServer({ ...options, auth: { provider } });
  for (const server of [open, guarded]) origins.set(server, await server.listen({ port: 0 }));
});
afterAll(async () => {
  await open.close();
  await guarded.close();
});

/** Runs the workflow, and returns the address of its events. */
async function run(server: HalyardServer): Promise<string> {
  const origin = origins.get(server);
  const response = await fetch(`${origin}/workflows/double/execute`, {
    method: 'POST',
    headers,
    body: '{"input":{"n":2}}',
  });
  expect(response.status).toBe(200);
  return `${origin}/workflows/double/executions/${response.headers.get('x-execution-id')}/stream`;
}

/** Connects like a browser until the server tells it to stop. */
async function readWhole(url: string): Promise<{ readonly seqs: number[]; readonly statuses: number[] }> {
  const seqs: number[] = [];
  const statuses: number[] = [];
  const source = new EventSource(url, {
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      statuses.push(response.status);
      return response;
    },
  });
  source.addEventListener('message', ({ data }: { readonly data: string }) => {
    seqs.push((JSON.parse(data) as { seq: number }).seq);
  });
  await new Promise<void>((resolve) => {
    source.addEventListener('error', () => {
      if (source.readyState === source.CLOSED) resolve();
    });
  });
  return { seqs, statuses };
}

it('reads each event of a finished execution once, and stops', async () => {
  expect(await readWhole(await run(open))).toEqual({ seqs: [1, 2, 3, 4, 5, 6, 7], statuses: [200, 204] });
});

it('stops at once where it knows the last event', async () => {
  expect(await readWhole(`${await run(open)}?from=7`)).toEqual({ seqs: [], statuses: [204] });
});

it('stops at a conversation without a live answer', async () => {
  expect(await readWhole(`${origins.get(open)}/agents/greeter/chat/c1/stream`)).toEqual({ seqs: [], statuses: [204] });
});

it('needs a ticket where a token is wanted', async () => {
  const url = await run(guarded);
  expect(await readWhole(url)).toEqual({ seqs: [], statuses: [401] });
  const reply = await fetch(`${url}-ticket`, { method: 'POST', headers: { authorization: headers.authorization } });
  const { data } = (await reply.json()) as { data: { ticket: string } };
  expect(await readWhole(`${url}?ticket=${data.ticket}`)).toEqual({
    seqs: [1, 2, 3, 4, 5, 6, 7],
    statuses: [200, 204],
  });
});
