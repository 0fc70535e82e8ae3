import type { Storage, UserRecord, VectorStore } from '@halyard/contracts';
import { type FixedClock, fixedClock } from '@halyard/core/testing';
import { chooseModel } from '@halyard/example-demo-model';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import type { HalyardServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planHistory } from './history/plan-history.ts';
import { writeHistory } from './history/write-history.ts';
import { createDeskMemory } from './memory.ts';
import { createSupportDesk } from './server.ts';
import { startScreen } from './start-screen.ts';

const hourMs = 60 * 60_000;
const secret = 'of the test';

interface Written {
  readonly storage: Storage;
  readonly vectors: VectorStore;
  readonly clock: FixedClock;
}

/** Writes the events of a history between two shares of it. */
async function written(base: number, from: number, to: number): Promise<Written> {
  const clock = fixedClock(base);
  const storage = createInMemoryStorage({ clock, telemetry: { maxSpans: 50_000 } });
  const vectors = createInMemoryVectorStore();
  const all = await planHistory(base);
  const events = all.slice(Math.floor(all.length * from), Math.floor(all.length * to));
  await writeHistory({ events, clock, secret, storage, vectors });
  return { storage, vectors, clock };
}

/** Ids of spans are random, and signatures depend on the life of the storage. */
const isRandom = /^(?:traceId|spanId|signature)$/;

/** All stored data of a user. */
async function dataOf({ storage }: Written): Promise<readonly unknown[]> {
  const records: UserRecord[] = [];
  for await (const record of storage.users.export('ada.lindqvist')) records.push(record);
  const text = JSON.stringify(records, (key, value: unknown) => (isRandom.test(key) ? undefined : value));
  return JSON.parse(text) as unknown[];
}

let desk: Written;
let server: HalyardServer;
let url: string;
const base = Math.floor(Date.now() / hourMs) * hourMs;

beforeAll(async () => {
  desk = await written(base, 0, 1);
  // The history is over: from now on the clock shows the time of today.
  desk.clock.jump(Date.now() - desk.clock.now());
  const { model } = await chooseModel({});
  const { storage, vectors } = desk;
  server = await createSupportDesk({
    model,
    memory: createDeskMemory(storage, vectors),
    storage,
    secret,
    port: 0,
    signals: false,
    logger: false,
    // Writing the history keeps this process busy.
    limits: { eventLoopDelayMs: hourMs },
  });
  url = await server.listen();
}, 400_000);

afterAll(() => server.close());

async function get<Data>(path: string): Promise<Data> {
  const response = await fetch(`${url}${path}`);
  const { data } = (await response.json()) as { data: Data };
  return data;
}

async function post<Data>(path: string, body: unknown): Promise<{ readonly status: number; readonly data: Data }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: Data };
  return { status: response.status, data };
}

it('writes the same history each time', async () => {
  const time = Date.UTC(2026, 2, 18, 15);
  const [one, other] = [await written(time, 0, 0.08), await written(time, 0, 0.08)];
  expect(await dataOf(one)).not.toEqual([]);
  expect(await dataOf(one)).toEqual(await dataOf(other));
});

it('has runs, tokens, costs and errors on each of 14 days', async () => {
  const { points, totals } = await get<{
    points: { requests: number; inputTokens: number; cost: number | null; errors: number }[];
    totals: { requests: number; errors: number };
  }>('/observability/metrics?range=14d&interval=24h');
  // Two weeks that begin at this hour have 13 whole days, and parts of two.
  expect(points.filter(({ cost, requests }) => requests > 20 && (cost ?? 0) > 0).length).toBeGreaterThanOrEqual(13);
  expect(totals.requests).toBeGreaterThan(1_900);
  expect(totals.errors / totals.requests).toBeGreaterThan(0.01);
  expect(totals.errors / totals.requests).toBeLessThan(0.1);
});

it('has 200 conversations with titles, which are found by their meaning', async () => {
  const { conversations, total } = await get<{ conversations: { title: string }[]; total: number }>(
    '/api/memory/conversations?limit=50',
  );
  expect(total).toBe(200);
  expect(conversations.filter(({ title }) => title === '')).toEqual([]);
});

it('answers by HTTP with the expert that the front desk asks', async () => {
  const { data } = await post<{ text: string }>('/agents/front-desk/text', {
    input: 'Track the parcel of order K-1042',
    options: { userId: 'ada.lindqvist' },
  });
  expect(data.text).toContain('K-1042');
  expect(data.text).toMatch(/Northwind|Slowboat/);
});

it('answers from the help articles', async () => {
  const { data } = await post<{ text: string }>('/agents/returns/text', {
    input: 'Search the help: how do I wash a sleeping bag?',
  });
  expect(data.text).toContain('tennis balls');
});

it('pays a refund of the history after a person has approved it', async () => {
  const executions = await get<{ id: string }[]>('/workflows/executions?status=suspended&workflowId=refund');
  const id = executions[0]?.id;
  const { status } = await post(`/workflows/refund/executions/${id}/resume`, {
    resumeData: { approved: true, by: 'Maren' },
  });
  expect(status).toBe(200);
  await expect
    .poll(() => get<{ status: string; output: unknown }>(`/workflows/refund/executions/${id}`))
    .toMatchObject({ status: 'completed', output: { status: 'paid', payment: expect.stringMatching(/^P-/) } });
});

it('runs a call of the history after a person has approved it', async () => {
  interface Waiting {
    readonly id: string;
    readonly kind: string;
    readonly conversationId: string | null;
  }
  const list = async (): Promise<Waiting[]> => (await get<{ approvals: Waiting[] }>('/approvals')).approvals;
  const { conversationId, id } = (await list()).find(({ kind }) => kind === 'tool') ?? {};
  const { status } = await post('/approvals/answer', { id, conversationId, approved: true });
  expect(status).toBe(200);
  await expect.poll(async () => (await list()).map((each) => each.id)).not.toContain(id);
  const { messages } = await get<{ messages: { parts: { state?: string }[] }[] }>(
    `/api/memory/conversations/${conversationId}/messages`,
  );
  expect(messages.at(-1)?.parts.map(({ state }) => state)).toContain('output-available');
});

it('refunds a small amount at once, refuses a late one, and asks a person about a large one', async () => {
  const run = async (orderId: string): Promise<unknown> =>
    (
      await post<{ status: string; result: unknown }>('/workflows/refund/execute', {
        input: { orderId, customer: 'Ada Lindqvist', reason: 'it is too small' },
      })
    ).data;
  const refunds = async (): Promise<number> =>
    (
      await desk.storage.executions.list('anyone', {
        parentExecutionId: null,
        workflowId: 'refund',
        limit: 1,
        offset: 0,
      })
    ).total;
  const before = await refunds();
  expect(await run('K-1185')).toMatchObject({ status: 'completed', result: { status: 'paid', euros: 39 } });
  expect(await run('K-1023')).toMatchObject({ status: 'suspended' });
  expect(await run('K-1021')).toMatchObject({ status: 'completed', result: { status: 'refused' } });
  // The letters have started no others.
  expect(await refunds()).toBe(before + 3);
});

it('lists its schedules', async () => {
  const { schedules } = await get<{ schedules: { workflowId: string }[] }>('/observability/system');
  expect(schedules.map(({ workflowId }) => workflowId).toSorted()).toEqual(['daily-report', 'follow-up']);
});

it('prints a start screen with the console', () => {
  expect(startScreen({ url, model: 'demo model', memory: 'PostgreSQL' })).toContain(`${url}/console`);
});
