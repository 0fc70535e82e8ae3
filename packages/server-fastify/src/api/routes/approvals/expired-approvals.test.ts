import { type Storage, systemClock } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { isToolUIPart, type UIMessage } from 'ai';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { connectTo } from '../../../testing/sockets.ts';

const consoleKey = 'the key of the console';
const hour = 3_600_000;
/** `kim:manager` is a user with a role. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', role] = token.split(':');
    return { id, roles: role === undefined ? [] : [role] };
  },
};

const paid: unknown[] = [];
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ case: Type.String() }),
  needsApproval: ({ case: name }) => {
    switch (name) {
      case 'deny':
        return { expiryMs: hour };
      case 'continue':
        return { expiryMs: hour, onExpire: 'continue' };
      case 'fraction':
        return { expiryMs: 1.1 * hour + 0.3 };
      case 'two':
        return {
          approvers: ['kim', 'lee'],
          quorum: 2,
          expiryMs: hour,
          onExpire: { approvers: ['role:director'], expiryMs: hour, onExpire: 'continue' },
        };
      case 'others':
        return { approvers: ['kim'], expiryMs: hour, onExpire: { approvers: ['role:director'], expiryMs: hour } };
      default:
        return { expiryMs: hour, onExpire: { approvers: ['kim', 'lee'], quorum: 2, expiryMs: hour } };
    }
  },
  execute: ({ case: name }, { user }) => {
    paid.push([name, user?.id]);
    return 'paid';
  },
});
let go: PromiseWithResolvers<void>;
const ship = createTool({
  name: 'ship',
  description: '',
  input: Type.Object({}),
  execute: async () => {
    await go.promise;
    return 'shipped';
  },
});
const act: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  if (last?.role === 'tool') return { text: [`Result: ${JSON.stringify(last.content)}`] };
  if (JSON.stringify(last?.content).includes('"both"'))
    return {
      toolCalls: [
        { toolName: 'pay', input: { case: 'deny' } },
        { toolName: 'ship', input: {} },
      ],
    };
  const [, name = ''] = /"(deny|continue|fraction|two|others|own|none)"/.exec(JSON.stringify(last?.content)) ?? [];
  return name === 'none' ? { text: ['Never mind.'] } : { toolCalls: [{ toolName: 'pay', input: { case: name } }] };
};
const clerk = new Agent({ id: 'clerk', model: scriptedModel(act), tools: [pay, ship] });
const boss = new Agent({
  id: 'boss',
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role === 'tool') return { text: [`Result: ${JSON.stringify(last.content)}`] };
    return { toolCalls: [{ toolName: 'ask_clerk', input: { task: 'others' } }] };
  }),
  subAgents: [clerk],
});

let server: Served;
let storage: Storage;
let webhooks: () => Promise<readonly (readonly [string, object])[]>;
let shiftMs = 0;
beforeEach(async () => {
  [paid.length, shiftMs] = [0, 0];
  go = Promise.withResolvers();
  const { now } = systemClock;
  vi.spyOn(systemClock, 'now').mockImplementation(() => now() + shiftMs);
  storage = createInMemoryStorage();
  const store = storage.webhooks ?? expect.fail('no webhooks');
  await store.listen({ url: 'https://example.org', events: ['approval.requested', 'approval.settled'] }, 9 * hour);
  webhooks = async () => (await store.list({ limit: 50 })).map(({ data, type }) => [type, data] as const).toReversed();
  server = await start([clerk, boss]);
});
const start = (agents: readonly Agent[]): Promise<Served> =>
  serve([], {
    agents,
    storage,
    memory: createMemory({ storage }),
    auth: { provider, consoleKey },
    secret: 'a secret that is long enough for a test',
    leaseMs: 300,
  });
afterEach(async () => {
  await server.close();
  vi.restoreAllMocks();
});

async function send(
  path: string,
  token?: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly data: Data }> {
  const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
  const credentials =
    token === undefined ? { 'x-console-access-key': consoleKey } : { authorization: `Bearer ${token}` };
  const response = await fetch(server.origin + path, { ...init, headers: { ...headers, ...credentials } });
  const text = await response.text();
  return { status: response.status, data: text.startsWith('{') ? (JSON.parse(text) as { data: Data }).data : {} };
}
type Data = Readonly<Record<string, unknown>>;

interface Approval {
  readonly id: string;
  readonly conversationId: string;
  readonly approvers: readonly string[] | null;
}

const ask = (text: string, agent = 'clerk', conversationId = 'talk'): Promise<unknown> =>
  send(`/agents/${agent}/text`, 'ada', { input: text, options: { conversationId } });
const list = async (token: string): Promise<readonly Approval[]> =>
  (await send('/api/approvals', token)).data['approvals'] as readonly Approval[];
const answer = async (token: string, { conversationId, id }: Approval, approved = true): Promise<number> =>
  (await send('/api/approvals/answer', token, { id, conversationId, approved })).status;
async function lastText(conversationId = 'talk'): Promise<string> {
  const { data } = await send(`/api/memory/conversations/${conversationId}/messages`, 'ada');
  const last = (data['messages'] as UIMessage[]).at(-1)?.parts.at(-1);
  return last?.type === 'text' ? last.text : '';
}
async function expiries(): Promise<unknown> {
  const { data } = await send('/audit?action=approval.expire');
  const records = data['records'] as readonly {
    readonly detail: object;
    readonly actor: object;
    readonly target: object;
  }[];
  return records.map(({ actor, detail, target }) => ({ ...actor, ...detail, ...target }));
}
/** Lets the time limits of an hour run out. */
const passAnHour = (): void => {
  shiftMs += hour;
};
const hasEnded = async (): Promise<void> => {
  const ended = async () => (await send('/workflows/executions?workflowId=halyard:approval-expiry:clerk')).data;
  await expect.poll(ended).toMatchObject([{ status: 'completed' }]);
};

it('denies a call at its time limit, and the reply goes on', async () => {
  await ask('deny');
  const [asked = expect.fail('nothing waits')] = await list('ada');
  passAnHour();
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  expect(paid).toEqual([]);
  expect(await list('ada')).toEqual([]);
  expect(await answer('ada', asked)).toBe(404);
  await hasEnded();
  expect(await expiries()).toMatchObject([
    { userId: null, channel: 'server', outcome: 'deny', agentId: 'clerk', conversationId: 'talk' },
  ]);
});

it('runs a call at its time limit as the user who asked', async () => {
  await ask('continue');
  passAnHour();
  await expect.poll(() => lastText()).toContain('paid');
  expect(paid).toEqual([['continue', 'ada']]);
});

it('asks others at the first time limit, and denies at the second', async () => {
  await ask('others');
  const [asked = expect.fail('nothing waits')] = await list('kim');
  passAnHour();
  await expect.poll(() => list('max:director')).toMatchObject([{ id: asked.id, approvers: ['role:director'] }]);
  expect(await list('kim')).toEqual([]);
  expect(await answer('kim', asked)).toBe(404);
  passAnHour();
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  await hasEnded();
  expect(await list('max:director')).toEqual([]);
  expect(await expiries()).toMatchObject([{ outcome: 'deny' }, { outcome: 'ask-again' }]);
  const events = await webhooks();
  expect(events).toMatchObject([
    ['approval.requested', {}],
    ['approval.requested', {}],
    [
      'approval.settled',
      { outcome: 'answered', approved: false, expired: true, reason: 'Nobody has responded in time.' },
    ],
  ]);
  expect(events.at(-1)?.[1]).not.toHaveProperty('answeredBy');
});

it('names nobody on the link to a request whose time limit has passed', async () => {
  await ask('others');
  const [asked = expect.fail('nothing waits')] = await list('kim');
  const link = await server.approvals.link(asked, { to: 'kim', expiryMs: 9 * hour });
  passAnHour();
  await expect.poll(() => list('max:director')).toHaveLength(1);
  passAnHour();
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  await hasEnded();
  const page = await (await fetch(link)).text();
  expect(page).toContain('Nobody responded in time: the request was declined on <time');
  expect(page).not.toMatch(/ada|operator|<blockquote/);
});

it('accepts the response of those whom it asks next', async () => {
  await ask('others');
  passAnHour();
  await expect.poll(() => list('max:director')).toHaveLength(1);
  const [asked = expect.fail('nothing waits')] = await list('max:director');
  expect(await answer('max:director', asked)).toBe(200);
  await expect.poll(() => lastText()).toContain('paid');
  expect(paid).toEqual([['others', 'ada']]);
  passAnHour();
  await hasEnded();
  expect(paid).toHaveLength(1);
  expect((await webhooks()).at(-1)).toMatchObject(['approval.settled', { approved: true, answeredBy: 'max' }]);
});

it('asks several others after the user of the conversation', async () => {
  await ask('own');
  expect(await list('ada')).toMatchObject([{ approvers: null }]);
  expect(await list('kim')).toEqual([]);
  passAnHour();
  await expect.poll(() => list('kim')).toHaveLength(1);
  const [asked = expect.fail('nothing waits')] = await list('kim');
  expect(await answer('ada', asked)).toBe(404);
  expect(await answer('kim', asked)).toBe(200);
  expect(paid).toEqual([]);
  expect(await answer('lee', asked)).toBe(200);
  await expect.poll(() => lastText()).toContain('paid');
});

it('accepts the response of the user before it would ask others', async () => {
  await ask('own');
  const [asked = expect.fail('nothing waits')] = await list('ada');
  expect(await answer('ada', asked)).toBe(200);
  await expect.poll(() => lastText()).toContain('paid');
  passAnHour();
  await hasEnded();
  expect(await expiries()).toEqual([]);
});

it.each(['deny', 'others'])('announces the end of a request whose time was over before, %s', async (name) => {
  await ask(name);
  // Until the outcome is recorded, clients still wait for it: here the conversation goes on first.
  vi.mocked(systemClock.now).mockImplementation(() => Date.now() + 3 * hour);
  const client = connectTo(`${server.origin}/ws/approvals?token=ada`);
  expect(await client.next()).toMatchObject({ type: 'CONNECTION_SUCCESS' });
  await ask('none');
  expect(await client.next()).toMatchObject({ type: 'APPROVAL_SETTLED', data: { conversationId: 'talk' } });
  client.socket.close();
});

it('does nothing where the conversation went on', async () => {
  await ask('deny');
  await ask('none');
  expect(await lastText()).toBe('Never mind.');
  passAnHour();
  await hasEnded();
  expect(await lastText()).toBe('Never mind.');
  expect(await expiries()).toEqual([]);
});

it('denies a call whose time runs out while another call of the step runs', async () => {
  const reply = ask('both');
  const steps = async (): Promise<string> => {
    const { data } = await send('/workflows/executions?workflowId=halyard:approval-expiry:clerk');
    return JSON.stringify(data);
  };
  await expect.poll(steps).toContain('wait-0');
  passAnHour();
  await expect.poll(steps).toContain('end-0');
  go.resolve();
  await reply;
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  await hasEnded();
  expect(paid).toEqual([]);
});

it('ends the call of a sub-agent at its time limits', async () => {
  await ask('please', 'boss');
  expect(await list('kim')).toMatchObject([{ conversationId: 'talk' }]);
  passAnHour();
  await expect.poll(() => list('max:director')).toMatchObject([{ conversationId: 'talk' }]);
  passAnHour();
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  expect(paid).toEqual([]);
});

it.each(['clerk', 'boss'])('shows clients of %s from when on it asks others', async (agent) => {
  const before = systemClock.now();
  await ask('others', agent);
  const { data } = await send('/api/memory/conversations/talk/messages', 'ada');
  const parts = (data['messages'] as UIMessage[]).at(-1)?.parts ?? [];
  const shown = parts.flatMap((part) =>
    isToolUIPart(part) && part.state === 'approval-requested' ? [part.callProviderMetadata?.['halyard']] : [],
  );
  const escalation = [{ approvers: ['role:director'], from: expect.any(String) }];
  expect(shown).toMatchObject([{ approvers: ['kim'], escalation }]);
  const from = Date.parse(/"from":"([^"]+)"/.exec(JSON.stringify(shown))?.[1] ?? '');
  expect(from - hour).toBeGreaterThanOrEqual(before);
  expect(from - hour).toBeLessThanOrEqual(systemClock.now());
});

it('lists what waits for a time limit only where its workflow is named', async () => {
  await ask('deny');
  expect((await send('/workflows/executions')).data).toEqual([]);
  expect((await send('/workflows/executions?workflowId=halyard:approval-expiry:clerk')).data).toHaveLength(1);
  const { data } = await send('/workflows/executions/bulk/preview', undefined, { all: true });
  expect(data).toMatchObject({ matched: 0 });
});

it('lets no user see, end or start what waits for a time limit', async () => {
  await ask('deny');
  const { data } = await send('/workflows/executions?workflowId=halyard:approval-expiry:clerk');
  const [{ id } = expect.fail('nothing waits')] = data as unknown as readonly { readonly id: string }[];
  const executions = '/workflows/halyard:approval-expiry:clerk/executions';
  expect((await send(`${executions}/${id}`, 'ada')).status).toBe(404);
  expect((await send(`${executions}/${id}/cancel`, 'ada', {})).status).toBe(404);
  expect((await send('/workflows/halyard:approval-expiry:clerk/execute', 'ada', { input: {} })).status).toBe(404);
  passAnHour();
  await hasEnded();
});

it('waits for a server that has the agent', async () => {
  await ask('deny');
  await server.close();
  server = await start([new Agent({ id: 'other', model: scriptedModel(act), tools: [pay] })]);
  await ask('deny', 'other', 'another');
  passAnHour();
  await expect.poll(() => lastText('another')).toContain('Nobody has responded in time.');
  await server.close();
  server = await start([clerk]);
  await expect.poll(() => lastText()).toContain('Nobody has responded in time.');
  await hasEnded();
});

it('accepts responses within a time limit that is no whole number', async () => {
  await ask('fraction');
  const [asked = expect.fail('nothing waits')] = await list('ada');
  expect(await answer('ada', asked)).toBe(200);
  await expect.poll(() => lastText()).toContain('paid');
});

it('asks nobody else after a denial, though the process ended before the reply went on', async () => {
  await ask('two');
  const [asked = expect.fail('nothing waits')] = await list('kim');
  const ending = vi.spyOn(storage.approvals, 'consume').mockRejectedValueOnce(new Error('the process ends'));
  expect(await answer('kim', asked, false)).toBe(500);
  ending.mockRestore();
  passAnHour();
  await expect.poll(() => lastText()).toContain('execution-denied');
  await hasEnded();
  expect([await list('max:director'), await expiries(), paid]).toEqual([[], [], []]);
});

it('shows on a link how the request was settled, and not a decision of an earlier round', async () => {
  await ask('two');
  const [asked = expect.fail('nothing waits')] = await list('kim');
  const link = await server.approvals.link(asked, { to: 'kim', expiryMs: 9 * hour });
  expect(await answer('kim', asked)).toBe(200);
  passAnHour();
  await expect.poll(() => list('max:director')).toHaveLength(1);
  expect(await answer('max:director', asked, false)).toBe(200);
  await expect.poll(() => lastText()).toContain('execution-denied');
  expect(await (await fetch(link)).text()).toContain('<bdi>max</bdi> declined');
});
