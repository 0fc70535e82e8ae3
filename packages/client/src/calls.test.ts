import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.ts';
import {
  collect,
  data,
  eventStream,
  origin,
  refusal,
  scriptedFetch,
  type Sent,
  type Reply,
} from './testing/scripted-fetch.ts';

type Client = ReturnType<typeof createClient>;
type Replies = readonly Reply[];

const { signal } = new AbortController();
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const run = { executionId: 'e1', status: 'completed', startAt: 'a', endAt: 'b', result: 7 };
const schema = { type: 'object' };

function connect(...replies: Replies) {
  const { fetch, sent } = scriptedFetch(...replies);
  return { client: createClient({ baseUrl: origin, fetch }), sent };
}

const line = ({ body, method, path }: Sent) => ({ request: `${method} ${path}`, body });

/** Each call whose reply is JSON: its request, the data of the reply, and its result. */
it.each<readonly [string, (client: Client) => Promise<unknown>, unknown, Response, unknown]>([
  [
    'POST /agents/poet/text',
    ({ agent }) => agent('poet').text('Hi', { temperature: 1, signal }),
    { input: 'Hi', options: { temperature: 1 } },
    data({ text: 'Roses' }),
    { text: 'Roses' },
  ],
  ['POST /agents/poet/text', ({ agent }) => agent('poet').text('Hi'), { input: 'Hi', options: {} }, data(1), 1],
  [
    'POST /agents/poet/object',
    ({ agent }) => agent('poet').object('Hi', { schema, temperature: 1, signal }),
    { input: 'Hi', schema, options: { temperature: 1 } },
    data({ a: 1 }),
    { a: 1 },
  ],
  [
    'POST /agents/poet/object',
    ({ agent }) =>
      agent('poet').object('Hi', {
        schema: { '~standard': { jsonSchema: { input: ({ target }) => ({ type: 'object', target }) } } },
      }),
    { input: 'Hi', schema: { type: 'object', target: 'draft-2020-12' }, options: {} },
    data({ a: 1 }),
    { a: 1 },
  ],
  [
    'POST /agents/poet/chat/c1/stop',
    ({ agent }) => agent('poet').stopChat('c1', { signal }),
    undefined,
    data({ stopped: true }),
    true,
  ],
  [
    'POST /tools/pay/execute',
    ({ tool }) => tool('pay').execute({ euros: 5 }, { userId: 'ada', signal }),
    { input: { euros: 5 }, userId: 'ada' },
    data({ result: 'paid' }),
    'paid',
  ],
  [
    'GET /api/approvals',
    ({ approvals }) => approvals.list({ signal }),
    undefined,
    data({ approvals: [1], hasMore: true }),
    { approvals: [1], hasMore: true },
  ],
  [
    'POST /api/approvals/answer',
    ({ approvals }) => approvals.answer({ approvalId: 'a1', approved: true } as never, { signal }),
    { approvalId: 'a1', approved: true },
    data({}),
    undefined,
  ],
  [
    'GET /api/memory/conversations?agentId=poet&limit=2',
    ({ conversations }) => conversations.list({ agentId: 'poet', limit: 2, signal }),
    undefined,
    data({ conversations: [], total: 0 }),
    { conversations: [], total: 0 },
  ],
  [
    'GET /api/memory/conversations/c1/messages?limit=2',
    ({ conversations }) => conversations.messages('c1', { limit: 2, signal }),
    undefined,
    data({ messages: [], hasMore: false }),
    { messages: [], hasMore: false },
  ],
  [
    'POST /api/memory/conversations',
    ({ conversations }) => conversations.create({ title: 'Talk' }, { signal }),
    { title: 'Talk' },
    data({ conversation: { id: 'c1' } }),
    { id: 'c1' },
  ],
  [
    'PATCH /api/memory/conversations/c1',
    ({ conversations }) => conversations.update('c1', { title: 'Talk' }, { signal }),
    { title: 'Talk' },
    data({ conversation: { id: 'c1' } }),
    { id: 'c1' },
  ],
  [
    'DELETE /api/memory/conversations/c1?userId=ada',
    ({ conversations }) => conversations.delete('c1', { userId: 'ada', signal }),
    undefined,
    data({}),
    undefined,
  ],
  [
    'POST /workflows/order/execute',
    ({ workflow }) => workflow('order').run({ id: 1 }, { userId: 'ada', signal }),
    { input: { id: 1 }, options: { userId: 'ada' } },
    data(run),
    run,
  ],
  [
    'POST /workflows/order/executions/e1/resume',
    ({ workflow }) => workflow('order').resume('e1', { resumeData: true, stepId: 'ask', signal }),
    { resumeData: true, options: { stepId: 'ask' } },
    data(run),
    run,
  ],
  ['POST /workflows/order/executions/e1/resume', ({ workflow }) => workflow('order').resume('e1'), {}, data(run), run],
  [
    'POST /workflows/order/executions/e1/resume',
    ({ workflow }) => workflow('order').execution('e1').resume({ resumeData: 1 }),
    { resumeData: 1 },
    data(run),
    run,
  ],
  [
    'POST /workflows/order/executions/e1/retry',
    ({ workflow }) => workflow('order').retry('e1', { signal }),
    undefined,
    data(run),
    run,
  ],
  [
    'POST /workflows/order/executions/e1/replay',
    ({ workflow }) => workflow('order').replay('e1', { stepId: 'pay', inputData: 2, signal }),
    { stepId: 'pay', inputData: 2 },
    data(run),
    run,
  ],
  [
    'POST /workflows/order/executions/e1/suspend',
    ({ workflow }) => workflow('order').suspend('e1', { reason: 'later', signal }),
    { reason: 'later' },
    data({ a: 1 }),
    { a: 1 },
  ],
  ['POST /workflows/order/executions/e1/suspend', ({ workflow }) => workflow('order').suspend('e1'), {}, data(1), 1],
  [
    'POST /workflows/order/executions/e1/cancel',
    ({ workflow }) => workflow('order').cancel('e1', { reason: 'gone', signal }),
    { reason: 'gone' },
    data({ a: 1 }),
    { a: 1 },
  ],
  [
    'POST /workflows/order/executions/e1/terminate',
    ({ workflow }) => workflow('order').terminate('e1', { reason: 'gone', signal }),
    { reason: 'gone' },
    data({ a: 1 }),
    { a: 1 },
  ],
  [
    'POST /workflows/order/executions/e1/terminate',
    ({ workflow }) => workflow('order').terminate('e1'),
    {},
    data(1),
    1,
  ],
  [
    'POST /workflows/order/executions/e1/cancel',
    ({ workflow }) => workflow('order').execution('e1').cancel(),
    {},
    data(1),
    1,
  ],
  [
    'GET /workflows/order/executions/e1',
    ({ workflow }) => workflow('order').execution('e1').state({ signal }),
    undefined,
    data({ status: 'running' }),
    { status: 'running' },
  ],
  [
    'GET /workflows/executions?limit=2&workflowId=order',
    ({ workflow }) => workflow('order').list({ limit: 2, signal }),
    undefined,
    data([1], { hasMore: true }),
    { executions: [1], hasMore: true },
  ],
])('%s', async (request, call, body, reply, returned) => {
  const { client, sent } = connect(reply);

  expect(await call(client)).toEqual(returned);
  expect(sent.map(line)).toEqual([{ request, body }]);
});

it.each<readonly [string, (client: Client) => Promise<unknown>]>([
  ['text', ({ agent }) => agent('a').text('', { signal: AbortSignal.abort() })],
  ['stream', ({ agent }) => collect(agent('a').stream('', { signal: AbortSignal.abort() }))],
  ['object', ({ agent }) => agent('a').object('', { schema, signal: AbortSignal.abort() })],
  ['streamObject', ({ agent }) => collect(agent('a').streamObject('', { schema, signal: AbortSignal.abort() }))],
  ['chat', ({ agent }) => collect(agent('a').chat('', { signal: AbortSignal.abort() }))],
  ['resumeChat', ({ agent }) => collect(agent('a').resumeChat('c', { signal: AbortSignal.abort() }))],
  ['stopChat', ({ agent }) => agent('a').stopChat('c', { signal: AbortSignal.abort() })],
  ['execute', ({ tool }) => tool('t').execute({}, { signal: AbortSignal.abort() })],
  ['list approvals', ({ approvals }) => approvals.list({ signal: AbortSignal.abort() })],
  ['answer', ({ approvals }) => approvals.answer({} as never, { signal: AbortSignal.abort() })],
  ['list', ({ conversations }) => conversations.list({ signal: AbortSignal.abort() })],
  ['messages', ({ conversations }) => conversations.messages('c', { signal: AbortSignal.abort() })],
  ['create', ({ conversations }) => conversations.create({}, { signal: AbortSignal.abort() })],
  ['update', ({ conversations }) => conversations.update('c', {}, { signal: AbortSignal.abort() })],
  ['delete', ({ conversations }) => conversations.delete('c', { signal: AbortSignal.abort() })],
  ['run', ({ workflow }) => workflow('w').run({}, { signal: AbortSignal.abort() })],
  ['start', ({ workflow }) => workflow('w').start({}, { signal: AbortSignal.abort() })],
  ['result', ({ workflow }) => workflow('w').result('e', { signal: AbortSignal.abort() })],
  ['resume', ({ workflow }) => workflow('w').resume('e', { signal: AbortSignal.abort() })],
  ['retry', ({ workflow }) => workflow('w').retry('e', { signal: AbortSignal.abort() })],
  ['replay', ({ workflow }) => workflow('w').replay('e', { stepId: 's', signal: AbortSignal.abort() })],
  ['suspend', ({ workflow }) => workflow('w').suspend('e', { signal: AbortSignal.abort() })],
  ['cancel', ({ workflow }) => workflow('w').cancel('e', { signal: AbortSignal.abort() })],
  ['terminate', ({ workflow }) => workflow('w').terminate('e', { signal: AbortSignal.abort() })],
  ['state', ({ workflow }) => workflow('w').state('e', { signal: AbortSignal.abort() })],
  ['executions', ({ workflow }) => workflow('w').list({ signal: AbortSignal.abort() })],
])('%s sends nothing when its signal is aborted', async (_, call) => {
  const { client, sent } = connect(data({}));
  await expect(call(client)).rejects.toMatchObject({ name: 'AbortError' });
  expect(sent).toEqual([]);
});

describe('the events of a run', () => {
  it('are read as they are sent', async () => {
    const events = [{ type: 'start' }, { type: 'text-delta', id: 't', delta: 'Hi' }];
    const { client, sent } = connect(eventStream([...events, 'data: [DONE]\n\n']));

    expect(await collect(client.agent('poet').stream('Hi', { temperature: 1 }))).toEqual(events);
    expect(sent.map(line)).toEqual([
      { request: 'POST /agents/poet/stream', body: { input: 'Hi', options: { temperature: 1 } } },
    ]);
  });

  it('throw an error of the run', async () => {
    const { client } = connect(eventStream([{ type: 'start' }, { type: 'error', error: 'no model' }]));
    await expect(collect(client.agent('poet').stream('Hi'))).rejects.toMatchObject({
      name: 'StreamFailedError',
      message: 'no model',
    });
  });

  it('of an object are partial objects and the whole one, or an error', async () => {
    const events = [
      { type: 'partial', object: {} },
      { type: 'object', object: { a: 1 }, usage },
    ];
    const { client, sent } = connect(eventStream(events), eventStream([{ type: 'error', error: 'no model' }]));
    const { streamObject } = {
      streamObject: () => client.agent('poet').streamObject('Hi', { schema, temperature: 1 }),
    };

    expect(await collect(streamObject())).toEqual(events);
    expect(sent.map(line)).toEqual([
      { request: 'POST /agents/poet/stream-object', body: { input: 'Hi', schema, options: { temperature: 1 } } },
    ]);
    await expect(collect(streamObject())).rejects.toMatchObject({ name: 'StreamFailedError', message: 'no model' });
  });
});

describe('an execution that is started', () => {
  it('has the id that the server names', async () => {
    const { client, sent } = connect(eventStream([], { headers: { 'x-execution-id': 'e9' } }));
    const execution = await client.workflow('order').start({ id: 1 }, { executionId: 'e1', userId: 'ada' });

    expect(execution.executionId).toBe('e9');
    expect(execution.workflow.id).toBe('order');
    expect(sent.map(line)).toEqual([
      {
        request: 'POST /workflows/order/stream',
        body: { input: { id: 1 }, options: { userId: 'ada', executionId: 'e1' } },
      },
    ]);
  });

  it('is started once although the answer was lost: the request is sent again with the same id', async () => {
    const lost = new TypeError('fetch failed');
    const { client, sent } = connect(lost, refusal(409, 'EXECUTION_EXISTS'));
    const execution = await client.workflow('order').start({});
    const ids = sent.map(({ body }) => (body as { options: { executionId: string } }).options.executionId);

    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids).toEqual([execution.executionId, execution.executionId]);
  });

  it('fails when its id was taken before', async () => {
    const { client } = connect(refusal(409, 'EXECUTION_EXISTS'));
    await expect(client.workflow('order').start({})).rejects.toMatchObject({ code: 'EXECUTION_EXISTS' });
  });

  it.each([
    ['another conflict', refusal(409, 'OTHER')],
    ['another error', refusal(400, 'EXECUTION_EXISTS')],
  ])('fails with %s', async (_, reply) => {
    const { client } = connect(new TypeError('fetch failed'), reply);
    await expect(client.workflow('order').start({})).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
  });

  it('fails after three lost answers', async () => {
    const lost = new TypeError('fetch failed');
    const { client, sent } = connect(lost, lost, lost, eventStream([]));
    await expect(client.workflow('order').start({})).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(sent).toHaveLength(3);
  });
});

describe('the result of an execution', () => {
  const result = { type: 'workflow-result', seq: 2, ...run, executionId: undefined };
  const events = (...all: readonly object[]) => eventStream([{ type: 'workflow-start', seq: 1 }, ...all]);

  it('is that of its last event', async () => {
    const { client, sent } = connect(events(result));
    expect(await client.workflow('order').execution('e1').result({ signal })).toStrictEqual(run);
    expect(sent.map(line)).toEqual([{ request: 'GET /workflows/order/executions/e1/stream', body: undefined }]);
  });

  it('has the suspension that waits', async () => {
    const suspended = { ...result, status: 'suspended', result: null, suspension: { stepId: 'ask' } };
    const { client } = connect(events(suspended));
    expect(await client.workflow('order').result('e1')).toMatchObject({
      status: 'suspended',
      suspension: { stepId: 'ask' },
    });
  });

  it.each([
    [{ message: 'no money', code: 'PAY' }, 'PAY'],
    [{ message: 'no money' }, 'WORKFLOW_FAILED'],
  ])('is an error when it failed: %j', async (error, code) => {
    const { client } = connect(events({ ...result, status: 'error', error }));
    await expect(client.workflow('order').result('e1')).rejects.toMatchObject({
      name: 'FailedError',
      status: 500,
      code,
      message: 'no money',
      executionId: 'e1',
    });
  });

  it('is an error when there is none', async () => {
    const { client } = connect(events(), data({ status: 'cancelled' }));
    await expect(client.workflow('order').result('e1')).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('is awaited where the server has stopped to wait', async () => {
    const { client, sent } = connect(data({ ...run, status: 'running' }), events(result));
    expect(await client.workflow('order').run({})).toStrictEqual(run);
    expect(sent.map(({ path }) => path)).toEqual(['/workflows/order/execute', '/workflows/order/executions/e1/stream']);
  });
});

it.each(['', '.', '..'])('sends no request with the id %j, which would change its path', async (id) => {
  const calls: readonly ((client: Client) => Promise<unknown>)[] = [
    ({ agent }) => agent(id).text('Hi'),
    ({ agent }) => collect(agent('poet').resumeChat(id)),
    ({ tool }) => tool(id).execute({}),
    ({ workflow }) => workflow(id).start({}),
    ({ workflow }) => workflow('ship').cancel(id),
    ({ workflow }) => collect(workflow('ship').follow(id)),
    ({ conversations }) => conversations.delete(id),
    ({ api }) => api.DELETE('/api/memory/users/{userId}', { params: { path: { userId: id } } }),
  ];
  for (const call of calls) {
    const { client, sent } = connect();
    await expect(call(client)).rejects.toThrow(`must not be ${JSON.stringify(id)}`);
    expect(sent).toEqual([]);
  }
});

it('reads and answers all requests that wait with the console key', async () => {
  const { fetch, sent } = scriptedFetch(data({ approvals: [1], hasMore: false }), data({}));
  const { approvals } = createClient({ baseUrl: origin, fetch, consoleKey: () => 'key', token: 'token' });
  expect(await approvals.list()).toEqual({ approvals: [1], hasMore: false });
  await approvals.answer({ id: 'a1', executionId: 'e1', approved: true });
  expect(sent.map(line)).toEqual([
    { request: 'GET /approvals', body: undefined },
    { request: 'POST /approvals/answer', body: { id: 'a1', executionId: 'e1', approved: true } },
  ]);
});
