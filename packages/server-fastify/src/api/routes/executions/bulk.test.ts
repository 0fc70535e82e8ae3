import { createWorkflow } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows, type WorkflowReply, workflows } from '../../../testing/workflows.ts';

const seen = new Set<string>();
const onceBroken = createWorkflow({ id: 'once-broken' }).andThen({
  id: 'call',
  execute: ({ state: { executionId } }) => {
    if (seen.has(executionId)) return 'up';
    seen.add(executionId);
    throw new TypeError('down');
  },
});

let server: Served;
beforeAll(async () => {
  server = await serve([], {
    workflows: [...workflows, onceBroken],
    userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
  });
});
afterAll(() => server.close());

const bulk = (path: string, body?: unknown, user?: string): Promise<WorkflowReply> =>
  requestWorkflows(server.origin, `/executions/bulk${path}`, body, user === undefined ? {} : { 'x-user': user });

async function ended(bulkId: unknown, user?: string): Promise<Record<string, unknown>> {
  let data: Record<string, unknown> = {};
  const status = async (): Promise<unknown> => {
    ({ data } = await bulk(`/${String(bulkId)}`, undefined, user));
    return data['status'];
  };
  await expect.poll(status, { interval: 1 }).not.toBe('running');
  return data;
}

/** The lists of an engine may lag. */
const listed = (filter: object, matched: number): Promise<void> =>
  expect.poll(async () => (await bulk('/preview', { filter })).data['matched']).toBe(matched);

async function start(workflow: string, input: unknown, options: object): Promise<string> {
  const { executionId } = await requestWorkflows(server.origin, `/${workflow}/execute`, { input, options });
  return executionId ?? '';
}

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /workflows/executions/bulk', () => {
  it('retries the executions that match, and reports progress and result', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1)
      ids.push(await start('once-broken', {}, { executionId: `b-${count}`, metadata: { batch: 'one' } }));
    await start('once-broken', {}, { executionId: 'b-other', metadata: { batch: 'two' } });
    const filter = { workflowId: 'once-broken', status: 'error', metadata: { batch: 'one' }, from: '2020-01-01' };
    await listed(filter, 30);
    expect(await bulk('/preview', { filter })).toMatchObject({
      status: 200,
      data: { matched: 30, executionIds: ids.slice(-20).toReversed() },
    });
    const { data, status } = await bulk('', { operation: 'retry', filter, requestId: 'deploy-7' });
    expect(status).toBe(200);
    expect(data).toEqual({
      bulkId: expect.any(String),
      operation: 'retry',
      filter: { ...filter, from: '2020-01-01T00:00:00.000Z' },
      status: 'running',
      matched: 30,
      succeeded: 0,
      skipped: 0,
      failed: 0,
      skips: [],
      failures: [],
      startAt: isoTime,
      endAt: null,
    });
    expect(await ended(data['bulkId'])).toMatchObject({
      status: 'completed',
      succeeded: 30,
      failed: 0,
      endAt: isoTime,
    });
    await listed({ ...filter, status: 'completed' }, 30);
    const repeated = await bulk('', { operation: 'retry', filter, requestId: 'deploy-7' });
    expect(repeated.data['bulkId']).toBe(data['bulkId']);
    expect(await bulk('', { operation: 'cancel', filter, requestId: 'deploy-7' })).toMatchObject({
      status: 409,
      code: 'BULK_REQUEST_EXISTS',
    });
  });

  it('changes the executions that are named, and no other', async () => {
    for (const executionId of ['n-1', 'n-2', 'n-3']) await start('approval', { total: 1 }, { executionId });
    const { data } = await bulk('', { operation: 'cancel', filter: { ids: ['n-1', 'n-3'] } });
    expect(await ended(data['bulkId'])).toMatchObject({ matched: 2, succeeded: 2, filter: { ids: ['n-1', 'n-3'] } });
    expect((await requestWorkflows(server.origin, '/approval/executions/n-2')).data['status']).toBe('suspended');
  });

  it('skips executions whose state does not allow it, with the reason', async () => {
    await start('sum', { a: 1, b: 2 }, { executionId: 'summed', metadata: { kind: 'mixed' } });
    await start('approval', { total: 1 }, { executionId: 'asked', metadata: { kind: 'mixed' } });
    const filter = { metadata: { kind: 'mixed' } };
    await listed({ ...filter, status: 'suspended' }, 1);
    const { data } = await bulk('', { operation: 'resume', resumeData: { by: 'ada' }, filter });
    expect(await ended(data['bulkId'])).toMatchObject({
      succeeded: 1,
      skipped: 1,
      skips: [{ executionId: 'summed', workflowId: 'sum', code: 'EXECUTION_NOT_SUSPENDED' }],
    });
  });

  it.each([
    [{ operation: 'retry' }, 'body/filter must have a condition'],
    [{ operation: 'retry', filter: {} }, 'body/filter must have a condition'],
    [{ operation: 'retry', filter: { metadata: {} } }, 'body/filter must have a condition'],
    [{ operation: 'retry', filter: { staus: 'error' } }, 'body/filter'],
    [{ operation: 'retry', filter: { status: 'failed' } }, 'body/filter/status'],
    [{ operation: 'retry', filter: { from: 'yesterday' } }, 'body/filter/from'],
    [{ operation: 'retry', filter: { ids: [] } }, 'body/filter/ids'],
    [{ operation: 'retry', filter: { ids: ['a b'] } }, 'body/filter/ids/0'],
    [{ operation: 'retry', filter: null }, 'body/filter'],
    [{ operation: 'retry', filter: { workflowId: 'halyard:bulk' } }, 'body/filter/workflowId'],
    [{ operation: 'retry', all: true, filter: { status: 'error' } }, 'body/all'],
    [{ operation: 'retry', all: false }, 'body/all'],
    [{ operation: 'retry', all: true, dryRun: true }, 'body'],
    [{ operation: 'purge', all: true }, 'body/operation'],
    [{ operation: 'replay', all: true }, 'body/stepId'],
    [{ operation: 'cancel', all: true, stepId: 'x' }, 'body/stepId'],
  ])('refuses %j', async (body, message) => {
    const reply = await fetch(`${server.origin}/workflows/executions/bulk`, json(body));
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ success: false, error: expect.stringContaining(message) });
  });
});

describe('a bulk operation', () => {
  it('is refused for a verified user, also of the app that mounts the server', async () => {
    expect((await bulk('/preview', { all: true }, 'ada')).status).toBe(403);
    expect((await bulk('', { operation: 'cancel', all: true }, 'ada')).status).toBe(403);
  });

  it('cannot be started, replayed or read as an execution of a workflow', async () => {
    const { data } = await bulk('', { operation: 'retry', filter: { status: 'error' } });
    const id = String(data['bulkId']);
    await ended(id);
    const input = { action: { operation: 'cancel' }, filter: {}, owner: 'anyone' };
    const as = { 'x-user': 'ada' };
    const requests: readonly (readonly [string, unknown])[] = [
      ['/halyard:bulk/execute', { input }],
      ['/halyard:bulk/stream', { input }],
      [`/halyard:bulk/executions/${id}/replay`, { stepId: 'pages', inputData: input }],
      [`/halyard:bulk/executions/${id}/retry`, {}],
      [`/halyard:bulk/executions/${id}`, undefined],
    ];
    for (const [path, body] of requests)
      expect((await requestWorkflows(server.origin, path, body, as)).status).toBe(404);
    for (const [path, body] of requests.slice(0, 3))
      expect((await requestWorkflows(server.origin, path, body)).status).toBe(404);
  });
});

describe('access to bulk operations', () => {
  it('needs the console key: a token is not enough', async () => {
    const provider = { type: 'names', verifyToken: (token: string) => (token === 'ada' ? { id: 'ada' } : null) };
    const guarded = await serve([], {
      workflows,
      auth: { provider, consoleKey: 'the key of the console', rejectedPerMinute: false },
    });
    const statusOf = async (headers: object): Promise<readonly number[]> => {
      const body = { operation: 'retry', filter: { status: 'error' } };
      const replies = [
        await requestWorkflows(guarded.origin, '/executions/bulk', body, headers),
        await requestWorkflows(guarded.origin, '/executions/bulk/preview', { filter: body.filter }, headers),
        await requestWorkflows(guarded.origin, '/executions/bulk/b', undefined, headers),
        await requestWorkflows(guarded.origin, '/executions/bulk/b/cancel', {}, headers),
      ];
      return replies.map(({ status }) => status);
    };
    expect(await statusOf({})).toEqual([401, 401, 401, 401]);
    expect(await statusOf({ authorization: 'Bearer ada' })).toEqual([401, 401, 401, 401]);
    expect(await statusOf({ 'x-console-access-key': 'the key of the console' })).toEqual([200, 200, 404, 404]);
    await guarded.close();
  });
});
