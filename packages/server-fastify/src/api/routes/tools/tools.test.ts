import { once } from 'node:events';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

const City = Type.Object({ city: Type.String() });
const Weather = Type.Object({ degrees: Type.Number() });
const seen: unknown[] = [];
const signals: AbortSignal[] = [];

const weather = createTool({
  name: 'getWeather',
  description: 'Weather in a city',
  tags: ['demo'],
  input: City,
  output: Weather,
  execute: ({ city }, { logger: _, signal: __, writer: ___, ...context }) => {
    seen.push({ city, ...context });
    return { degrees: 21 };
  },
});
const broken = createTool({
  name: 'broken',
  description: '',
  input: City,
  execute: () => {
    throw new RangeError('password=hunter2');
  },
});
const misfit = createTool({
  name: 'misfit',
  description: '',
  input: City,
  output: Weather,
  // @ts-expect-error a text is no number
  execute: () => ({ degrees: 'warm' }),
});
const slow = createTool({
  name: 'slow',
  description: '',
  input: City,
  timeoutMs: 20,
  execute: () => new Promise(() => {}),
});
const waiting = createTool({
  name: 'waiting',
  description: '',
  input: City,
  execute: (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  },
});
const location = createTool({ name: 'getLocation', description: 'Where the user is', input: Type.Object({}) });
const pay = createTool({ name: 'pay', description: '', input: City, needsApproval: true, execute: () => 'paid' });
const payMuch = createTool({
  name: 'payMuch',
  description: '',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: ({ euros }) => euros > 10,
  execute: () => 'paid',
});

const agent = new Agent({ id: 'a', name: 'A', model: scriptedModel('hi'), tools: [weather, location, pay] });

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents: [agent], tools: [broken, misfit, slow, waiting, payMuch] });
});
afterAll(() => server.close());

async function execute(name: string, body: unknown): Promise<{ status: number; code: string | null; answer: unknown }> {
  const response = await fetch(`${server.origin}/tools/${name}/execute`, json(body));
  return { status: response.status, code: response.headers.get('x-error-code'), answer: await response.json() };
}

it('lists the tools with their schemas and who may call them', async () => {
  const response = await fetch(`${server.origin}/tools`);
  const { data } = (await response.json()) as { data: { name: string }[] };

  expect(data.map(({ name }) => name).toSorted()).toEqual([
    'broken',
    'getLocation',
    'getWeather',
    'misfit',
    'pay',
    'payMuch',
    'slow',
    'waiting',
  ]);
  expect(data.find(({ name }) => name === 'getWeather')).toEqual({
    name: 'getWeather',
    description: 'Weather in a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    needsApproval: false,
    tags: ['demo'],
    agents: [{ id: 'a', name: 'A' }],
  });
  expect(data.find(({ name }) => name === 'getLocation')).toMatchObject({
    clientSide: true,
    outputSchema: null,
    agents: [{ id: 'a' }],
  });
  expect(data.find(({ name }) => name === 'payMuch')).toMatchObject({ needsApproval: true, agents: [] });
});

it('passes the fields of the request to the tool', async () => {
  const before = Date.now();
  const { status, answer } = await execute('getWeather', {
    input: { city: 'Rome' },
    context: { tenant: 1 },
    userId: 'ada',
    conversationId: 'c1',
  });

  expect(status).toBe(200);
  expect(answer).toEqual({
    success: true,
    data: {
      toolName: 'getWeather',
      result: { degrees: 21 },
      executionTime: expect.any(Number),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
  const { data } = answer as { data: { timestamp: string } };
  expect(Date.parse(data.timestamp)).toBeGreaterThanOrEqual(before);
  expect(seen.at(-1)).toEqual({
    city: 'Rome',
    toolCallId: expect.any(String),
    toolName: 'getWeather',
    recorder: expect.anything(),
    idempotencyKey: expect.any(String),
    context: { tenant: 1 },
    userId: 'ada',
    conversationId: 'c1',
    user: undefined,
  });
});

it.each<readonly [string, unknown, number, string, string]>([
  ['nothing', { input: {} }, 404, 'TOOL_NOT_FOUND', 'Tool not found: nothing'],
  ['getWeather', { input: { city: 5 } }, 400, 'INVALID_INPUT', 'body/input/city must be string'],
  ['getWeather', {}, 400, 'INVALID_INPUT', "body must have required property 'input'"],
  [
    'getLocation',
    { input: {} },
    400,
    'TOOL_CLIENT_SIDE',
    'Tool "getLocation" cannot be executed here: the client runs it',
  ],
  [
    'pay',
    { input: { city: 'x' } },
    400,
    'TOOL_NEEDS_APPROVAL',
    'Tool "pay" cannot be executed directly: it needs approval by a person, which only agents request',
  ],
  [
    'payMuch',
    { input: { euros: 11 } },
    400,
    'TOOL_NEEDS_APPROVAL',
    'Tool "payMuch" cannot be executed directly: it needs approval by a person, which only agents request',
  ],
  ['broken', { input: { city: 'x' } }, 500, 'TOOL_FAILED', 'Tool "broken" failed'],
  ['misfit', { input: { city: 'x' } }, 500, 'TOOL_FAILED', 'Tool "misfit" failed'],
  ['slow', { input: { city: 'x' } }, 500, 'TIME_LIMIT_EXCEEDED', 'Tool "slow" took longer than 20 ms'],
])('replies to %s and %j with %i', async (name, body, status, code, error) => {
  expect(await execute(name, body)).toEqual({ status, code, answer: { success: false, error } });
});

it('executes a tool that requires no approval for this input', async () => {
  expect(await execute('payMuch', { input: { euros: 10 } })).toMatchObject({
    status: 200,
    answer: { data: { result: 'paid' } },
  });
});

it('aborts the tool when the client disconnects', async () => {
  const client = new AbortController();
  const request = fetch(`${server.origin}/tools/waiting/execute`, {
    ...json({ input: { city: 'x' } }),
    signal: client.signal,
  });
  const outcome = request.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.name : error),
  );
  const signal = await vi.waitUntil(() => signals[0], { timeout: 60_000 });

  const aborted = once(signal, 'abort');
  client.abort();

  expect(await outcome).toBe('AbortError');
  await aborted;
});

it('runs the tools of one name of several agents by their agents', async () => {
  const search = (place: string) =>
    createTool({ name: 'search', description: '', input: Type.Object({}), execute: () => `found in ${place}` });
  const agentWith = (id: string, access: 'users' | 'server' = 'users') =>
    new Agent({ id, model: scriptedModel('hi'), tools: [search(id)], access });
  const served = await serve([], { agents: [agentWith('hr'), agentWith('shop'), agentWith('secret', 'server')] });
  const run = async (name: string) =>
    (await fetch(`${served.origin}/tools/${name}/execute`, json({ input: {} }))).json();

  expect(await run('hr%2Fsearch')).toMatchObject({ data: { toolName: 'search', result: 'found in hr' } });
  expect(await run('shop%2Fsearch')).toMatchObject({ data: { result: 'found in shop' } });
  for (const unknown of ['search', 'secret%2Fsearch', 'hr%2Fother', '..%2Fsearch', 'hr%2Fshop%2Fsearch'])
    expect(await run(unknown)).toMatchObject({ success: false });
  const { paths } = (await (await fetch(`${served.origin}/doc`)).json()) as { paths: Record<string, unknown> };
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(['/tools/hr%2Fsearch/execute', '/tools/shop%2Fsearch/execute']),
  );
  await served.close();
});
