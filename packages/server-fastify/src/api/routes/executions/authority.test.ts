import { Agent, andThen, andWorkflow, createTool, createWorkflow, type StepContext } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

/** Whose requests these are. `role`: a claim of the token. */
interface Who {
  readonly user?: string;
  readonly role?: string;
  readonly key?: true;
}

const consoleKey = 'the key of the console';
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', role = ''] = token.split('.');
    return { id, role };
  },
};

/** The payments: the step, the amount, the idempotency key and the user. */
let paid: { readonly cents: number; readonly key: string; readonly role?: unknown }[] = [];
let server: Served;
afterEach(async () => {
  paid = [];
  await server.close();
});

const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ cents: Type.Number() }),
  needsApproval: true,
  execute: ({ cents }, { idempotencyKey: key }) => {
    paid.push({ cents, key });
    return 'paid';
  },
});

/** Asks for 7 cents and, once they are paid, for 10 000 euros. */
const shopper = () =>
  createWorkflow({ id: 'shopper' }).andAgent({
    id: 'shop',
    agent: new Agent({
      id: 'shopper',
      model: scriptedModel(
        { toolCalls: [{ toolName: 'pay', toolCallId: 'small', input: { cents: 7 } }] },
        { toolCalls: [{ toolName: 'pay', toolCallId: 'large', input: { cents: 1_000_000 } }] },
        'Done.',
      ),
      tools: [pay],
    }),
    prompt: 'shop',
  });

/** Asks in each round of a loop. */
const rounds = createWorkflow({ id: 'rounds', input: Type.Number() }).andDoWhile({
  id: 'loop',
  step: andThen({
    id: 'ask',
    execute: ({ data, resumeData, suspend }: StepContext<number>) =>
      resumeData === undefined ? suspend(`Question ${data}`) : data + 1,
  }),
  condition: ({ data }) => data < 3,
});

/** Asks until it is answered with yes. */
const stubborn = createWorkflow({ id: 'stubborn', input: Type.Number() }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => (resumeData === 'yes' ? 'done' : suspend('Yes?')),
});

/** Reserves, asks, pays. */
const refund = (users: object | undefined, id = 'refund') =>
  createWorkflow({ id, input: Type.Object({ cents: Type.Number() }), ...(users && { users }) })
    .andThen({ id: 'reserve', execute: ({ data }) => data })
    .andThen({
      id: 'charge',
      execute: ({ data, idempotencyKey: key, user }) => {
        paid.push({ cents: data.cents, key, role: user?.['role'] });
        return data;
      },
    })
    .andThen({ id: 'ask', execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('Approve?')) })
    .andThen({
      id: 'pay',
      execute: ({ data, idempotencyKey: key, user }) => {
        const { cents } = data;
        if (cents === 13) throw new RangeError('unlucky');
        paid.push({ cents, key, role: user?.['role'] });
        return data;
      },
    });

interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly error?: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function call(path: string, body: unknown, { key, role, user }: Who = {}): Promise<Reply> {
  const init = body === undefined ? { headers: {} } : json(body);
  const headers = {
    ...init.headers,
    ...(user !== undefined && { authorization: `Bearer ${user}.${role ?? ''}` }),
    ...(key && { 'x-console-access-key': consoleKey }),
  };
  const reply = await fetch(`${server.origin}/workflows/${path}`, { ...init, headers });
  const { data = {}, error } = (await reply.json()) as { data?: Reply['data']; error?: string };
  const code = reply.headers.get('x-error-code');
  const id = reply.headers.get('x-execution-id') ?? '';
  return { status: reply.status, code, data, id, ...(error !== undefined && { error }) };
}

const suspensionOf = ({ data }: Reply): { readonly suspensionId: string; readonly kind: string } =>
  data['suspension'] as never;

const auth = { provider, consoleKey };
const ada: Who = { user: 'ada', role: 'admin' };
const operator: Who = { key: true };

describe('an approval', () => {
  const approve = (suspensionId?: string) => ({
    resumeData: { approved: true },
    ...(suspensionId !== undefined && { options: { suspensionId } }),
  });

  it('is for the call that was shown: repeated, it pays nothing else', async () => {
    server = await serve([], { workflows: [shopper()], auth });
    const started = await call('shopper/execute', { input: null }, ada);
    const path = `shopper/executions/${started.id}/resume`;
    const { kind, suspensionId } = suspensionOf(started);
    expect(kind).toBe('approval');

    const unbound = await call(path, approve(), ada);
    expect(unbound).toMatchObject({ status: 400, code: 'SUSPENSION_ID_REQUIRED' });
    expect(unbound.error).toContain(`body/options/suspensionId is required`);
    expect(unbound.error).toContain(suspensionId);
    expect(paid).toEqual([]);

    const replies = await Promise.all([1, 2].map(() => call(path, approve(suspensionId), ada)));
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)[0]).toBe(200);
    const late = await call(path, approve(suspensionId), ada);
    expect(late).toMatchObject({ status: 409, code: 'SUSPENSION_NOT_PENDING' });
    expect(paid.map(({ cents }) => cents)).toEqual([7]);
  });

  it('has one id in each reply about it', async () => {
    server = await serve([], { workflows: [shopper()], auth });
    const started = await call('shopper/execute', { input: null }, ada);
    const { suspensionId } = suspensionOf(started);
    const own = await call(`shopper/executions/${started.id}`, undefined, ada);
    const state = await call(`shopper/executions/${started.id}/state`, undefined, operator);
    const list = await fetch(`${server.origin}/workflows/executions`, {
      headers: { 'x-console-access-key': consoleKey },
    });
    const [listed] = ((await list.json()) as { data: Record<string, never>[] }).data;
    const stream = await fetch(`${server.origin}/workflows/shopper/executions/${started.id}/stream`, {
      headers: { authorization: 'Bearer ada.' },
    });
    const inbox = await fetch(`${server.origin}/api/approvals`, { headers: { authorization: 'Bearer ada.' } });
    const { approvals } = ((await inbox.json()) as { data: { approvals: { id: string }[] } }).data;
    expect([suspensionOf(own), suspensionOf(state), listed?.['suspension']]).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ suspensionId })),
    );
    expect(own.data['suspensions']).toMatchObject([{ suspensionId, kind: 'approval' }]);
    expect(approvals).toMatchObject([{ kind: 'tool', executionId: started.id }]);
    expect((await stream.text()).split(`"suspensionId":"${suspensionId}"`)).toHaveLength(3);
  });

  it('is never part of a bulk operation', async () => {
    server = await serve([], { workflows: [shopper()], auth });
    await call('shopper/execute', { input: null }, ada);
    const body = { operation: 'resume', resumeData: { approved: true }, all: true };
    const { data } = await call('executions/bulk', body, operator);
    const report = async () => (await call(`executions/bulk/${String(data['bulkId'])}`, undefined, operator)).data;
    await expect.poll(async () => (await report())['endAt']).not.toBeNull();
    expect(await report()).toMatchObject({ succeeded: 0, failures: [{ code: 'SUSPENSION_ID_REQUIRED' }] });
    expect(paid).toEqual([]);
  });
});

describe('an answer without an id', () => {
  it.each(['rounds', 'stubborn'])('answers one question of a step, however often it is sent: %s', async (workflow) => {
    server = await serve([], { workflows: [rounds, stubborn], auth });
    const { id } = await call(`${workflow}/execute`, { input: 0 }, ada);
    const path = `${workflow}/executions/${id}/resume`;
    const atOnce = await Promise.all([1, 2, 3].map(() => call(path, { resumeData: 'no' }, ada)));
    expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1);
    const late = await call(path, { resumeData: 'no' }, ada);
    expect(late).toMatchObject({ status: 400, code: 'SUSPENSION_ID_REQUIRED' });
    const state = await call(`${workflow}/executions/${id}`, undefined, ada);
    expect(state.data['suspensions']).toHaveLength(1);
    expect(late.error).toContain(suspensionOf(state).suspensionId);
    const named = { resumeData: 'yes', options: { suspensionId: suspensionOf(state).suspensionId } };
    expect(await call(path, named, ada)).toMatchObject({ status: 200 });
    expect(await call(path, named, ada)).toMatchObject({ status: workflow === 'rounds' ? 409 : 404 });
  });

  it('is for a round of a loop that it names', async () => {
    server = await serve([], { workflows: [rounds], auth });
    const { id } = await call('rounds/execute', { input: 0 }, ada);
    const answer = (stepId: string) =>
      call(`rounds/executions/${id}/resume`, { resumeData: 'yes', options: { stepId } }, ada);
    expect(await answer('ask:0')).toMatchObject({ data: { suspension: { stepId: 'ask:1' } } });
    expect(await answer('ask')).toMatchObject({ status: 400, code: 'SUSPENSION_ID_REQUIRED' });
    expect(await answer('ask:1')).toMatchObject({ data: { suspension: { stepId: 'ask:2' } } });
    expect(await answer('ask:1')).toMatchObject({ status: 403, code: 'OPERATION_NOT_ALLOWED' });
  });
});

describe('replay, retry and rewind', () => {
  const operations = [
    ['replay', 'replay', { stepId: 'pay', inputData: { cents: 1_000_000 } }],
    ['rewind', 'resume', { options: { stepId: 'charge' } }],
    ['retry', 'retry', {}],
  ] as const;

  /** An execution of Ada's that waits or, for a retry, has failed. */
  async function executionFor(operation: string, who: Who = ada): Promise<string> {
    const started = await call('refund/execute', { input: { cents: operation === 'retry' ? 13 : 1 } }, who);
    const { suspensionId } = suspensionOf(started);
    if (operation !== 'rewind') {
      const body = { resumeData: true, options: { suspensionId } };
      expect((await call(`refund/executions/${started.id}/resume`, body, who)).status).toBe(
        operation === 'retry' ? 500 : 200,
      );
    }
    paid = [];
    return started.id;
  }

  it.each(operations)('are for operators: %s', async (operation, route, body) => {
    server = await serve([], { workflows: [refund(undefined)], auth });
    const id = await executionFor(operation);
    const path = `refund/executions/${id}/${route}`;
    const refused = await call(path, body, ada);
    expect(refused).toMatchObject({ status: 403, code: 'OPERATION_NOT_ALLOWED' });
    expect(await call(path, body, { user: 'eve' })).toMatchObject({ status: 404 });
    expect(await call(path, body, {})).toMatchObject({ status: 401 });
    expect(paid).toEqual([]);
    const { status } = await call(path, body, operator);
    expect(status).toBe(operation === 'retry' ? 500 : 200);
  });

  it.each(operations)('are for users if the workflow allows it: %s', async (operation, route, body) => {
    server = await serve([], { workflows: [refund({ [operation]: true })], auth });
    const id = await executionFor(operation);
    const { status } = await call(`refund/executions/${id}/${route}`, body, { user: 'ada', role: 'none' });
    expect(status).toBe(operation === 'retry' ? 500 : 200);
    expect(await call(`refund/executions/${id}/${route}`, body, { user: 'eve' })).toMatchObject({ status: 404 });
    // The steps run with the claims of this request.
    if (operation !== 'retry') expect(paid).toMatchObject([{ role: 'none' }]);
  });

  it.each(operations)('%s keeps the user of before for an operator', async (operation, route, body) => {
    server = await serve([], { workflows: [refund(undefined)], auth });
    const id = await executionFor(operation);
    await call(`refund/executions/${id}/${route}`, body, operator);
    // The retried step fails again before it pays.
    expect(paid.map(({ role }) => role)).toEqual(operation === 'retry' ? [] : ['admin']);
  });

  it('a rewind keeps idempotency keys unless an operator wants the effects again', async () => {
    server = await serve([], { workflows: [refund({ rewind: true })], auth });
    const started = await call('refund/execute', { input: { cents: 1 } }, ada);
    const path = `refund/executions/${started.id}/resume`;
    for (let again = 0; again < 3; again += 1)
      expect(await call(path, { options: { stepId: 'charge' } }, ada)).toMatchObject({ status: 200 });
    expect(paid).toHaveLength(4);
    expect(new Set(paid.map(({ key }) => key)).size).toBe(1);

    const renewed = { options: { stepId: 'charge', newIdempotencyKeys: true } };
    expect(await call(path, renewed, ada)).toMatchObject({ status: 403, code: 'OPERATION_NOT_ALLOWED' });
    expect(await call(path, renewed, operator)).toMatchObject({ status: 200 });
    expect(new Set(paid.map(({ key }) => key)).size).toBe(2);
  });

  it('an unknown step is 400 before anything else', async () => {
    server = await serve([], { workflows: [refund(undefined)], auth });
    const { id } = await call('refund/execute', { input: { cents: 1 } }, ada);
    const body = { options: { stepId: 'nothing' } };
    expect(await call(`refund/executions/${id}/resume`, body, ada)).toMatchObject({ status: 400 });
  });

  it('bulk operations are for operators, whatever the app opens', async () => {
    server = await serve([], { workflows: [refund(undefined)], auth: { ...auth, consoleRoutes: [] } });
    const replies = [
      await call('executions/bulk', { operation: 'retry', all: true }, ada),
      await call('executions/bulk/preview', { all: true }, ada),
      await call('executions/bulk/b1', undefined, ada),
      await call('executions/bulk/b1/cancel', {}, ada),
    ];
    expect(replies.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'OPERATION_NOT_ALLOWED'));
  });

  it.each(operations)('without access control, anyone may: %s', async (operation, route, body) => {
    server = await serve([], { workflows: [refund(undefined)] });
    const id = await executionFor(operation, {});
    const { status } = await call(`refund/executions/${id}/${route}`, body);
    expect(status).toBe(operation === 'retry' ? 500 : 200);
  });

  it.each(operations)('in legacy mode, they are for operators: %s', async (operation, route, body) => {
    server = await serve([], { workflows: [refund(undefined)], auth: { ...auth, mode: 'legacy' } });
    const id = await executionFor(operation);
    const path = `refund/executions/${id}/${route}`;
    expect(await call(path, body, {})).toMatchObject({ status: 401 });
    // An open route verifies no token.
    expect(await call(path, body, ada)).toMatchObject({ status: operation === 'rewind' ? 401 : 403 });
    expect((await call(path, body, operator)).status).toBe(operation === 'retry' ? 500 : 200);
  });

  it('in legacy mode, resuming stays open', async () => {
    server = await serve([], { workflows: [refund(undefined)], auth: { ...auth, mode: 'legacy' } });
    const { id } = await call('refund/execute', { input: { cents: 1 } }, ada);
    expect(await call(`refund/executions/${id}/resume`, { resumeData: true }, {})).toMatchObject({ status: 200 });
  });
});

it('refuses a workflow whose operations for users are not true or false', () => {
  expect(() => createWorkflow({ id: 'w', users: { replay: 'yes' } as never })).toThrow(/must be true or false/);
});

it.each(['.', '..'])('refuses a workflow whose id would change the path of a URL: %s', (id) => {
  expect(() => createWorkflow({ id })).toThrow('must match');
});

describe('a sub-workflow', () => {
  const confirm = createWorkflow({ id: 'confirm' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('Pay?'),
  });

  it.each(['server', 'operators'] as const)(
    'of an execution with the access %s is kept from its user',
    async (access) => {
      const payout = createWorkflow({ id: 'payout', access }).andWorkflow({ id: 'confirm', workflow: confirm });
      server = await serve([], { workflows: [payout, confirm], auth });
      const run = await server.runtime.execute('payout', null, { executionId: 'payout-1', userId: 'ada' });
      expect(run.status).toBe('suspended');
      const ofOperator = { headers: { 'x-console-access-key': consoleKey } };
      const all = `${server.origin}/workflows/executions?parentExecutionId=payout-1`;
      const [child] = ((await (await fetch(all, ofOperator)).json()) as { data: { id: string }[] }).data;
      const id = child?.id ?? '';
      const { suspensionId } = run.suspension ?? { suspensionId: '' };

      const answer = { resumeData: { approved: true }, options: { suspensionId } };
      const tries = [
        await call(`confirm/executions/${id}/resume`, answer, ada),
        await call(`confirm/executions/${id}/cancel`, {}, ada),
        await call(`confirm/executions/${id}/terminate`, {}, ada),
        await call(`confirm/executions/${id}/suspend`, {}, ada),
        await call(`confirm/executions/${id}`, undefined, ada),
      ];
      expect(tries.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'EXECUTION_NOT_FOUND'));
      const ofAda = { headers: { authorization: 'Bearer ada.', 'content-type': 'application/json' } };
      const stream = await fetch(`${server.origin}/workflows/confirm/executions/${id}/stream`, ofAda);
      const inbox = await fetch(`${server.origin}/api/approvals/answer`, {
        ...ofAda,
        method: 'POST',
        body: JSON.stringify({ id: suspensionId, executionId: id, resumeData: true }),
      });
      const own = await fetch(`${server.origin}/api/executions?parentExecutionId=payout-1`, ofAda);
      const after = await fetch(`${server.origin}/api/executions?after=payout-1`, ofAda);
      expect([stream.status, inbox.status, own.status, after.status]).toEqual([404, 404, 200, 400]);
      expect(await own.json()).toMatchObject({ data: [] });
      expect(
        (await server.runtime.get({ owner: 'anyone', workflowId: 'payout', executionId: 'payout-1' })).status,
      ).toBe('suspended');
    },
  );

  it('of a hidden sub-workflow is kept from the user of its root', async () => {
    const middle = createWorkflow({ id: 'middle', access: 'server' }).andWorkflow({ id: 'confirm', workflow: confirm });
    const root = createWorkflow({ id: 'root' }).andWorkflow({ id: 'middle', workflow: middle });
    server = await serve([], { workflows: [root, middle, confirm], auth });
    const started = await call('root/execute', { input: { iban: 'secret' } }, ada);
    const { data } = await call(`root/executions/${started.id}`, undefined, ada);
    const [waiting] = data['suspensions'] as readonly { readonly executionId: string }[];
    for (const path of ['', '/resume'])
      expect(
        await call(
          `confirm/executions/${waiting?.executionId}${path}`,
          path === '' ? undefined : { resumeData: 1 },
          ada,
        ),
      ).toMatchObject({ status: 404 });
  });

  it('is not started by a request if it is not registered itself', async () => {
    const outer = createWorkflow({ id: 'outer', access: 'server' })
      .andWorkflow({ id: 'inner', workflow: createWorkflow({ id: 'inner' }).andThen({ id: 'pay', execute: () => 1 }) })
      .andStart({ id: 'start', workflow: createWorkflow({ id: 'started' }).andThen({ id: 'pay', execute: () => 1 }) });
    server = await serve([], { workflows: [outer], auth });
    for (const workflow of ['inner', 'started'])
      expect(await call(`${workflow}/execute`, { input: 1 }, ada)).toMatchObject({
        status: 404,
        code: 'WORKFLOW_NOT_FOUND',
      });
    const stream = await fetch(`${server.origin}/workflows/inner/stream`, {
      ...json({ input: 1 }),
      headers: { authorization: 'Bearer ada.', 'content-type': 'application/json' },
    });
    expect(stream.status).toBe(404);
  });

  it('in a loop asks another question in each round', async () => {
    const each = createWorkflow({ id: 'each', input: Type.Array(Type.Number()) }).andForEach({
      id: 'items',
      step: andWorkflow({ id: 'sub', workflow: confirm }),
    });
    server = await serve([], { workflows: [each, confirm], auth });
    const { id } = await call('each/execute', { input: [1, 2] }, ada);
    const path = `each/executions/${id}/resume`;
    for (const options of [{}, { stepId: 'ask' }]) {
      const replies = [
        await call(path, { resumeData: true, options }, ada),
        await call(path, { resumeData: true, options }, ada),
      ];
      expect(replies.at(-1)).toMatchObject({ status: 400, code: 'SUSPENSION_ID_REQUIRED' });
    }
  });
});

it('each call of an agent’s tool that suspends is another question', async () => {
  const ran: number[] = [];
  const transfer = createTool({
    name: 'transfer',
    description: '',
    input: Type.Object({ cents: Type.Number() }),
    execute: ({ cents }, { workflow }) => {
      if (workflow?.resumeData === undefined) return workflow?.suspend(`Transfer ${cents}?`);
      return ran.push(cents);
    },
  });
  const agent = new Agent({
    id: 'teller',
    model: scriptedModel(
      { toolCalls: [{ toolName: 'transfer', toolCallId: 'a', input: { cents: 7 } }] },
      { toolCalls: [{ toolName: 'transfer', toolCallId: 'b', input: { cents: 1_000_000 } }] },
      'Done.',
    ),
    tools: [transfer],
  });
  const teller = createWorkflow({ id: 'teller' }).andAgent({ id: 'serve', agent, prompt: 'serve' });
  server = await serve([], { workflows: [teller], auth });
  const started = await call('teller/execute', { input: null }, ada);
  const path = `teller/executions/${started.id}/resume`;
  expect(await call(path, { resumeData: true }, ada)).toMatchObject({ status: 400, code: 'SUSPENSION_ID_REQUIRED' });
  const named = { resumeData: true, options: { suspensionId: suspensionOf(started).suspensionId } };
  expect(await call(path, named, ada)).toMatchObject({ status: 200, data: { status: 'suspended' } });
  expect(await call(path, named, ada)).toMatchObject({ status: 409 });
  expect(ran).toEqual([7]);
});

it('a rewind or replay with data does not stand for an event of the app', async () => {
  const order = createWorkflow({ id: 'order', users: { rewind: true, replay: true } })
    .andWaitForEvent({ id: 'paid', event: 'order.paid' })
    .andThen({ id: 'ask', execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('Ship?')) });
  server = await serve([], { workflows: [order], auth });
  const { id } = await call('order/execute', { input: null }, ada);
  await server.runtime.publish({ name: 'order.paid', payload: { cents: 7 } });
  await server.runtime.wait({ owner: 'anyone', executionId: id });
  const forged = { resumeData: { cents: 999 } };
  const refused = { status: 403, code: 'OPERATION_NOT_ALLOWED' };
  expect(await call(`order/executions/${id}/resume`, { ...forged, options: { stepId: 'paid' } }, ada)).toMatchObject(
    refused,
  );
  for (const resumeData of [forged.resumeData, false, null])
    expect(await call(`order/executions/${id}/replay`, { resumeData, stepId: 'paid' }, ada)).toMatchObject(refused);
  const replaced = { stepId: 'ask', inputData: { cents: 999 } };
  expect(await call(`order/executions/${id}/replay`, replaced, ada)).toMatchObject(refused);
  expect(await call(`order/executions/${id}/replay`, { stepId: 'ask' }, ada)).toMatchObject({ status: 200 });
});
