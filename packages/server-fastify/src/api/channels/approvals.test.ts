import { once } from 'node:events';
import { Agent, createMemory, createTool, createWorkflow, type StepContext } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../testing/serve.ts';
import { type Client, connectTo, refusalOf } from '../../testing/sockets.ts';
import { gateOf } from '../../testing/workflows.ts';

const consoleKey = 'the key of the console';
/** `kim@acme:manager` is a user of a tenant with a role. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [, id = '', tenantId, role] = /^(\w+)@(\w+)(?::(\w+))?$/.exec(token) ?? [];
    return { id, tenantId, roles: role === undefined ? [] : [role] };
  },
};
const ada = 'ada@acme';
const kim = 'kim@acme:manager';
const lee = 'lee@acme:manager';
const eve = 'eve@globex:manager';

const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ gate: Type.String() }),
  needsApproval: { approvers: ['role:manager'], notRequester: true },
  execute: async ({ gate }, { signal }) => {
    await gateOf(gate).pass(signal);
    return 'refunded';
  },
});
const act: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  if (last?.role === 'tool') return { text: ['All ', 'done.'] };
  const [, gate = ''] = /refund at ([\w-]+)/.exec(JSON.stringify(last?.content)) ?? [];
  return { toolCalls: [{ toolName: 'refund', toolCallId: 'r1', input: { gate } }] };
};
const agents = [
  new Agent({ id: 'clerk', model: scriptedModel(act), tools: [refund], resumable: true }),
  new Agent({ id: 'notary', model: scriptedModel(act), tools: [refund], durable: true }),
];
const sign = {
  id: 'sign',
  execute: ({ resumeData, suspend }: StepContext<unknown>): unknown => resumeData ?? suspend('A signature is missing'),
};

let server: Served;
/** Whether the storage refuses to list. */
let isBroken = false;
/** How many lists of executions are read now, and until when each takes. */
let reading = 0;
let held: Promise<void> | undefined;
beforeEach(async () => {
  isBroken = false;
  held = undefined;
  const storage = createInMemoryStorage();
  const { executions } = storage;
  const list = executions.list.bind(executions);
  executions.list = async (...given) => {
    if (isBroken) throw new TypeError('the database restarts');
    reading += 1;
    await held;
    reading -= 1;
    return list(...given);
  };
  server = await serve([], {
    agents,
    workflows: [createWorkflow({ id: 'contract' }).andThen(sign)],
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey, consoleRoles: { desk: { level: 'viewer', workflows: ['contract'] } } },
    secret: 'a secret that is long enough for a test',
    limits: { approvalsPauseMs: 20 },
  });
});
afterEach(() => server.close());

async function send(path: string, token: string, body?: object): Promise<Response> {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  return fetch(server.origin + path, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
}
async function textOf(reply: Promise<Response>): Promise<string> {
  const { ok, status, text } = await reply.then(async (each) => ({
    ok: each.ok,
    status: each.status,
    text: await each.text(),
  }));
  expect({ ok, status, text }).toMatchObject({ ok: true });
  return text;
}

/** Follows the announcements. `nothing` fails if one was sent. */
async function follow(query: string): Promise<Client & { readonly nothing: () => Promise<void> }> {
  const client = connectTo(`${server.origin}/ws/approvals?${query}`);
  expect(await client.next()).toMatchObject({ type: 'CONNECTION_SUCCESS', success: true });
  return {
    ...client,
    nothing: async () => {
      client.socket.send('{"type":"PING"}');
      expect(await client.next()).toEqual({ type: 'PONG', success: true });
    },
  };
}
const ask = (agent: string, gate: string): Promise<string> =>
  textOf(
    send(`/agents/${agent}/chat`, ada, {
      id: `chat-${gate}`,
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: `refund at ${gate}` }] }],
    }),
  );

interface Announcement {
  readonly type: string;
  readonly data: { readonly id: string; readonly conversationId: string };
}

describe('/ws/approvals', () => {
  it('announces a request to those who may answer, and to all of them that it is settled', async () => {
    const [byKim, byLee, byEve, byAda, byKey] = await Promise.all([
      follow(`token=${kim}`),
      follow(`token=${lee}`),
      follow(`token=${eve}`),
      follow(`token=${ada}`),
      follow(`key=${encodeURIComponent(consoleKey)}`),
    ]);
    await ask('clerk', 'announced');
    const asked = (await byKim.next()) as Announcement;
    expect(asked).toMatchObject({
      type: 'APPROVAL_REQUESTED',
      success: true,
      data: { toolName: 'refund', userId: 'ada', conversationId: 'chat-announced', conversation: [{ role: 'user' }] },
    });
    expect(await byLee.next()).toEqual(asked);
    expect(await byKey.next()).toMatchObject({ type: 'APPROVAL_REQUESTED', data: { id: asked.data.id } });

    const { id, conversationId } = asked.data;
    await textOf(send('/api/approvals/answer', kim, { id, conversationId, approved: false, reason: 'too much' }));
    const decision = { approved: false, answeredBy: 'kim', reason: 'too much', expired: false };
    const data = { id, executionId: null, conversationId, ...decision };
    const settled = { type: 'APPROVAL_SETTLED', success: true, data };
    for (const client of [byKim, byLee, byKey, byAda]) expect(await client.next()).toEqual(settled);
    await byEve.nothing();
  });

  it('announces steps of workflows, and what ends without an answer', async () => {
    const byAda = await follow(`token=${ada}`);
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    expect(await byAda.next()).toMatchObject({
      type: 'APPROVAL_REQUESTED',
      data: { executionId: 'c-1', kind: 'step' },
    });
    await textOf(send('/workflows/contract/executions/c-1/cancel', ada, {}));
    expect(await byAda.next()).toMatchObject({
      type: 'APPROVAL_SETTLED',
      data: { executionId: 'c-1', approved: null, answeredBy: null },
    });
  });

  it('announces how a step was answered', async () => {
    const byAda = await follow(`token=${ada}`);
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    const { data } = (await byAda.next()) as Announcement;
    const resumeData = { approved: true, reason: 'signed' };
    await textOf(send('/api/approvals/answer', ada, { id: data.id, executionId: 'c-1', resumeData }));
    expect(await byAda.next()).toMatchObject({
      type: 'APPROVAL_SETTLED',
      data: { executionId: 'c-1', approved: true, answeredBy: 'ada', reason: 'signed', expired: false },
    });
  });

  it('does not announce what waited already', async () => {
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    const byAda = await follow(`token=${ada}`);
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-2' } }));
    expect(await byAda.next()).toMatchObject({ type: 'APPROVAL_REQUESTED', data: { executionId: 'c-2' } });
  });

  it('announces to a console role what the role is for', async () => {
    const [byRole, byUser] = await Promise.all([
      follow('token=dan@acme:desk&console=true'),
      follow('token=dan@acme:desk'),
    ]);
    await ask('clerk', 'hidden');
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    expect(await byRole.next()).toMatchObject({ data: { executionId: 'c-1' } });
    await byUser.nothing();
  });

  it('tells a console role nothing about what the role is not for', async () => {
    await ask('clerk', 'hidden');
    const asked = JSON.parse(await textOf(send('/api/approvals', kim))) as {
      readonly data: { readonly approvals: readonly Announcement['data'][] };
    };
    const [{ conversationId, id } = expect.fail('nothing waits')] = asked.data.approvals;
    const byRole = await follow('token=dan@acme:desk&console=true');
    await textOf(send('/api/approvals/answer', kim, { id, conversationId, approved: false }));
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    expect(await byRole.next()).toMatchObject({ data: { executionId: 'c-1' } });
    await byRole.nothing();
  });

  it('announces after a failure of the storage what it has missed', async () => {
    const byAda = await follow(`token=${ada}`);
    isBroken = true;
    await textOf(send('/workflows/contract/execute', ada, { input: {}, options: { executionId: 'c-1' } }));
    expect((await send('/api/approvals', ada)).status).toBe(500);
    isBroken = false;
    expect(await byAda.next()).toMatchObject({ type: 'APPROVAL_REQUESTED', data: { executionId: 'c-1' } });
  });

  it('reads for four connections of a user at the same time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const clients = Array.from({ length: 9 }, () => connectTo(`${server.origin}/ws/approvals?token=${ada}`));
    await Promise.all(clients.map(({ socket }) => once(socket, 'open')));
    // Own executions, and those whose rules name the user.
    expect(reading).toBe(4 * 2);
    clients.at(-1)?.socket.terminate();
    resolve();
    for (const client of clients.slice(0, -1))
      expect(await client.next()).toMatchObject({ type: 'CONNECTION_SUCCESS' });
  });

  it('takes the token of a user or the console key, and nothing else', async () => {
    const url = `${server.origin}/ws/approvals`;
    expect(await refusalOf(url)).toMatchObject({ status: 401 });
    expect(await refusalOf(`${url}?key=wrong`)).toMatchObject({ status: 401 });
    expect(await refusalOf(`${url}?token=${ada}`)).toMatchObject({ status: 101 });
    const client = await follow(`token=${ada}`);
    client.socket.send('{"type":"nonsense"}');
    expect(await client.next()).toEqual({ type: 'ERROR', success: false, error: 'message must be {"type":"PING"}' });
  });
});

describe('a chat that is open while somebody else answers', () => {
  it.each(['clerk', 'notary'])('goes on for the client that follows it: %s', async (agent) => {
    const gate = `open-${agent}`;
    const [byAda, byKim] = await Promise.all([follow(`token=${ada}`), follow(`token=${kim}`)]);
    expect(await ask(agent, gate)).toContain('tool-approval-request');
    const { data } = (await byKim.next()) as Announcement;
    const { id, conversationId } = data;
    await textOf(send('/api/approvals/answer', kim, { id, conversationId, approved: true }));
    expect(await byAda.next()).toMatchObject({ type: 'APPROVAL_SETTLED', data: { conversationId } });
    const live = await send(`/agents/${agent}/chat/${conversationId}/stream`, ada);
    expect(live.status).toBe(200);
    gateOf(gate).open();
    const chunks = await live.text();
    expect(chunks).toContain('"output":"refunded"');
    expect(chunks).toContain('done.');
    expect(chunks).toContain('[DONE]');
  });
});
