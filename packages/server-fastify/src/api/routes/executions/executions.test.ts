import { andWaitForEvent, andWorkflow, createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isOnEngine, serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows, workflows } from '../../../testing/workflows.ts';

let server: Served;
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** The header with the span that an execution belongs to. */
const trace = {
  traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
  spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
};

/** In the order of creation; the list has the newest first. */
const runs: readonly (readonly [id: string, workflow: string, input: unknown, options?: object])[] = [
  ['s1', 'sum', { a: 1, b: 2 }, { userId: 'ada', metadata: { tenant: 1, tag: 'x', deep: { a: [1] } } }],
  ['s2', 'sum', { a: 1, b: 2 }, { userId: 'bob', metadata: { tenant: '1', tag: 'x' } }],
  ['a1', 'approval', { total: 5 }, { userId: 'ada', conversationId: 'c1', metadata: { tenant: 2, flag: true } }],
  ['b1', 'broken', {}, { metadata: { tag: 'a b' } }],
  ['q1', 'quitter', {}, { metadata: { nothing: null } }],
  ['p1', 'parent', {}],
];

beforeAll(async () => {
  server = await serve([], { workflows });
  for (const [executionId, workflow, input, options] of runs)
    await requestWorkflows(server.origin, `/${workflow}/execute`, { input, options: { executionId, ...options } });
  // The lists of an engine may lag.
  await vi.waitFor(async () => {
    expect(await idsOf('')).toHaveLength(runs.length);
    expect(await idsOf('?status=running')).toEqual([]);
  }, 100_000);
});
afterAll(() => server.close());

interface Record {
  readonly id: string;
  readonly workflowId: string;
  readonly createdAt: string;
  readonly events: readonly { readonly type: string }[];
}

async function list(query: string, origin = server.origin): Promise<readonly Record[]> {
  return (await requestWorkflows(origin, `/executions${query}`)).data as unknown as readonly Record[];
}

const idsOf = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);

describe('the list of executions', () => {
  it('has root executions, the newest first', async () => {
    expect(await idsOf('')).toEqual(['p1', 'q1', 'b1', 'a1', 's2', 's1']);
  });

  it('contains the records of each execution', async () => {
    const [record] = await list('?workflowId=approval');
    expect(record).toEqual({
      id: 'a1',
      workflowId: 'approval',
      workflowName: 'Approval',
      status: 'suspended',
      input: { total: 5 },
      workflowState: {},
      suspension: {
        suspendedAt: isoTime,
        reason: 'needs approval',
        stepIndex: 1,
        stepId: 'approve',
        suspensionId: expect.any(String),
        kind: 'step',
        suspendData: { total: 10 },
      },
      userId: 'ada',
      conversationId: 'c1',
      metadata: { tenant: 2, flag: true, ...trace },
      createdAt: isoTime,
      updatedAt: isoTime,
      events: [
        {
          id: 'a1:1',
          type: 'workflow-start',
          name: 'Approval',
          from: 'approval',
          startTime: isoTime,
          endTime: isoTime,
          status: 'running',
          input: { total: 5 },
        },
        {
          id: 'a1:2',
          type: 'step-start',
          name: 'price',
          from: 'price',
          startTime: isoTime,
          endTime: isoTime,
          status: 'running',
          input: { total: 5 },
        },
        {
          id: 'a1:3',
          type: 'step-complete',
          name: 'price',
          from: 'price',
          startTime: isoTime,
          endTime: isoTime,
          status: 'success',
          output: { total: 10 },
        },
        expect.objectContaining({ id: 'a1:4', type: 'step-start', from: 'approve', status: 'running' }),
      ],
    });
  });

  it('contains how steps and workflows ended', async () => {
    const records = new Map((await list('')).map((record) => [record.id, record]));
    expect(records.get('s1')).toMatchObject({ status: 'completed', output: { sum: 3 }, suspension: null });
    expect(records.get('s1')?.events.slice(1, 3)).toMatchObject([{ name: 'Add up' }, { name: 'Add up' }]);
    const endOf = (id: string): unknown => records.get(id)?.events.slice(-2);
    expect(endOf('s1')).toMatchObject([
      { type: 'step-complete', status: 'success' },
      { type: 'workflow-complete', name: 'Sum', status: 'success', output: { sum: 3 } },
    ]);
    expect(endOf('b1')).toMatchObject([
      { type: 'step-error', from: 'explode', status: 'error' },
      { type: 'workflow-error', status: 'error' },
    ]);
    expect(endOf('q1')).toMatchObject([{ type: 'step-start' }, { type: 'workflow-cancelled', status: 'cancelled' }]);
  });

  it.each<readonly [query: string, ids: readonly string[]]>([
    ['?workflowId=sum', ['s2', 's1']],
    ['?workflowId=nothing', []],
    ['?status=suspended', ['p1', 'a1']],
    ['?status=completed', ['s2', 's1']],
    ['?status=error', ['b1']],
    ['?status=cancelled', ['q1']],
    ['?status=running', []],
    ['?userId=ada', ['a1', 's1']],
    ['?userId=ada&status=completed', ['s1']],
    ['?metadata.tenant=1', ['s1']],
    ['?metadata.tenant=%221%22', ['s2']],
    ['?metadata.tag=x', ['s2', 's1']],
    ['?metadata.tag=%22x%22', ['s2', 's1']],
    ['?metadata.tag=a%20b', ['b1']],
    ['?metadata.flag=true', ['a1']],
    ['?metadata.nothing=null', ['q1']],
    ['?metadata.tag=x&metadata.tenant=1', ['s1']],
    [`?metadata=${encodeURIComponent('{"tag":"x"}')}`, ['s2', 's1']],
    [`?metadata=${encodeURIComponent('{"deep":{"a":[1]}}')}`, ['s1']],
    [`?metadata=${encodeURIComponent('{"tag":"x"}')}&metadata.tenant=1`, ['s1']],
    ['?metadata=%7B%7D', ['p1', 'q1', 'b1', 'a1', 's2', 's1']],
    ['?metadata.absent=1', []],
    ['?from=2000-01-01', ['p1', 'q1', 'b1', 'a1', 's2', 's1']],
    ['?from=2100-01-01T00:00:00Z', []],
    ['?to=2000-01-01T00:00:00.000%2B02:00', []],
    ['?limit=2', ['p1', 'q1']],
    ['?limit=2&offset=3', ['a1', 's2']],
    ['?offset=6', []],
    ['?status=completed&limit=1&offset=1', ['s1']],
    ['?unknown=ignored&limit=1', ['p1']],
    ['?parentExecutionId=unknown', []],
  ])('is filtered and paged by %s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it('includes the bounds of a time range', async () => {
    const [{ createdAt } = { createdAt: '' }] = await list('?workflowId=approval');
    expect(await idsOf(`?workflowId=approval&from=${createdAt}&to=${createdAt}`)).toEqual(['a1']);
  });

  it('lists sub-workflows if their parent is named', async () => {
    expect(await list('?parentExecutionId=p1')).toMatchObject([{ workflowId: 'child', status: 'suspended' }]);
  });

  it.each([
    ['?limit=0', 'query/limit must be >= 1'],
    ['?limit=201', 'query/limit must be <= 200'],
    ['?limit=x', 'query/limit must be integer'],
    ['?limit=', 'query/limit must be integer'],
    ['?offset=-1', 'query/offset must be >= 0'],
    ['?offset=100001', 'query/offset must be <= 100000'],
    [
      '?status=idle',
      'query/status must be equal to one of the allowed values: "running", "suspended", "completed", "error", "cancelled"',
    ],
    ['?from=yesterday', 'query/from must be an ISO 8601 timestamp'],
    ['?from=', 'query/from must be an ISO 8601 timestamp'],
    ['?from=2026-01-01T10:00:00+02:00', 'query/from must be an ISO 8601 timestamp: write the + of its offset as %2B'],
    ['?from=2026-01-01T10:00:00%2B0200', 'query/from must be an ISO 8601 timestamp'],
    ['?to=2026-02-31', 'query/to must be an ISO 8601 timestamp'],
    ['?to=2026-13-01T00:00:00Z', 'query/to must be an ISO 8601 timestamp'],
    ['?metadata=x', 'query/metadata must be a JSON object'],
    ['?metadata=%5B1%5D', 'query/metadata must be a JSON object'],
    ['?metadata=null', 'query/metadata must be a JSON object'],
    ['?metadata.=1', 'query/metadata. must name a key'],
    ['?metadata.a=1&metadata.a=2', 'query/metadata.a must be given once'],
    ['?metadata.a=1&metadata=%7B%22a%22:1%7D', 'query/metadata.a is in query/metadata too'],
    ['?workflowId=a%20b', 'query/workflowId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"'],
  ])('refuses %s', async (query, error) => {
    expect(await requestWorkflows(server.origin, `/executions${query}`)).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      error,
    });
  });
});

describe('the state of an execution', () => {
  it.each(['', '/state'])('is returned at …/:executionId%s', async (end) => {
    expect((await requestWorkflows(server.origin, `/approval/executions/a1${end}`)).data).toEqual({
      executionId: 'a1',
      workflowId: 'approval',
      workflowName: 'Approval',
      status: 'suspended',
      startAt: isoTime,
      endAt: null,
      input: { total: 5 },
      context: {},
      workflowState: {},
      suspension: {
        suspendedAt: isoTime,
        reason: 'needs approval',
        stepIndex: 1,
        stepId: 'approve',
        suspensionId: expect.any(String),
        kind: 'step',
        suspendData: { total: 10 },
      },
      userId: 'ada',
      conversationId: 'c1',
      metadata: { tenant: 2, flag: true, ...trace },
      createdAt: isoTime,
      updatedAt: isoTime,
      suspensions: [
        {
          suspensionId: expect.any(String),
          suspendedAt: isoTime,
          reason: 'needs approval',
          stepIndex: 1,
          stepId: 'approve',
          suspendData: { total: 10 },
          kind: 'step',
          executionId: 'a1',
          resumeSchema: { type: 'object', required: ['by'], properties: { by: { type: 'string' } } },
        },
      ],
      rewinds: [],
    });
  });

  it('has the schema of each answer, also of steps of a sub-workflow, and the rewinds', async () => {
    const Slot = { type: 'object', required: ['slot'], properties: { slot: { type: 'string' } } };
    const delivery = createWorkflow({ id: 'delivery', resumeSchema: Slot }).andThen({
      id: 'choose',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('When?'),
    });
    const both = createWorkflow({ id: 'both' })
      .andThen({ id: 'first', execute: () => 1 })
      .andAll({
        id: 'waits',
        steps: [
          andWorkflow({ id: 'deliver', workflow: delivery }),
          andWaitForEvent({ id: 'paid', event: 'order.paid', key: () => 'k' }),
        ],
      });
    const own = await serve([], { workflows: [both] });
    try {
      await requestWorkflows(own.origin, '/both/execute', { input: {}, options: { executionId: 'b' } });
      const { data } = await requestWorkflows(own.origin, '/both/executions/b');
      expect(data).toMatchObject({
        suspensions: expect.arrayContaining([
          expect.objectContaining({
            stepId: 'choose',
            kind: 'step',
            executionId: expect.not.stringMatching(/^b$/),
            resumeSchema: Slot,
          }),
          expect.objectContaining({
            stepId: 'paid',
            kind: 'event',
            executionId: 'b',
            event: { name: 'order.paid', key: 'k' },
          }),
        ]),
        rewinds: [],
      });
      const [child] = await list('?parentExecutionId=b&events=false', own.origin);
      expect(child).toMatchObject({ parentExecutionId: 'b', parentStep: 'waits/deliver', events: [] });

      await requestWorkflows(own.origin, '/both/executions/b/resume', { options: { stepId: 'first' } });
      expect((await requestWorkflows(own.origin, '/both/executions/b')).data).toMatchObject({
        rewinds: [{ paths: ['first', 'waits'], seq: expect.any(Number) }],
      });
      expect((await requestWorkflows(own.origin, '/both')).data).toMatchObject({
        steps: [{ id: 'first' }, { steps: [{ id: 'deliver', workflowId: 'delivery' }, { id: 'paid' }] }],
      });
    } finally {
      await own.close();
    }
  });

  it('has the output or the error of one that ended', async () => {
    expect((await requestWorkflows(server.origin, '/sum/executions/s1')).data).toMatchObject({
      status: 'completed',
      endAt: isoTime,
      output: { sum: 3 },
      suspension: null,
    });
    expect((await requestWorkflows(server.origin, '/broken/executions/b1')).data).toMatchObject({
      status: 'error',
      error: { message: 'Step "explode" failed', stepId: 'explode', code: 'STEP_FAILED' },
    });
  });

  it.each([
    ['/sum/executions/unknown', 404, 'EXECUTION_NOT_FOUND', 'Execution not found: unknown'],
    ['/broken/executions/s1', 404, 'EXECUTION_NOT_FOUND', 'Execution not found: s1'],
    ['/nothing/executions/s1', 404, 'EXECUTION_NOT_FOUND', 'Execution not found: s1'],
    [
      '/sum/executions/a%20b',
      400,
      'INVALID_INPUT',
      'params/executionId must match pattern "^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$"',
    ],
  ])('is not found at %s', async (path, status, code, error) => {
    for (const end of ['', '/state'])
      expect(await requestWorkflows(server.origin, path + end)).toMatchObject({ status, code, error });
  });
});

it('lists what follows an execution, and refuses one that does not exist', async () => {
  const own = await serve([], { workflows });
  try {
    for (const id of ['a', 'b', 'c'])
      await requestWorkflows(own.origin, '/sum/execute', { input: { a: 1, b: 2 }, options: { executionId: id } });
    await expect.poll(() => list('?limit=2', own.origin)).toMatchObject([{ id: 'c' }, { id: 'b' }]);
    expect(await list('?limit=2&after=b', own.origin)).toMatchObject([{ id: 'a' }]);
    expect(await list('?after=a', own.origin)).toEqual([]);
    expect(await requestWorkflows(own.origin, '/executions?after=none')).toMatchObject({
      status: 400,
      error: 'query/after names no execution: none',
    });
  } finally {
    await own.close();
  }
});

it('describes executions whose workflow is no longer registered', async () => {
  const storage = createInMemoryStorage();
  const before = await serve([], { workflows, storage });
  await requestWorkflows(before.origin, '/approval/execute', { input: { total: 1 }, options: { executionId: 'old' } });
  await before.close();
  const after = await serve([], { storage });
  await expect
    .poll(() => list('', after.origin))
    .toMatchObject([{ id: 'old', suspension: { stepId: 'approve', stepIndex: 1 } }]);
  expect((await requestWorkflows(after.origin, '/approval/executions/old')).data).toMatchObject({
    workflowName: 'Approval',
  });
  await after.close();
});

// It stores the executions by hand.
it.skipIf(isOnEngine)('lists the executions that are in quarantine, and says so in their states', async () => {
  const storage = createInMemoryStorage();
  const fields = { input: {}, context: {}, workflowState: {}, metadata: {}, events: [] };
  for (const id of ['poison', 'fine'])
    await storage.executions.create(
      { ...fields, id, workflowId: 'sum', workflowName: 'Sum' },
      { requestId: id, dueInMs: 0 },
    );
  const suspension = {
    id: '1',
    path: '#request',
    stepId: 'add',
    stepIndex: 0,
    executionId: 'poison',
    kind: 'request',
    reason: 'Quarantined',
    suspendedAt: 0,
  } as const;
  expect(await storage.executions.quarantine('poison', { minClaims: 0, suspension, events: [] })).toBe(true);

  const own = await serve([], { workflows, storage });
  try {
    expect(await list('?quarantined=true', own.origin)).toMatchObject([
      { id: 'poison', status: 'suspended', quarantinedAt: isoTime, suspension: { reason: 'Quarantined' } },
    ]);
    expect(await requestWorkflows(own.origin, '/sum/executions/poison')).toMatchObject({
      data: { quarantinedAt: isoTime },
    });
    expect(await requestWorkflows(own.origin, '/executions?quarantined=perhaps')).toMatchObject({ status: 400 });
  } finally {
    await own.close();
  }
});
