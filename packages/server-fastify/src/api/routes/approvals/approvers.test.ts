import {
  Agent,
  createMemory,
  createTool,
  createWorkflow,
  type MayAnswer,
  type StepContext,
  type ToolContext,
} from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

const consoleKey = 'the key of the console';
/** `kim@acme:manager,clerk` is a user of a tenant with roles. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [, id = '', tenantId, roles] = /^([\w-]+)(?:@(\w+))?(?::([\w,]+))?$/.exec(token) ?? [];
    return {
      id,
      ...(tenantId !== undefined && { tenantId }),
      ...(roles !== undefined && { roles: roles.split(',') }),
    };
  },
};
const ada = 'ada@acme';
const kim = 'kim@acme:manager';
const lee = 'lee@acme:manager';
const others = ['ada@acme', 'bob@acme:clerk', 'kim@globex:manager', 'kim:manager', 'manager@acme', 'eve'];

const refunds: unknown[] = [];
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: ({ cents }) =>
    cents > 100 && { approvers: ['role:manager'], notRequester: true, ...(cents > 1_000 && { quorum: 2 }) },
  execute: ({ cents }, { user, userId }: ToolContext) => {
    refunds.push({ cents, user, userId });
    return `refunded ${cents}`;
  },
});
const act: ScriptedReply = ({ prompt }) => {
  if (prompt.at(-1)?.role === 'tool') return { text: ['Result: ', JSON.stringify(prompt.at(-1)?.content)] };
  const [cents = '0'] = /\d+/.exec(JSON.stringify(prompt.at(-1)?.content)) ?? [];
  return { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input: { cents: Number(cents) } }] };
};
const clerk = new Agent({ id: 'clerk', model: scriptedModel(act), tools: [refund] });

const sign = {
  id: 'sign',
  execute: ({ resumeData, resumedBy, suspend }: StepContext<unknown>): object =>
    typeof resumeData === 'object'
      ? { ...resumeData, resumedBy }
      : suspend('A signature is missing', { pages: 3 }, { approvers: ['role:manager', 'boss'], notRequester: true }),
};
const fourEyes = {
  id: 'sign',
  execute: ({ resumeData, suspend }: StepContext<unknown>): unknown =>
    resumeData ?? suspend('Two must sign', {}, { approvers: ['tenant:acme'], notRequester: true, quorum: 2 }),
};
const workflows = [
  createWorkflow({ id: 'contract' }).andThen(sign),
  createWorkflow({ id: 'payout' }).andThen(fourEyes),
  createWorkflow({ id: 'hidden', access: 'server' }).andThen(sign),
  createWorkflow({ id: 'buy' }).andAgent({ id: 'ask', agent: clerk, prompt: 'refund 500' }),
  createWorkflow({ id: 'outer' }).andWorkflow({ id: 'inner', workflow: createWorkflow({ id: 'inner' }).andThen(sign) }),
];

interface Approval {
  readonly id: string;
  readonly [field: string]: unknown;
}
interface Reply {
  readonly status: number;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let server: Served;
let mayAnswer: MayAnswer | undefined;
beforeEach(async () => {
  refunds.length = 0;
  mayAnswer = undefined;
  server = await serve([], {
    agents: [clerk],
    workflows,
    memory: createMemory(),
    auth: { provider, consoleKey },
    secret: 'a secret that is long enough for a test',
    mayAnswer: (question) => mayAnswer?.(question) ?? true,
  });
});
afterEach(() => server.close());

async function send(path: string, token: string, body?: unknown): Promise<Reply> {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const credentials =
    token === 'operator'
      ? { 'x-console-access-key': consoleKey }
      : token.startsWith('operator ')
        ? { 'x-console-access-key': consoleKey, authorization: `Bearer ${token.slice(9)}` }
        : { authorization: `Bearer ${token}` };
  const response = await fetch(server.origin + path, { ...init, headers: { ...headers, ...credentials } });
  const text = await response.text();
  const { data = {} } = text.startsWith('{') ? (JSON.parse(text) as { data?: Reply['data'] }) : {};
  return { status: response.status, text, data };
}

async function list(token: string): Promise<readonly Approval[]> {
  const { data } = await send(token === 'operator' ? '/approvals' : '/api/approvals', token);
  return data['approvals'] as readonly Approval[];
}
async function only(token: string): Promise<Approval> {
  const [approval, second] = await list(token);
  if (approval === undefined || second !== undefined) throw new TypeError('one request should wait');
  return approval;
}
function answer(token: string, { conversationId, executionId, id }: Approval, body: object): Promise<Reply> {
  const path = token.startsWith('operator') ? '/approvals/answer' : '/api/approvals/answer';
  return send(path, token, { id, ...(executionId === null ? { conversationId } : { executionId }), ...body });
}
const execute = (id: string, token = ada): Promise<Reply> =>
  send(`/workflows/${id}/execute`, token, { input: {}, options: { executionId: `${id}-1` } });
const stateOf = async (id: string): Promise<Reply['data']> =>
  (await send(`/workflows/${id}/executions/${id}-1/state`, 'operator')).data;
const chat = (text: string): Promise<Reply> =>
  send('/agents/clerk/text', ada, { input: text, options: { conversationId: 'c1' } });

describe('a step that names its approvers', () => {
  it('is listed for them and for operators, and for nobody else', async () => {
    await execute('contract');
    expect(await only(kim)).toMatchObject({
      kind: 'step',
      reason: 'A signature is missing',
      data: { pages: 3 },
      userId: 'ada',
      approvers: ['role:manager', 'boss'],
      quorum: 1,
      executionId: 'contract-1',
    });
    expect(await list('boss@acme')).toHaveLength(1);
    expect(await list('operator')).toHaveLength(1);
    for (const other of [...others, 'boss', 'boss@globex']) expect(await list(other)).toEqual([]);
  });

  it('is answered by one of them, whose id the step gets', async () => {
    await execute('contract');
    expect(await answer(kim, await only(kim), { resumeData: { approved: true } })).toMatchObject({ status: 200 });
    await expect
      .poll(() => stateOf('contract'))
      .toMatchObject({
        status: 'completed',
        output: { approved: true, resumedBy: 'kim' },
      });
    expect(await list(lee)).toEqual([]);
  });

  it('looks unknown to others, also to the user of the execution', async () => {
    await execute('contract');
    const asked = await only(kim);
    for (const other of others) {
      const refused = await answer(other, asked, { resumeData: { approved: true } });
      const unknown = await answer(other, { ...asked, executionId: 'contract-2' }, { resumeData: { approved: true } });
      expect([refused.status, unbound(refused.text)]).toEqual([404, unbound(unknown.text)]);
    }
    const resumed = await send('/workflows/contract/executions/contract-1/resume', ada, {
      resumeData: { approved: true },
    });
    expect(resumed).toMatchObject({ status: 403, text: expect.stringContaining('waits for the answer of others') });
    const { suspensionId } = (await stateOf('contract'))['suspension'] as { suspensionId: string };
    const named = await send('/workflows/contract/executions/contract-1/resume', ada, {
      resumeData: { approved: true },
      options: { suspensionId },
    });
    expect(named.status).toBe(403);
    expect(await stateOf('contract')).toMatchObject({ status: 'suspended' });
  });

  it('is answered by an operator, whom a token beside the key names', async () => {
    await execute('contract');
    expect(await answer('operator zoe@acme', await only('operator'), { resumeData: { approved: true } })).toMatchObject(
      { status: 200 },
    );
    await expect.poll(() => stateOf('contract')).toMatchObject({ output: { resumedBy: 'zoe' } });
  });

  it('may be in a sub-workflow, or in a workflow that only the server starts', async () => {
    await execute('outer');
    expect(await answer(kim, await only(kim), { resumeData: { approved: true } })).toMatchObject({ status: 200 });
    await expect.poll(() => stateOf('outer')).toMatchObject({ status: 'completed' });
  });

  it('is answered by as many as it wants, each once', async () => {
    await execute('payout');
    const asked = await only(kim);
    expect(asked).toMatchObject({ quorum: 2 });
    for (const token of [kim, kim, kim])
      expect(await answer(token, asked, { resumeData: { approved: true } })).toMatchObject({ status: 200 });
    expect(await stateOf('payout')).toMatchObject({ status: 'suspended' });
    expect(await answer(lee, asked, { resumeData: { approved: true } })).toMatchObject({ status: 200 });
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed' });
    expect(await answer('max@acme', asked, { resumeData: { approved: true } })).toMatchObject({ status: 404 });
  });

  it('counts the approval of a person once, with the console key and without', async () => {
    await execute('payout');
    const asked = await only(kim);
    const approval = { resumeData: { approved: true } };
    expect(await answer(kim, asked, approval)).toMatchObject({ status: 200 });
    expect(await answer(`operator ${kim}`, asked, approval)).toMatchObject({ status: 200 });
    // Kim may have the key.
    expect(await answer('operator', asked, approval)).toMatchObject({
      status: 403,
      text: expect.stringContaining('each with a name'),
    });
    expect(await stateOf('payout')).toMatchObject({ status: 'suspended' });
    expect(await answer(`operator ${lee}`, asked, approval)).toMatchObject({ status: 200 });
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed' });
  });

  it('is denied with the console key alone', async () => {
    await execute('payout');
    expect(await answer('operator', await only('operator'), { resumeData: { approved: false } })).toMatchObject({
      status: 200,
    });
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed', output: { approved: false } });
  });

  it('is decided by one denial', async () => {
    await execute('payout');
    expect(await answer(kim, await only(kim), { resumeData: { approved: false } })).toMatchObject({ status: 200 });
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed', output: { approved: false } });
  });

  it('is decided once by two hundred answers at the same time', async () => {
    await execute('payout');
    const asked = await only(kim);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, at) => answer(`user-${at}@acme`, asked, { resumeData: { at } })),
    );
    const accepted = replies.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(2);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(198);
    await expect.poll(() => stateOf('payout')).toMatchObject({ status: 'completed' });
  });
});

describe('a tool that names its approvers', () => {
  it('asks them with the conversation, and runs for the user who asked', async () => {
    expect(await chat('refund 500')).toMatchObject({ status: 200 });
    expect(await list(ada)).toEqual([]);
    const asked = await only(kim);
    expect(asked).toMatchObject({
      kind: 'tool',
      toolName: 'refund',
      input: { cents: 500 },
      userId: 'ada',
      approvers: ['role:manager'],
      conversation: [{ role: 'user', text: 'refund 500' }],
    });
    expect(await answer(kim, asked, { approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toEqual([{ cents: 500, user: { id: 'ada', tenantId: 'acme' }, userId: 'ada' }]);
    await expect.poll(() => list(lee)).toEqual([]);
    expect(await answer(lee, asked, { approved: true })).toMatchObject({ status: 404 });
  });

  it('accepts nobody else, neither here nor in the chat', async () => {
    const asked = await chat('refund 500');
    const request = await only(kim);
    for (const other of others) {
      const refused = await answer(other, request, { approved: true });
      const unknown = await answer(other, { ...request, conversationId: 'c2' }, { approved: true });
      expect([refused.status, unbound(refused.text)]).toEqual([404, unbound(unknown.text)]);
    }
    const { approvalId, signature, toolCallId } = waitingCall(asked);
    const response = { type: 'tool-approval-response', approvalId, signature, approved: true };
    const call = { type: 'tool-call', toolCallId, toolName: 'refund', input: { cents: 500 } };
    for (const conversationId of ['c1', undefined]) {
      const input = [
        { role: 'user', content: 'refund 500' },
        { role: 'assistant', content: [call] },
        { role: 'tool', content: [response] },
      ];
      expect(await send('/agents/clerk/text', ada, { input, options: { conversationId } })).toMatchObject({
        status: 400,
        text: expect.stringContaining('is not accepted'),
      });
    }
    expect(refunds).toEqual([]);
  });

  it('stays closed to its user after that user has deleted all data', async () => {
    const asked = await chat('refund 500');
    await send('/api/memory/users/ada', ada);
    expect(
      (
        await fetch(`${server.origin}/api/memory/users/ada`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${ada}` },
        })
      ).status,
    ).toBe(200);
    expect(await list(kim)).toEqual([]);
    const { approvalId, signature, toolCallId } = waitingCall(asked);
    const input = [
      { role: 'user', content: 'refund 500' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'refund', input: { cents: 500 } }] },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, signature, approved: true }] },
    ];
    expect(await send('/agents/clerk/text', ada, { input, options: { conversationId: 'c1' } })).toMatchObject({
      status: 400,
    });
    expect(refunds).toEqual([]);
  });

  it('runs when as many as it wants have approved', async () => {
    await chat('refund 5000');
    const asked = await only(kim);
    expect(await answer(kim, asked, { approved: true })).toMatchObject({ status: 200 });
    expect(await answer(kim, asked, { approved: true })).toMatchObject({ status: 200 });
    expect(refunds).toEqual([]);
    expect(await answer(lee, asked, { approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toMatchObject([{ cents: 5_000 }]);
  });

  it('counts the approval of a person once, with the console key and without', async () => {
    await chat('refund 5000');
    const asked = await only(kim);
    expect(await answer(kim, asked, { approved: true })).toMatchObject({ status: 200 });
    expect(await answer('operator', asked, { approved: true })).toMatchObject({ status: 403 });
    expect(await answer(`operator ${kim}`, asked, { approved: true })).toMatchObject({ status: 200 });
    expect(refunds).toEqual([]);
    expect(await answer(`operator ${lee}`, asked, { approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toMatchObject([{ cents: 5_000 }]);
  });

  it('is denied by one, whose reason the model reads', async () => {
    await chat('refund 5000');
    expect(await answer(kim, await only(kim), { approved: false, reason: 'too much' })).toMatchObject({ status: 200 });
    await expect
      .poll(async () => (await send('/api/memory/conversations/c1/messages', ada)).text)
      .toContain('too much');
    expect(refunds).toEqual([]);
  });

  it('asks them in a workflow, too', async () => {
    await execute('buy');
    const asked = await only(kim);
    expect(asked).toMatchObject({ kind: 'tool', executionId: 'buy-1', approvers: ['role:manager'] });
    const resume = { resumeData: { approved: true }, options: { stepId: asked.id } };
    expect(await send('/workflows/buy/executions/buy-1/resume', ada, resume)).toMatchObject({ status: 403 });
    expect(await answer(kim, asked, { approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toMatchObject([{ cents: 500, userId: 'ada' }]);
  });

  it('is refused where nobody else can see the call', async () => {
    const { text } = await send('/agents/clerk/text', ada, { input: 'refund 500' });
    expect(text).toContain('needs the approval of others');
  });

  it('needs nobody for what its function lets pass', async () => {
    await chat('refund 50');
    expect(refunds).toMatchObject([{ cents: 50 }]);
  });
});

it('lets the app decide finally, which hides the request', async () => {
  const seen: unknown[] = [];
  mayAnswer = ({ request, user }) => {
    seen.push({ ...request, by: user.id });
    return user.id === 'lee';
  };
  await execute('contract');
  expect(await list(kim)).toEqual([]);
  expect(seen).toMatchObject([
    { by: 'kim', kind: 'step', requesterId: 'ada', data: { pages: 3 }, workflowId: 'contract' },
  ]);
  const asked = await only(lee);
  expect(await answer(kim, asked, { resumeData: { approved: true } })).toMatchObject({ status: 404 });
  expect(await answer(lee, asked, { resumeData: { approved: true } })).toMatchObject({ status: 200 });
});

/** The call that waits in a reply. */
function waitingCall({ data }: Reply): Readonly<Record<'approvalId' | 'signature' | 'toolCallId', string>> {
  const [call] = data['toolCalls'] as readonly Readonly<Record<'approvalId' | 'signature' | 'toolCallId', string>>[];
  if (call === undefined) throw new TypeError('a call should wait');
  return call;
}

/** Without the id that names the request. */
function unbound(text: string): string {
  return text.replaceAll(/"[^"]*-[12]"|requestId":"[^"]+"/g, '');
}
