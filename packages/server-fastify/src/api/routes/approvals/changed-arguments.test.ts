import { Agent, createMemory, createTool, createWorkflow, type ToolContext } from '@halyard/core';
import { type ScriptedModel, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

const consoleKey = 'the key of the console';
/** `kim:manager` is a user with a role. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', role] = token.split(':');
    return { id, roles: role === undefined ? [] : [role] };
  },
};
const kim = 'kim:manager';

const refunds: unknown[] = [];
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: ({ cents }) => {
    if (cents > 1_000) return { approvers: ['role:manager'], quorum: 2 };
    if (cents > 500) return { approvers: ['role:owner'] };
    return cents > 300 ? { approvers: ['role:manager', 'ada'] } : cents > 100;
  },
  execute: ({ cents }, { userId }: ToolContext) => {
    refunds.push({ cents, userId });
    return `refunded ${cents}`;
  },
});
const askFor = (cents: number): ScriptedModel =>
  scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'Done.'
      : { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input: { cents } }] },
  );

type Json = Readonly<Record<string, unknown>>;
interface Approval extends Json {
  readonly id: string;
}

let server: Served;
let model: ScriptedModel;
afterEach(() => server.close());
beforeEach(() => {
  refunds.length = 0;
});

async function start(cents: number): Promise<void> {
  model = askFor(cents);
  const clerk = new Agent({ id: 'clerk', model, tools: [refund] });
  const boss = new Agent({
    id: 'boss',
    model: scriptedModel({ toolCalls: [{ toolName: 'ask_clerk', toolCallId: 'd', input: { task: 'refund' } }] }, 'Ok.'),
    subAgents: [clerk],
  });
  server = await serve([], {
    agents: [clerk, boss],
    workflows: [
      createWorkflow({ id: 'buy' }).andAgent({ id: 'ask', agent: clerk, prompt: 'refund' }),
      createWorkflow({ id: 'office' }).andAgent({ id: 'ask', agent: boss, prompt: 'refund' }),
      createWorkflow({ id: 'sign' }).andThen({ id: 'ask', execute: ({ suspend }) => suspend('Sign') }),
    ],
    memory: createMemory(),
    auth: { provider, consoleKey },
    secret: 'a secret that is long enough for a test',
  });
}

async function send(path: string, token: string, body?: object): Promise<{ status: number; text: string; data: Json }> {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const credentials =
    token === 'operator' ? { 'x-console-access-key': consoleKey } : { authorization: `Bearer ${token}` };
  const response = await fetch(server.origin + path, { ...init, headers: { ...headers, ...credentials } });
  const text = await response.text();
  const { data = {} } = text.startsWith('{') ? (JSON.parse(text) as { data?: Json }) : {};
  return { status: response.status, text, data };
}
async function list(token: string): Promise<readonly Approval[]> {
  const { data } = await send(token === 'operator' ? '/approvals' : '/api/approvals', token);
  return data['approvals'] as readonly Approval[];
}
async function answer(token: string, body: object): ReturnType<typeof send> {
  const [approval] = await list('operator');
  if (approval === undefined) throw new TypeError('a request should wait');
  const { conversationId, executionId, id } = approval;
  const place = executionId === null ? { conversationId } : { executionId };
  const path = token === 'operator' ? '/approvals/answer' : '/api/approvals/answer';
  return send(path, token, { id, ...place, ...body });
}
const change = (token: string, cents: unknown): ReturnType<typeof send> =>
  answer(token, { approved: true, input: { cents } });

const asks = {
  'a conversation': () => send('/agents/clerk/text', 'ada', { input: 'refund', options: { conversationId: 'c1' } }),
  'a sub-agent in a conversation': () =>
    send('/agents/boss/text', 'ada', { input: 'refund', options: { conversationId: 'c1' } }),
  'a workflow': () => send('/workflows/buy/execute', 'ada', { input: {} }),
  'a sub-agent in a workflow': () => send('/workflows/office/execute', 'ada', { input: {} }),
};

describe.each(Object.entries(asks))('changed arguments in %s', (_, ask) => {
  it('run in place of those of the model, which learns of them', async () => {
    await start(400);
    await ask();
    expect(await change(kim, 50)).toMatchObject({ status: 200 });

    await expect.poll(() => refunds).toEqual([{ cents: 50, userId: 'ada' }]);
    await expect.poll(() => model.calls.length).toBe(2);
    const [call, result] = model.calls[1]?.prompt.slice(-2) ?? [];
    expect(call?.content).toMatchObject([{ type: 'tool-call', input: { cents: 400 } }]);
    expect(result?.content).toMatchObject([
      {
        output: {
          type: 'text',
          value: 'A person approved this call with other arguments: {"cents":50}\n\nrefunded 50',
        },
      },
    ]);
    await expect.poll(() => list('operator')).toEqual([]);
  });

  it('must fit the schema of the tool, and the rules for such arguments', async () => {
    await start(400);
    await ask();
    const wrong = await change(kim, 'many');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('body/input/cents')]);
    for (const cents of [600, 2_000])
      expect(await change(kim, cents)).toMatchObject({
        status: 403,
        text: expect.stringContaining('others must approve these arguments'),
      });
    expect(await change('eve', 50)).toMatchObject({ status: 404 });
    expect(await answer(kim, { approved: false, input: { cents: 50 } })).toMatchObject({ status: 400 });
    expect(refunds).toEqual([]);

    expect(await change(kim, 250)).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toEqual([{ cents: 250, userId: 'ada' }]);
    expect(await list('operator')).toEqual([]);
  });

  it('of the user of the run escape no rule', async () => {
    await start(200);
    await ask();
    expect(await change('ada', 600)).toMatchObject({ status: 403 });
    expect(await change('ada', 250)).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toEqual([{ cents: 250, userId: 'ada' }]);
  });

  it('may need others, of whom an operator is always one', async () => {
    await start(200);
    await ask();
    expect(await change('operator', 600)).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toEqual([{ cents: 600, userId: 'ada' }]);
  });

  it('are refused where several must approve the same', async () => {
    await start(2_000);
    await ask();
    for (const who of [kim, 'operator'])
      expect(await change(who, 50)).toMatchObject({ status: 400, text: expect.stringContaining('several people') });
    expect(await list('operator')).toHaveLength(1);
    // The same arguments are no change.
    expect(await change(kim, 2_000)).toMatchObject({ status: 200 });
  });

  it('that equal those of the model are none', async () => {
    await start(400);
    await ask();
    await change(kim, 400);
    await expect.poll(() => model.calls.length).toBe(2);
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('other arguments');
  });
});

it('are refused for a step', async () => {
  await start(400);
  await send('/workflows/sign/execute', 'ada', { input: {} });
  expect(await change('ada', 50)).toMatchObject({ status: 400 });
});

describe('in a chat', () => {
  const chat = (input: unknown) => send('/agents/clerk/chat', 'ada', { input, options: { conversationId: 'c1' } });
  const stored = async (): Promise<readonly Json[]> => {
    const { data } = await send('/api/memory/conversations/c1/messages?agentId=clerk', 'ada');
    return (data['messages'] as readonly { parts: readonly Json[] }[]).flatMap(({ parts }) => parts);
  };
  const waiting = async (cents: number): Promise<Json & { approval: { id: string } }> => {
    await start(cents);
    await chat([{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'refund' }] }]);
    return (await stored()).find(({ type }) => type === 'tool-refund') as Json & { approval: { id: string } };
  };

  it.each(['ui', 'model'])('are sent with the approval, in %s messages', async (form) => {
    const part = await waiting(200);
    const given = { approved: true, input: { cents: 50 } };
    const message = (await send('/api/memory/conversations/c1/messages?agentId=clerk', 'ada')).data[
      'messages'
    ] as Json[];
    const reply = await chat(
      form === 'model'
        ? [{ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: part.approval.id, ...given }] }]
        : [
            {
              ...message.at(-1),
              parts: [{ ...part, state: 'approval-responded', approval: { ...part.approval, ...given } }],
            },
          ],
    );
    expect(reply).toMatchObject({ status: 200, text: expect.stringContaining('refunded 50') });
    expect(refunds).toEqual([{ cents: 50, userId: 'ada' }]);
    expect((await stored()).find(({ type }) => type === 'tool-refund')).toMatchObject({
      state: 'output-available',
      input: { cents: 200 },
      approval: { approved: true, input: { cents: 50 } },
      output: 'refunded 50',
    });

    const before = model.calls[1]?.prompt;
    await chat([{ id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Thanks' }] }]);
    expect(model.calls[2]?.prompt.slice(0, before?.length)).toEqual(before);
  });

  it('escape no rule, and use no approval when they are refused', async () => {
    const part = await waiting(400);
    const respond = (input: object) =>
      chat([
        {
          role: 'tool',
          content: [{ type: 'tool-approval-response', approvalId: part.approval.id, approved: true, input }],
        },
      ]);
    expect(await respond({ cents: 600 })).toMatchObject({ status: 403 });
    expect(await respond({ cents: 'x' })).toMatchObject({ status: 400 });
    expect(refunds).toEqual([]);
    expect(await respond({ cents: 10 })).toMatchObject({ status: 200 });
    expect(await respond({ cents: 20 })).toMatchObject({ status: 400 });
    expect(refunds).toEqual([{ cents: 10, userId: 'ada' }]);
  });

  it('are not those that the user has written into the request', async () => {
    await waiting(400);
    const path = '/api/memory/conversations/c1/messages?agentId=clerk';
    const message = ((await send(path, 'ada')).data['messages'] as { parts: Json[] }[]).at(-1);
    const parts = message?.parts.map((part) => {
      const { approval } = part;
      if (approval === undefined) return part;
      return { ...part, approval: { ...approval, reason: 'Due', input: { cents: 9_999 } } };
    });
    const body = { agentId: 'clerk', conversationId: 'c1', messages: [{ ...message, parts }] };
    expect(await send('/api/memory/save-messages', 'ada', body)).toMatchObject({ status: 200 });
    expect(await answer(kim, { approved: true })).toMatchObject({ status: 200 });
    await expect.poll(() => model.calls.length).toBe(2);
    expect(refunds).toEqual([{ cents: 400, userId: 'ada' }]);
    expect(JSON.stringify(await stored())).not.toContain('Due');
  });
});
