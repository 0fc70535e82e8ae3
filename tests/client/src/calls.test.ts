import {
  type AuditRecord,
  type Client,
  ConflictError,
  createClient,
  FailedError,
  InvalidRequestError,
  NotFoundError,
  StreamFailedError,
  textOf,
  UnauthenticatedError,
} from '@halyard/client';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

const City = z.object({ name: z.string() });
const memory = createMemory();
let stopped = 0;
const agents = [
  new Agent({ id: 'greeter', model: scriptedModel(() => 'Hello there.'), memory }),
  new Agent({ id: 'mapper', model: scriptedModel(() => '{ "name": "Oslo" }') }),
  new Agent({
    id: 'broken',
    model: scriptedModel(() => ({ text: 'Well', error: new Error('down'), failAfterText: true })),
  }),
  new Agent({
    id: 'endless',
    model: scriptedModel(({ abortSignal }) => {
      abortSignal?.addEventListener('abort', () => (stopped += 1));
      return { text: ['On'], hangs: true };
    }),
    memory,
    resumable: true,
  }),
] as const;
const dice = createTool({
  name: 'dice',
  description: 'Rolls dice',
  input: Type.Object({ count: Type.Integer() }),
  execute: ({ count }) => count * 3,
});
const order = createWorkflow({
  id: 'order',
  input: Type.Object({ item: Type.String() }),
  resumeSchema: Type.Object({ approved: Type.Boolean() }),
})
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, suspend }) =>
      resumeData === undefined ? suspend('needs approval') : { ...data, approved: resumeData.approved },
  })
  .andThen({ id: 'ship', execute: ({ data }) => `${data.item}: ${data.approved}` });
let isBroken = true;
const flaky = createWorkflow({ id: 'flaky' }).andThen({
  id: 'try',
  execute: () => {
    if (isBroken) throw new Error('broken');
    return 'done';
  },
});

function open() {
  return createServer({
    limits: unreachableLimits,
    agents,
    tools: [dice],
    workflows: [order, flaky],
    memory,
    logger: false,
    signals: false,
  });
}

let server: HalyardServer;
let client: Client<Awaited<ReturnType<typeof open>>>;
beforeAll(async () => {
  server = await open();
  client = createClient({ baseUrl: `${await server.listen({ port: 0 })}/` });
});
afterAll(() => server.close());

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('agents', () => {
  it('answer with a text, its events or its words', async () => {
    const greeter = client.agent('greeter');
    expect(await greeter.text('Hi', { temperature: 0 })).toMatchObject({ text: 'Hello there.', finishReason: 'stop' });
    expect((await all(greeter.stream('Hi'))).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['start', 'text-delta', 'finish']),
    );
    expect((await all(textOf(greeter.stream('Hi')))).join('')).toBe('Hello there.');
  });

  it('answer with an object of a schema', async () => {
    expect(await client.agent('mapper').object('Where?', { schema: City })).toEqual({ name: 'Oslo' });
    const events = await all(client.agent('mapper').streamObject('Where?', { schema: City }));
    expect(events.at(-1)).toMatchObject({ type: 'object', object: { name: 'Oslo' } });
  });

  it('chat in the format of the AI SDK, and remember', async () => {
    const options = { userId: 'ada', conversationId: 'tea' };
    const chunks = await all(client.agent('greeter').chat('Hi', options));
    expect(chunks.map(({ type }) => type)).toEqual(expect.arrayContaining(['start', 'text-delta', 'finish']));

    const { messages } = await client.conversations.messages('tea', { userId: 'ada', agentId: 'greeter' });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await client.conversations.list({ userId: 'ada' })).toMatchObject({ total: 1 });
    const trip = await client.conversations.create({ userId: 'ada', conversationId: 'trip', title: 'A trip' });
    expect(trip).toMatchObject({ id: 'trip', title: 'A trip' });
    await expect(client.conversations.create({ userId: 'ada', conversationId: 'trip' })).rejects.toThrow(ConflictError);
    expect(await client.conversations.update('trip', { title: 'Rome' })).toMatchObject({ title: 'Rome' });
    await client.conversations.delete('trip');
    await expect(client.conversations.messages('trip')).rejects.toThrow(NotFoundError);
  });

  it('take feedback on a reply', async () => {
    const greeter = client.agent('greeter');
    await greeter.text('Hi', { userId: 'ada', conversationId: 'rated' });
    const { messages } = await client.conversations.messages('rated', { userId: 'ada', agentId: 'greeter' });
    const reply = { conversationId: 'rated', messageId: messages.at(-1)?.id ?? '' };
    expect(await greeter.feedback({ ...reply, rating: 'down', note: 'Cold', userId: 'ada' })).toEqual({
      rating: 'down',
      note: 'Cold',
    });
    const query = { feedback: 'down' } as const;
    const { data } = await client.api.GET('/observability/traces', { params: { query } });
    expect(data?.data.traces).toMatchObject([{ feedback: { up: 0, down: 1 } }]);
    expect(await greeter.feedback({ ...reply, rating: null, userId: 'ada' })).toEqual({ rating: null, note: null });
    await expect(greeter.feedback({ ...reply, messageId: 'none', rating: 'up' })).rejects.toThrow(NotFoundError);
  });

  it('end the iteration with an error when the run fails', async () => {
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of client.agent('broken').stream('Hi')) seen.push(type);
    };
    await expect(read()).rejects.toThrow(StreamFailedError);
    expect(seen).toContain('text-delta');
  });

  it('stop when the reader leaves or its signal is aborted', async () => {
    const before = stopped;
    for await (const { type } of client.agent('endless').stream('Hi')) if (type === 'text-delta') break;
    await expect.poll(() => stopped).toBe(before + 1);

    const left = new AbortController();
    const reason = new Error('The page was left');
    const read = async (): Promise<void> => {
      for await (const { type } of client.agent('endless').stream('Hi', { signal: left.signal }))
        if (type === 'text-delta') setImmediate(() => left.abort(reason));
    };
    await expect(read()).rejects.toBe(reason);
    await expect.poll(() => stopped).toBe(before + 2);
    await expect(client.agent('greeter').text('Hi', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('let others follow and stop a resumable chat', async () => {
    const endless = client.agent('endless');
    const options = { userId: 'ada', conversationId: 'long' };
    for await (const { type } of endless.chat('Hi', options)) if (type === 'text-delta') break;

    const types: string[] = [];
    for await (const { type } of endless.resumeChat('long')) {
      types.push(type);
      if (type === 'text-delta') expect(await endless.stopChat('long')).toBe(true);
    }
    expect(types[0]).toBe('start');
    expect(types.at(-1)).toBe('abort');
    await expect.poll(() => endless.stopChat('long')).toBe(false);
    expect(await all(endless.resumeChat('long'))).toEqual([]);
  });
});

describe('workflows', () => {
  it('run, wait for an answer, and complete', async () => {
    const orders = client.workflow('order');
    const waiting = await orders.run({ item: 'sail' }, { executionId: 'o1', metadata: { shop: 'Oslo' } });
    expect(waiting).toMatchObject({ status: 'suspended', result: null, suspension: { reason: 'needs approval' } });
    expect(await client.approvals.list()).toMatchObject({
      approvals: [{ executionId: 'o1', kind: 'step' }],
      hasMore: false,
    });
    expect(await orders.state('o1')).toMatchObject({ status: 'suspended', input: { item: 'sail' } });

    const done = await orders.resume('o1', { resumeData: { approved: true } });
    expect(done).toMatchObject({ status: 'completed', result: 'sail: true' });
    await expect(orders.resume('o1')).rejects.toMatchObject({ status: 404, code: 'EXECUTION_NOT_SUSPENDED' });
    expect((await orders.list({ status: 'completed' })).executions.map(({ id }) => id)).toEqual(['o1']);
  });

  it('are followed to their next stop, and from there', async () => {
    const execution = await client.workflow('order').start({ item: 'mast' });
    const first = await all(execution);
    expect(first.map(({ type }) => type)).toEqual([
      'workflow-start',
      'step-start',
      'workflow-suspended',
      'workflow-result',
    ]);
    expect(await execution.result()).toMatchObject({ status: 'suspended', result: null });

    expect(await execution.resume({ resumeData: { approved: false } })).toMatchObject({ result: 'mast: false' });
    const rest = await all(execution.follow({ after: 4 }));
    expect(rest.map((event) => ('seq' in event ? event.seq : 0))).toEqual(rest.map((_, index) => index + 5));
    expect(rest.at(-1)).toMatchObject({ type: 'workflow-result', status: 'completed' });
    expect(await execution.result()).toMatchObject({ status: 'completed', result: 'mast: false' });
    // Nothing follows the end.
    expect(await all(execution.follow({ after: 4 + rest.length }))).toEqual([]);
  });

  it('can be answered by an approval, cancelled, suspended, retried and replayed', async () => {
    const orders = client.workflow('order');
    const [answered, cancelled] = await Promise.all([orders.start({ item: 'a' }), orders.start({ item: 'b' })]);
    await Promise.all([answered.result(), cancelled.result()]);
    const { approvals } = await client.approvals.list();
    const approval = approvals.find(({ executionId }) => executionId === answered.executionId);
    await client.approvals.answer({
      id: approval?.id ?? '',
      executionId: answered.executionId,
      resumeData: { approved: true },
    });
    expect(await answered.result()).toMatchObject({ result: 'a: true' });
    expect(await cancelled.cancel({ reason: 'Too late' })).toMatchObject({ status: 'cancelled', reason: 'Too late' });
    expect(await cancelled.result()).toMatchObject({ status: 'cancelled', result: null });
    await expect(orders.suspend(cancelled.executionId)).rejects.toThrow(InvalidRequestError);
    const replayed = await orders.replay(answered.executionId, { stepId: 'approve', resumeData: { approved: false } });
    expect(replayed).toMatchObject({ status: 'completed', result: 'a: false' });

    const failure = client.workflow('flaky').run({}, { executionId: 'f1' });
    await expect(failure).rejects.toThrow(FailedError);
    await expect(failure).rejects.toMatchObject({ code: 'STEP_FAILED', executionId: 'f1' });
    await expect(client.workflow('flaky').result('f1')).rejects.toMatchObject({ code: 'STEP_FAILED' });
    isBroken = false;
    expect(await client.workflow('flaky').retry('f1')).toMatchObject({ status: 'completed', result: 'done' });
  });
});

it('reads the audit trail, page by page and as a whole', async () => {
  for (const executionId of ['audited-1', 'audited-2']) {
    await client.workflow('order').start({ item: 'rope' }, { executionId });
    await client.workflow('order').cancel(executionId);
  }
  const query = { action: 'execution.cancel' };
  const idsOf = (records: readonly AuditRecord[]) => records.map(({ target }) => target.executionId);
  const first = await client.audit.list({ ...query, limit: 1 });
  expect(idsOf(first.records)).toEqual(['audited-2']);
  const after = first.nextCursor ?? undefined;
  expect(idsOf((await client.audit.list({ ...query, ...(after !== undefined && { after }) })).records)).toContain(
    'audited-1',
  );
  const exported = await all(client.audit.export({ ...query, target: 'audited-1' }));
  expect(idsOf(exported)).toEqual(['audited-1']);
});

describe('the rest', () => {
  it('runs tools, and calls every route', async () => {
    expect(await client.tool('dice').execute({ count: 2 })).toBe(6);
    const { data } = await client.api.GET('/agents/{id}', { params: { path: { id: 'greeter' } } });
    expect(data?.data).toMatchObject({ id: 'greeter' });
    await expect(client.api.GET('/agents/{id}', { params: { path: { id: 'x' } } })).rejects.toThrow(NotFoundError);
  });

  it('throws the errors of the server', async () => {
    const wrong = client.workflow('order').run({ item: 5 } as never);
    await expect(wrong).rejects.toThrow(InvalidRequestError);
    await expect(wrong).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('body/input/item'),
      requestId: expect.any(String),
    });
    await expect(client.agent('nobody' as 'greeter').text('Hi')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
    await expect(all(client.agent('nobody' as 'greeter').stream('Hi'))).rejects.toThrow(NotFoundError);
  });

  it('sends credentials, and asks for them before each request', async () => {
    const guarded = await createServer({
      limits: unreachableLimits,
      agents,
      auth: {
        mode: 'policy',
        provider: { type: 'test', verifyToken: (token) => Promise.resolve(token === 'right' ? { id: 'ada' } : null) },
        consoleKey: 'the key of the operators',
      },
      logger: false,
      signals: false,
    });
    const baseUrl = await guarded.listen({ port: 0 });
    const tokens = ['wrong', 'right'];
    const user = createClient<typeof guarded>({ baseUrl, token: () => tokens.shift() });
    await expect(user.agent('greeter').text('Hi')).rejects.toThrow(UnauthenticatedError);
    expect(await user.agent('greeter').text('Hi')).toMatchObject({ text: 'Hello there.' });

    const operator = createClient({ baseUrl, consoleKey: 'the key of the operators' });
    expect(await operator.approvals.list()).toEqual({ approvals: [], hasMore: false });
    for await (const message of operator.channel('/ws')) {
      expect(message).toMatchObject({ type: 'CONNECTION_TEST', data: { authenticated: true } });
      break;
    }
    await guarded.close();
  });
});
