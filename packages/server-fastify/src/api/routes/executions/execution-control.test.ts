import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import { gateOf, requestWorkflows, type WorkflowReply, workflows } from '../../../testing/workflows.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows });
});
afterAll(() => server.close());

const ask = (path: string, body?: unknown): Promise<WorkflowReply> => requestWorkflows(server.origin, path, body);
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
let count = 0;

/** The status of an execution. */
interface Run {
  readonly path: string;
  readonly id: string;
}

async function started(workflow: string, input: unknown): Promise<Run> {
  const id = `${workflow}-${(count += 1)}`;
  await ask(`/${workflow}/execute`, { input, options: { executionId: id } });
  return { id, path: `/${workflow}/executions/${id}` };
}

/** A running execution. Its first step ends when its gate opens. */
async function running(): Promise<Run & { readonly gate: string; readonly signal: AbortSignal }> {
  const id = `gated-${(count += 1)}`;
  void ask('/gated/execute', { input: { gate: id }, options: { executionId: id } });
  const signal = await gateOf(id).entered;
  return { id, gate: id, path: `/gated/executions/${id}`, signal };
}

async function statusOf({ path }: Run): Promise<unknown> {
  const { data } = await ask(path);
  return data?.['status'];
}

const states: Readonly<Record<string, () => Promise<Run>>> = {
  running: async () => {
    const run = await running();
    // The step ends when its signal is aborted.
    run.signal.addEventListener('abort', () => gateOf(run.gate).open('stopped'));
    return run;
  },
  sleeping: async () => {
    const id = `sleeper-${(count += 1)}`;
    const response = await fetch(`${server.origin}/workflows/sleeper/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: {}, options: { executionId: id } }),
    });
    await response.body?.cancel();
    return { id, path: `/sleeper/executions/${id}` };
  },
  suspended: () => started('approval', { total: 1 }),
  'suspended on request': async () => {
    const run = await states['running']?.();
    if (run === undefined) throw new Error('not started');
    await ask(`${run.path}/suspend`, { reason: 'wait' });
    return run;
  },
  completed: () => started('sum', { a: 1, b: 2 }),
  error: () => started('broken', {}),
  'failed once': () => started('flaky', {}),
  cancelled: () => started('quitter', {}),
  unknown: async () => ({ id: 'unknown', path: '/sum/executions/unknown' }),
  "another workflow's": async () => ({ ...(await started('sum', { a: 1, b: 2 })), path: '/broken/executions/sum-1' }),
};

const by = { resumeData: { by: 'ada' } };

/**
 * For each state and trigger: the status of the reply, its code, and the state of the execution
 * afterwards.
 */
const table: readonly (readonly [
  state: string,
  trigger: string,
  body: object,
  status: number,
  code: string | null,
  next: string,
])[] = [
  ['running', 'suspend', { reason: 'lunch' }, 200, null, 'suspended'],
  ['sleeping', 'suspend', { reason: 'lunch' }, 200, null, 'suspended'],
  ['suspended', 'suspend', { reason: 'lunch' }, 400, 'EXECUTION_NOT_RUNNING', 'suspended'],
  ['completed', 'suspend', { reason: 'lunch' }, 400, 'EXECUTION_NOT_RUNNING', 'completed'],
  ['error', 'suspend', { reason: 'lunch' }, 400, 'EXECUTION_NOT_RUNNING', 'error'],
  ['cancelled', 'suspend', { reason: 'lunch' }, 400, 'EXECUTION_NOT_RUNNING', 'cancelled'],
  ['unknown', 'suspend', { reason: 'lunch' }, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
  ["another workflow's", 'suspend', { reason: 'lunch' }, 404, 'EXECUTION_NOT_FOUND', 'unknown'],

  ['suspended', 'resume', by, 200, null, 'completed'],
  ['suspended on request', 'resume', {}, 200, null, 'completed'],
  ['suspended', 'resume', { resumeData: { by: 'unknown' } }, 500, 'STEP_FAILED', 'error'],
  ['suspended', 'resume', { ...by, options: { stepId: 'approve' } }, 200, null, 'completed'],
  ['suspended', 'resume', { options: { stepId: 'price' } }, 200, null, 'suspended'],
  ['suspended', 'resume', { ...by, options: { stepId: 'ship' } }, 400, 'INVALID_INPUT', 'suspended'],
  ['suspended', 'resume', { ...by, options: { stepId: 'nothing' } }, 400, 'INVALID_INPUT', 'suspended'],
  ['suspended', 'resume', { resumeData: { by: 5 } }, 400, 'INVALID_INPUT', 'suspended'],
  ['suspended', 'resume', {}, 400, 'INVALID_INPUT', 'suspended'],
  ['running', 'resume', by, 404, 'EXECUTION_NOT_SUSPENDED', 'running'],
  ['sleeping', 'resume', by, 404, 'EXECUTION_NOT_SUSPENDED', 'running'],
  ['completed', 'resume', by, 404, 'EXECUTION_NOT_SUSPENDED', 'completed'],
  ['error', 'resume', by, 404, 'EXECUTION_NOT_SUSPENDED', 'error'],
  ['cancelled', 'resume', by, 404, 'EXECUTION_NOT_SUSPENDED', 'cancelled'],
  ['unknown', 'resume', by, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
  ["another workflow's", 'resume', by, 404, 'EXECUTION_NOT_FOUND', 'unknown'],

  ['running', 'cancel', { reason: 'no use' }, 200, null, 'cancelled'],
  ['sleeping', 'cancel', { reason: 'no use' }, 200, null, 'cancelled'],
  ['suspended', 'cancel', { reason: 'no use' }, 200, null, 'cancelled'],
  ['suspended on request', 'cancel', { reason: 'no use' }, 200, null, 'cancelled'],
  ['completed', 'cancel', {}, 400, 'EXECUTION_NOT_RUNNING', 'completed'],
  ['error', 'cancel', {}, 400, 'EXECUTION_NOT_RUNNING', 'error'],
  ['cancelled', 'cancel', {}, 400, 'EXECUTION_NOT_RUNNING', 'cancelled'],
  ['unknown', 'cancel', {}, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
  ["another workflow's", 'cancel', {}, 404, 'EXECUTION_NOT_FOUND', 'unknown'],

  ['failed once', 'retry', {}, 200, null, 'completed'],
  ['error', 'retry', {}, 500, 'STEP_FAILED', 'error'],
  ['running', 'retry', {}, 400, 'EXECUTION_NOT_FAILED', 'running'],
  ['suspended', 'retry', {}, 400, 'EXECUTION_NOT_FAILED', 'suspended'],
  ['completed', 'retry', {}, 400, 'EXECUTION_NOT_FAILED', 'completed'],
  ['cancelled', 'retry', {}, 400, 'EXECUTION_NOT_FAILED', 'cancelled'],
  ['unknown', 'retry', {}, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
  ["another workflow's", 'retry', {}, 404, 'EXECUTION_NOT_FOUND', 'unknown'],

  ['completed', 'replay', { stepId: 'done' }, 200, null, 'completed'],
  ['error', 'replay', { stepId: 'explode' }, 500, 'STEP_FAILED', 'error'],
  ['suspended', 'replay', { stepId: 'approve' }, 200, null, 'suspended'],
  ['completed', 'replay', { stepId: 'nothing' }, 400, 'INVALID_INPUT', 'completed'],
  ['unknown', 'replay', { stepId: 'done' }, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
  ["another workflow's", 'replay', { stepId: 'done' }, 404, 'EXECUTION_NOT_FOUND', 'unknown'],
];

describe('an execution', () => {
  it.each(table)(
    'that is %s and gets %s with %j replies %i %s and is %s',
    async (state, trigger, body, ...expected) => {
      const [status, code, next] = expected;
      const run = await states[state]?.();
      if (run === undefined) throw new Error(`no such state: ${state}`);
      const reply = await ask(`${run.path}/${trigger}`, body);
      expect({ status: reply.status, code: reply.code, error: reply.error }).toEqual({
        status,
        code,
        error: status === 200 ? undefined : expect.stringMatching(/^[A-Z"b][^\n]+$/),
      });
      expect(await statusOf(run)).toEqual(next === 'unknown' ? undefined : next);
    },
  );
});

describe('suspend', () => {
  it('replies with the suspension when the execution is suspended', async () => {
    const run = await running();
    const aborted = once(run.signal, 'abort');
    const answer = ask(`${run.path}/suspend`, { reason: 'lunch' });
    await aborted;
    gateOf(run.gate).open('first half');
    expect((await answer).data).toEqual({
      executionId: run.id,
      status: 'suspended',
      suspension: { suspendedAt: expect.stringMatching(isoTime), reason: 'lunch' },
    });
    expect((await ask(`${run.path}/resume`, { resumeData: 'second half' })).data).toMatchObject({
      status: 'completed',
      result: 'second half',
    });
  });

  it('replies that the execution still runs when its step does not end', async () => {
    const { close, origin } = await serve([], { workflows, limits: { suspendWaitMs: 5, shutdownGraceMs: 5 } });
    void requestWorkflows(origin, '/gated/execute', { input: { gate: 'deaf' }, options: { executionId: 'deaf' } });
    await gateOf('deaf').entered;
    expect(await requestWorkflows(origin, '/gated/executions/deaf/suspend', { reason: 'now' })).toMatchObject({
      status: 503,
      code: 'STILL_RUNNING',
      retryAfter: '5',
      error: 'Execution has not stopped yet: deaf',
    });
    await close();
  });

  it('needs no reason', async () => {
    const run = await states['sleeping']?.();
    expect((await ask(`${run?.path}/suspend`, '')).data['suspension']).toMatchObject({
      reason: 'Suspended on request',
    });
  });
});

describe('resume', () => {
  it('answers with the result', async () => {
    const run = await started('approval', { total: 4 });
    const reply = await ask(`${run.path}/resume`, { resumeData: { by: 'ada' }, options: { stepId: 'approve' } });
    expect(reply.executionId).toBe(run.id);
    expect(reply.data).toEqual({
      executionId: run.id,
      status: 'completed',
      startAt: expect.stringMatching(isoTime),
      endAt: expect.stringMatching(isoTime),
      result: { total: 8, by: 'ada' },
    });
  });

  it.each([
    [{ resumeData: { by: 5 } }, 'body/resumeData/by must be string'],
    [{ resumeData: {} }, "body/resumeData must have required property 'by'"],
    [{ resumeData: { by: 'a' }, options: { stepId: '' } }, expect.stringContaining('body/options/stepId must')],
    [
      { resumeData: { by: 'a' }, options: { stepId: 'nothing' } },
      'body/options/stepId names no suspended or earlier step: nothing',
    ],
  ])('refuses %j with a reason', async (body, error) => {
    const run = await started('approval', { total: 4 });
    expect(await ask(`${run.path}/resume`, body)).toMatchObject({ status: 400, code: 'INVALID_INPUT', error });
  });

  it('is accepted once, however many requests arrive at the same time', async () => {
    const run = await started('approval', { total: 4 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask(`${run.path}/resume`, { resumeData: { by: 'ada' } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(404)]);
  });

  it('resumes several suspensions one by one, each by its step', async () => {
    const run = await started('both', {});
    expect((await ask(`${run.path}/resume`, { resumeData: 'r', options: { stepId: 'right' } })).data).toMatchObject({
      status: 'suspended',
      suspensions: [{ stepId: 'left' }],
    });
    expect((await ask(`${run.path}/resume`, { resumeData: 'l' })).data).toMatchObject({ status: 'completed' });
  });

  it('reaches an item of a loop', async () => {
    const run = await started('lines', {});
    expect((await ask(run.path)).data['suspension']).toMatchObject({ stepId: 'check:1' });
    expect((await ask(`${run.path}/resume`, { resumeData: 'B', options: { stepId: 'check:1' } })).data).toMatchObject({
      result: ['a', 'B'],
    });
  });

  it('goes through a sub-workflow or through its parent', async () => {
    for (const through of ['parent', 'child']) {
      const run = await started('parent', {});
      const { data } = await ask(`/executions?parentExecutionId=${run.id}`);
      const id = String((data as unknown as { id: string }[])[0]?.id);
      const path = through === 'child' ? `/child/executions/${id}` : run.path;
      expect((await ask(`${path}/resume`, { resumeData: 'yes' })).data).toMatchObject({
        status: 'completed',
        result: 'yes',
      });
      expect((await ask(run.path)).data).toMatchObject({ status: 'completed', output: 'yes' });
    }
  });
});

describe('an approval that an agent in a workflow requests', () => {
  it('suspends the execution, and is answered by resuming it', async () => {
    const run = await started('refunds', {});
    const suspension = (await ask(run.path)).data?.['suspension'];
    expect(suspension).toMatchObject({ reason: 'Tool "refund" needs approval', stepId: 'handle' });
    const options = { suspensionId: (suspension as { suspensionId: string }).suspensionId };
    expect(await ask(`${run.path}/resume`, { resumeData: 'yes', options })).toMatchObject({
      status: 400,
      error: 'body/resumeData must be object',
    });
    expect((await ask(`${run.path}/resume`, { resumeData: { approved: true }, options })).data).toMatchObject({
      status: 'completed',
      result: 'Done.',
    });
  });
});

describe('cancel', () => {
  it('returns the time and the reason', async () => {
    const run = await started('approval', { total: 4 });
    expect((await ask(`${run.path}/cancel`, { reason: 'changed my mind' })).data).toEqual({
      executionId: run.id,
      status: 'cancelled',
      cancelledAt: expect.stringMatching(isoTime),
      reason: 'changed my mind',
    });
  });

  it('needs no body, and ends requests that wait for the execution', async () => {
    const id = 'to-cancel';
    const waiting = ask('/gated/execute', { input: { gate: id }, options: { executionId: id } });
    const signal = await gateOf(id).entered;
    const reply = await fetch(`${server.origin}/workflows/gated/executions/${id}/cancel`, { method: 'POST' });
    expect(await reply.json()).toMatchObject({ success: true, data: { status: 'cancelled' } });
    expect(signal.aborted).toBe(true);
    expect(await waiting).toMatchObject({ status: 200, data: { status: 'cancelled', result: null } });
  });
});

describe('terminate', () => {
  it('ends an execution at once, also while a step runs, and returns the time and the reason', async () => {
    const id = 'to-terminate';
    const waiting = ask('/gated/execute', { input: { gate: id }, options: { executionId: id } });
    const signal = await gateOf(id).entered;
    expect((await ask(`/gated/executions/${id}/terminate`, { reason: 'stuck' })).data).toEqual({
      executionId: id,
      status: 'cancelled',
      cancelledAt: expect.stringMatching(isoTime),
      reason: 'stuck',
    });
    expect(signal.aborted).toBe(true);
    expect(await waiting).toMatchObject({ status: 200, data: { status: 'cancelled', result: null } });
  });

  it('needs no body, and refuses an execution that has ended', async () => {
    const run = await started('approval', { total: 4 });
    const again = async () => fetch(`${server.origin}/workflows${run.path}/terminate`, { method: 'POST' });
    expect((await again()).status).toBe(200);
    const reply = await again();
    expect([reply.status, reply.headers.get('x-error-code')]).toEqual([400, 'EXECUTION_NOT_RUNNING']);
  });
});

describe('replay', () => {
  it('runs a new execution from the step, with the records of the earlier steps', async () => {
    const run = await started('approval', { total: 4 });
    const reply = await ask(`${run.path}/replay`, { stepId: 'approve', resumeData: { by: 'eve' } });
    expect(reply).toMatchObject({ status: 200, data: { status: 'completed', result: { total: 8, by: 'eve' } } });
    expect(reply.executionId).not.toBe(run.id);
    expect(reply.data['executionId']).toBe(reply.executionId);
    expect(await statusOf(run)).toBe('suspended');
    expect((await ask(`/approval/executions/${reply.executionId}`)).data).toMatchObject({
      metadata: { replayedFrom: run.id },
    });
  });

  it('can replace the input of the step', async () => {
    const run = await started('sum', { a: 1, b: 2 });
    expect((await ask(`${run.path}/replay`, { stepId: 'done', inputData: { sum: 9 } })).data).toMatchObject({
      result: { sum: 9 },
    });
  });

  it.each([
    [{}, "body must have required property 'stepId'"],
    [{ stepId: 'nothing' }, 'body/stepId names no step that the execution has reached: nothing'],
    [{ stepId: 'approve', resumeData: { by: 5 } }, 'body/resumeData/by must be string'],
    [{ stepId: 'price', inputData: { total: 'much' } }, 'body/inputData/total must be number'],
  ])('refuses %j with a reason', async (body, error) => {
    const run = await started('approval', { total: 4 });
    expect(await ask(`${run.path}/replay`, body)).toMatchObject({ status: 400, code: 'INVALID_INPUT', error });
  });
});
