import { once } from 'node:events';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isOnEngine, json, open, serve, type Served } from '../../../testing/serve.ts';
import { framesIn, gateOf, requestWorkflows, workflows } from '../../../testing/workflows.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows });
});
afterAll(() => server.close());

const others: Served[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
});

async function serveOther(...args: Parameters<typeof serve>): ReturnType<typeof serve> {
  const other = await serve(...args);
  others.push(other);
  return other;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('execute', () => {
  it('replies with the result when all steps are done', async () => {
    const { data, executionId, status } = await requestWorkflows(server.origin, '/sum/execute', {
      input: { a: 1, b: 2 },
    });
    expect(status).toBe(200);
    expect(data).toEqual({
      executionId,
      status: 'completed',
      startAt: expect.stringMatching(isoTime),
      endAt: expect.stringMatching(isoTime),
      result: { sum: 3 },
    });
  });

  it('starts it with the priority and after the delay of the request', async () => {
    const storage = createInMemoryStorage();
    const { origin } = await serveOther([], {
      workflows,
      storage,
      limits: { executeWaitMs: 1 },
      userOf: ({ headers }) => (headers['x-user'] === 'ada' ? { id: 'ada' } : undefined),
    });
    const priorityOf = async (options: object, headers: Record<string, string> = {}): Promise<number | undefined> => {
      const body = { input: { a: 1, b: 2 }, options };
      const { executionId } = await requestWorkflows(origin, '/sum/execute', body, headers);
      return (await storage.executions.find('anyone', executionId ?? ''))?.priority;
    };
    expect(await priorityOf({ priority: 7 })).toBe(7);
    expect(await priorityOf({})).toBe(0);
    // Users do not get before others.
    expect(await priorityOf({ priority: 7 }, { 'x-user': 'ada' })).toBe(0);
    expect(await priorityOf({ priority: -7 }, { 'x-user': 'ada' })).toBe(-7);

    const body = { input: { a: 1, b: 2 }, options: { startAfterMs: 86_400_000 } };
    const { data, executionId } = await requestWorkflows(origin, '/sum/execute', body);
    expect(data).toMatchObject({ status: 'running', endAt: null });
    const { data: cancelled } = await requestWorkflows(origin, `/sum/executions/${executionId}/cancel`, {});
    expect(cancelled).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    [{ priority: 1.5 }, 'body/options/priority'],
    [{ priority: 1_001 }, 'body/options/priority'],
    [{ priority: null }, 'body/options/priority'],
    [{ startAfterMs: -1 }, 'body/options/startAfterMs'],
    [{ startAfterMs: 1e15 }, 'startAfterMs'],
  ])('refuses the options %j', async (options, error) => {
    const body = { input: { a: 1, b: 2 }, options };
    expect(await requestWorkflows(server.origin, '/sum/execute', body)).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
  });

  it('replies with the suspension when the execution is suspended', async () => {
    const { data, executionId } = await requestWorkflows(server.origin, '/approval/execute', { input: { total: 5 } });
    const suspension = {
      suspendedAt: expect.stringMatching(isoTime),
      reason: 'needs approval',
      suspendedStepIndex: 1,
      stepId: 'approve',
      suspensionId: expect.any(String),
      kind: 'step',
      suspendData: { total: 10 },
    };
    expect(data).toEqual({
      executionId,
      status: 'suspended',
      startAt: expect.stringMatching(isoTime),
      endAt: null,
      result: null,
      suspension,
      suspensions: [suspension],
    });
  });

  it('lists all suspensions, the earliest first', async () => {
    const { data } = await requestWorkflows(server.origin, '/both/execute', { input: {} });
    expect(data).toMatchObject({
      suspension: { stepId: 'left' },
      suspensions: [{ stepId: 'left' }, { stepId: 'right', suspendedStepIndex: 0 }],
    });
  });

  it('replies when a step has cancelled the execution', async () => {
    expect(await requestWorkflows(server.origin, '/quitter/execute', { input: null })).toMatchObject({
      status: 200,
      data: { status: 'cancelled', endAt: expect.stringMatching(isoTime), result: null },
    });
  });

  it('passes the options of the request to the steps', async () => {
    const options = {
      userId: 'ada',
      conversationId: 'c1',
      executionId: 'given',
      context: { tenant: 1 },
      workflowState: { count: 1 },
      metadata: { source: 'test' },
      unknown: 'ignored',
    };
    const { executionId } = await requestWorkflows(server.origin, '/approval/execute', {
      input: { total: 5 },
      options,
    });
    expect(executionId).toBe('given');
    expect((await requestWorkflows(server.origin, '/approval/executions/given')).data).toMatchObject({
      userId: 'ada',
      conversationId: 'c1',
      context: { tenant: 1 },
      workflowState: { count: 1 },
      metadata: { source: 'test' },
    });
  });

  it('treats null options as missing', async () => {
    const body = { input: { a: 1, b: 1 }, options: { context: null, workflowState: null, metadata: null } };
    expect(await requestWorkflows(server.origin, '/sum/execute', body)).toMatchObject({ status: 200 });
    expect(await requestWorkflows(server.origin, '/sum/execute', { ...body, options: null })).toMatchObject({
      status: 200,
    });
  });

  it.each<readonly [string, unknown, number, string, string]>([
    ['/nothing/execute', { input: {} }, 404, 'WORKFLOW_NOT_FOUND', 'Workflow not found: nothing'],
    ['/sum/execute', {}, 400, 'INVALID_INPUT', "body must have required property 'input'"],
    ['/sum/execute', { input: { a: 1, b: 'x' } }, 400, 'INVALID_INPUT', 'body/input/b must be number'],
    ['/sum/execute', { input: {}, options: { userId: 5 } }, 400, 'INVALID_INPUT', 'body/options/userId must be string'],
    [
      '/sum/execute',
      { input: {}, options: { metadata: [] } },
      400,
      'INVALID_INPUT',
      'body/options/metadata must be object or null',
    ],
    ['/broken/execute', { input: {} }, 500, 'STEP_FAILED', 'Step "explode" failed'],
    ['/misfit/execute', { input: {} }, 500, 'STEP_FAILED', 'Step "shape" failed: output/total must be number'],
  ])('replies to %s and %j with %i', async (path, body, status, code, error) => {
    const reply = await requestWorkflows(server.origin, path, body);
    expect(reply).toMatchObject({ status, code, error });
    expect(reply.executionId).toEqual(status === 500 ? expect.any(String) : null);
  });

  it('refuses an id that is in use', async () => {
    const body = { input: { a: 1, b: 2 }, options: { executionId: 'mine' } };
    expect(await requestWorkflows(server.origin, '/sum/execute', body)).toMatchObject({
      status: 200,
      executionId: 'mine',
    });
    expect(await requestWorkflows(server.origin, '/sum/execute', body)).toMatchObject({
      status: 409,
      code: 'EXECUTION_EXISTS',
      executionId: null,
    });
  });

  it('replies with status running when it takes too long', async () => {
    const { origin } = await serveOther([], { workflows, limits: { executeWaitMs: 5 } });
    const { data, executionId, status } = await requestWorkflows(origin, '/sleeper/execute', { input: {} });
    expect(status).toBe(200);
    expect(data).toEqual({
      executionId,
      status: 'running',
      startAt: expect.stringMatching(isoTime),
      endAt: null,
      result: null,
    });
  });

  // Of the storage in memory: an engine has limits of its own.
  it.skipIf(isOnEngine).each([
    ['maxUnfinishedBytesPerUser', 429, 'TOO_MANY_EXECUTIONS', 'cancel them'],
    ['maxUnfinishedBytes', 503, 'OVERLOADED', 'The storage in memory is full'],
  ])('refuses more when the storage in memory has reached %s: %i', async (limit, status, code, words) => {
    const storage = createInMemoryStorage({ executions: { [limit]: 1 } });
    const { origin } = await serveOther([], { workflows, storage });
    const options = { userId: 'ada' };
    const first = await requestWorkflows(origin, '/both/execute', { input: {}, options });
    expect(first).toMatchObject({ status: 200, data: { status: 'suspended' } });
    for (const route of ['execute', 'stream'])
      expect(await requestWorkflows(origin, `/both/${route}`, { input: {}, options })).toMatchObject({
        status,
        code,
        retryAfter: '5',
        error: expect.stringContaining(words),
      });
  });

  it('continues when the client disconnects', async () => {
    const gate = gateOf('left alone');
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    server.app.server.once('request', (_, response) => response.once('close', leave));
    const socket = open(server.port);
    const body = JSON.stringify({ input: { gate: 'left alone' }, options: { executionId: 'left-alone' } });
    socket.write(
      `POST /workflows/gated/execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const signal = await gate.entered;
    const followed = fetch(`${server.origin}/workflows/gated/executions/left-alone/stream`).then((reply) =>
      reply.text(),
    );
    socket.destroy();
    await left;
    expect(signal.aborted).toBe(false);
    gate.open();
    expect(resultIn(await followed)).toMatchObject({ status: 'completed', result: 'through' });
  });
});

/** The last event of a stream. */
function resultIn(text: string): unknown {
  return framesIn(text).at(-1)?.event;
}

describe('a server with workflows', () => {
  // It stores the execution by hand.
  it.skipIf(isOnEngine)('continues the executions of a process that ended', async () => {
    const storage = createInMemoryStorage();
    await storage.executions.create(
      {
        id: 'orphan',
        workflowId: 'sum',
        workflowName: 'Sum',
        input: { a: 2, b: 2 },
        context: {},
        workflowState: {},
        metadata: {},
        events: [],
      },
      { requestId: 'r1' },
    );
    const { origin } = await serveOther([], { workflows, storage });
    const text = await (await fetch(`${origin}/workflows/sum/executions/orphan/stream`)).text();
    expect(resultIn(text)).toMatchObject({ type: 'workflow-result', status: 'completed', result: { sum: 4 } });
  });

  it('runs executions without listening, too', async () => {
    const { app } = await serveOther([], { workflows });
    const reply = await app.inject({
      url: '/workflows/sum/execute',
      method: 'POST',
      payload: { input: { a: 1, b: 1 } },
    });
    expect(reply.json()).toMatchObject({ success: true, data: { result: { sum: 2 } } });
  });

  it('ends requests that wait for or follow an execution when it closes; the execution continues in another process', async () => {
    const storage = createInMemoryStorage();
    const closing = await serve([], { workflows, storage, limits: { shutdownGraceMs: 60_000 } });
    const gate = gateOf('closing');
    const waiting = requestWorkflows(closing.origin, '/gated/execute', {
      input: { gate: 'closing' },
      options: { executionId: 'moved' },
    });
    const signal = await gate.entered;
    const following = await fetch(`${closing.origin}/workflows/gated/executions/moved/stream`);
    const sleeping = await fetch(`${closing.origin}/workflows/sleeper/stream`, json({ input: {} }));

    const draining = once(signal, 'abort');
    const closed = closing.close();
    await draining;
    gate.open('carried over');

    expect(await waiting).toMatchObject({
      status: 503,
      code: 'SHUTTING_DOWN',
      executionId: 'moved',
      retryAfter: '5',
      error: 'The server is shutting down',
    });
    const last = 'data: {"type":"error","error":"The server is shutting down"}\n\n';
    expect(await following.text()).toMatch(new RegExp(`${last}$`));
    expect(await sleeping.text()).toMatch(new RegExp(`${last}$`));
    await closed;

    const { origin } = await serveOther([], { workflows, storage });
    const text = await (await fetch(`${origin}/workflows/gated/executions/moved/stream`)).text();
    expect(resultIn(text)).toMatchObject({ status: 'completed', result: 'carried over' });
  });
});
