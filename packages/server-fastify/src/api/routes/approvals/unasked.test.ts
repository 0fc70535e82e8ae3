import { andThen, createWorkflow, type StepContext } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

const consoleKey = 'the key of the console';
const provider = { type: 'names', verifyToken: (id: string) => ({ id }) };
const ada = { authorization: 'Bearer ada' };
const operator = { 'x-console-access-key': consoleKey };

/** Asks somebody else than the user. */
const execute = ({ input, resumeData, resumedBy, state, suspend }: StepContext<unknown>) =>
  resumeData === undefined || (resumedBy !== undefined && resumedBy === state.userId)
    ? suspend('The real question', input)
    : resumeData;
const resumeSchema = Type.Object({ approved: Type.Boolean() });
const approve = (id: string) => andThen({ id, resumeSchema, execute });
const inner = createWorkflow({ id: 'inner' }).andThen({ id: 'ask', resumeSchema, execute });
const ofUsers = [
  createWorkflow({ id: 'order' }).andThen({ id: 'ask', resumeSchema, execute }),
  createWorkflow({ id: 'both' }).andAll({ id: 'all', steps: [approve('one'), approve('two')] }),
  createWorkflow({ id: 'each' }).andForEach({ id: 'all', items: () => [1, 2], step: approve('ask') }),
  createWorkflow({ id: 'sub' }).andWorkflow({ id: 'sub', workflow: inner }),
  createWorkflow({ id: 'code' }).andRun({ id: 'code', run: ({ step }) => step('ask', execute) }),
];
const payout = createWorkflow({ id: 'payout', access: 'operators' }).andThen({ id: 'ask', resumeSchema, execute });

interface Approval {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly resumeSchema: unknown;
}

let server: Served;
async function send(path: string, who: Readonly<Record<string, string>>, body?: object) {
  const { headers = {}, ...init } = body === undefined ? {} : json(body);
  const reply = await fetch(`${server.origin}${path}`, { ...init, headers: { ...headers, ...who } });
  const { data, error } = (await reply.json()) as { data?: Readonly<Record<string, unknown>>; error?: string };
  return { status: reply.status, data: data ?? {}, error };
}

const approvals = async (who = operator): Promise<readonly Approval[]> =>
  (await send('/approvals', who)).data['approvals'] as readonly Approval[];
const isAsking = async (): Promise<boolean> =>
  (await approvals()).every(({ kind, reason }) => kind === 'step' && reason === 'The real question');

/** Starts an execution that is suspended before it has asked anything. */
async function suspendBeforeFirst(id: string, who: Readonly<Record<string, string>>): Promise<Approval> {
  const execution = `/workflows/${id}/executions/${id}-1`;
  const options = { executionId: `${id}-1`, startAfterMs: 3_600_000 };
  const stream = await fetch(`${server.origin}/workflows/${id}/stream`, {
    ...json({ input: { euros: 90_000 }, options }),
    headers: { ...json({}).headers, ...who },
  });
  await stream.body?.cancel();
  expect(await send(`${execution}/suspend`, who, { reason: 'Ada orders for 10 euros' })).toMatchObject({ status: 200 });
  const [shown] = await approvals();
  if (shown === undefined) throw new TypeError('nothing waits');
  return shown;
}

afterEach(() => server.close());

describe('with auth', () => {
  beforeEach(async () => {
    server = await serve([], { workflows: [...ofUsers, inner, payout], auth: { provider, consoleKey } });
  });

  it.each(ofUsers)('a suspension by its user is not taken for a question: $id', async ({ id }) => {
    const shown = await suspendBeforeFirst(id, ada);
    expect(shown).toMatchObject({ kind: 'request', reason: 'Ada orders for 10 euros', resumeSchema: null });
    const resumeData = { approved: true };
    const execution = `/workflows/${id}/executions/${id}-1`;
    const answer = { id: shown.id, executionId: `${id}-1` };
    const refused = { status: 400, error: expect.stringContaining('body/resumeData answers no question') as string };
    expect(await send('/approvals/answer', operator, { ...answer, resumeData })).toMatchObject(refused);
    for (const options of [{ suspensionId: shown.id }, { stepId: 'ask' }, { stepId: 'all' }, { stepId: 'sub' }])
      expect(await send(`${execution}/resume`, operator, { resumeData, options })).toMatchObject({ status: 400 });
    expect(
      await send(`${execution}/resume`, operator, { resumeData, options: { suspensionId: shown.id } }),
    ).toMatchObject(refused);
    const bulk = { operation: 'resume', resumeData, filter: { ids: [`${id}-1`] } };
    const { bulkId } = (await send('/workflows/executions/bulk', operator, bulk)).data;
    await expect
      .poll(async () => (await send(`/workflows/executions/bulk/${String(bulkId)}`, operator)).data)
      .toMatchObject({ status: 'completed', succeeded: 0 });
    expect(await approvals()).toMatchObject([{ id: shown.id }]);

    // Without data, the step asks.
    expect(await send('/approvals/answer', operator, answer)).toMatchObject({ status: 200 });
    await expect.poll(isAsking).toBe(true);
  });

  it('the user resumes the own execution without data, for a step that may ask others', async () => {
    const shown = await suspendBeforeFirst('order', ada);
    const path = '/workflows/order/executions/order-1/resume';
    for (const options of [{}, { suspensionId: shown.id }])
      expect(await send(path, ada, { resumeData: { approved: true }, options })).toMatchObject({
        status: 400,
        error: expect.stringContaining('body/resumeData answers no question') as string,
      });
    expect(await send(path, ada, {})).toMatchObject({
      status: 200,
      data: { suspension: { reason: 'The real question' } },
    });
  });

  it('an operator gives data to an execution that operators have suspended', async () => {
    const shown = await suspendBeforeFirst('payout', operator);
    const body = { resumeData: { approved: true }, options: { suspensionId: shown.id } };
    expect(await send('/workflows/payout/executions/payout-1/resume', operator, body)).toMatchObject({
      status: 200,
      data: { status: 'completed', result: { approved: true } },
    });
  });

  it('the app gives data to the next step', async () => {
    const shown = await suspendBeforeFirst('order', ada);
    const key = { owner: 'anyone', workflowId: 'order', executionId: 'order-1' } as const;
    await server.runtime.resume(key, { suspensionId: shown.id, resumeData: { approved: true } });
    expect(await server.runtime.wait(key)).toMatchObject({ status: 'completed', result: { approved: true } });
  });
});

it('without auth, the next step gets the data', async () => {
  server = await serve([], { workflows: ofUsers });
  const shown = await suspendBeforeFirst('order', {});
  const body = { resumeData: { approved: true }, options: { suspensionId: shown.id } };
  expect(await send('/workflows/order/executions/order-1/resume', {}, body)).toMatchObject({
    status: 200,
    data: { status: 'completed' },
  });
});
