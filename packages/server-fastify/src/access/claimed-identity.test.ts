import { Agent, andThen, createTool, createWorkflow } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnedRequest, send, userOf } from '../testing/owned-request.ts';
import { serve, type Served } from '../testing/serve.ts';

interface Received {
  readonly resumedBy?: string;
  readonly user?: unknown;
  readonly userId?: string | undefined;
  readonly context?: unknown;
}

/** The values that each part received, in order. */
const received: (readonly [who: string, what: string])[] = [];

/** Records everything that may identify a user. */
function note(who: string, what: object): void {
  const seen = new WeakSet();
  const once = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  };
  received.push([who, JSON.stringify(what, once)]);
}

const probe = (name: string) =>
  createTool({
    name,
    description: 'Records its call',
    input: Type.Object({}),
    needsApproval: (_, call) => {
      note(`${name}, asked about approval`, call);
      return false;
    },
    execute: (_, call) => {
      note(name, call);
      return 'seen';
    },
  });

const callThenEnd =
  (toolName: string, input: object): ScriptedReply =>
  ({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? '{"done":true}' : { toolCalls: [{ toolName, toolCallId: 'c1', input }] };

function watching(id: string, toolName: string, input: object, more: object): Agent {
  return new Agent({
    id,
    model: (run) => {
      note(`${id}’s model`, run);
      return scriptedModel(callThenEnd(toolName, input));
    },
    instructions: (run) => {
      note(`${id}’s instructions`, run);
      return 'Probe';
    },
    hooks: {
      onStart: (run) => note(`${id}’s hooks`, run),
      onToolStart: (run) => note(`${id}’s hooks`, run),
      onEnd: (run) => note(`${id}’s hooks`, run),
    },
    inputGuardrails: [
      {
        name: 'watch',
        check: (_, run) => {
          note(`${id}’s guardrails`, run);
          return { action: 'allow' };
        },
      },
    ],
    ...more,
  });
}

const worker = watching('worker', 'probe', {}, { tools: [probe('probe')] });
const boss = watching('boss', 'ask_worker', { task: 'Probe' }, { subAgents: [worker] });

const inner = createWorkflow({ id: 'inner', name: 'Inner', purpose: '' }).andThen({
  id: 'deep',
  execute: (step) => {
    note('step of a sub-workflow', { user: step.user, state: step.state, context: step.context });
    return {};
  },
});

const visit = createWorkflow({
  id: 'visit',
  name: 'Visit',
  purpose: '',
  hooks: {
    onStart: (execution) => note('hooks of a workflow', execution),
    onEnd: (execution) => note('hooks of a workflow', execution),
  },
})
  .andThen({
    id: 'first',
    execute: (step) => {
      note('step', { user: step.user, state: step.state, context: step.context });
      return {};
    },
  })
  .andWhen({
    id: 'condition',
    condition: (step) => {
      note('condition', { user: step.user, state: step.state, context: step.context });
      return true;
    },
    step: andThen({
      id: 'wait',
      execute: (step) => {
        note(step.resumeData === undefined ? 'step that waits' : 'step after a resume', {
          user: step.user,
          state: step.state,
          context: step.context,
          resumedBy: step.resumedBy,
        });
        return step.resumeData ?? step.suspend('who?');
      },
    }),
  })
  .andAgent({ id: 'agent', agent: boss, prompt: 'Probe' })
  .andWorkflow({ id: 'sub', workflow: inner });

let server: Served;
beforeAll(async () => {
  server = await serve([], { agents: [boss, worker], workflows: [visit], userOf });
});
afterAll(() => server.close());
beforeEach(() => received.splice(0));

/** Every field in which a request may name a user. */
const headers = {
  authorization: 'Bearer mallory-token',
  cookie: 'userId=mallory',
  'x-user-id': 'mallory',
  'x-console-access-key': 'mallory-key',
};
const context = { userId: 'mallory', tenant: 1 };
const options = { userId: 'mallory', user: { id: 'mallory' }, memory: { userId: 'mallory' }, context };
const claims = { userId: 'mallory', user: { id: 'mallory' }, context, options };
const query = { userId: 'mallory', token: 'mallory-token', key: 'mallory-key' };

const ask = (as: string | undefined, route: string, id: string, body: object, more: OwnedRequest = {}) =>
  send(server.origin, route, as, { params: { id, name: id }, query, headers, body: { ...claims, ...body }, ...more });

const agentRequests = ['text', 'stream', 'chat', 'object', 'stream-object'].map(
  (kind) => [`POST /agents/:id/${kind}`, kind.includes('object') ? { schema: { type: 'object' } } : {}] as const,
);

function expectOnlyAda(places: readonly string[]): void {
  expect([...new Set(received.map(([who]) => who))]).toEqual(expect.arrayContaining([...places]));
  expect(received.filter(([, what]) => what.includes('mallory'))).toEqual([]);
  expect(received.filter(([, what]) => !what.includes('"userId":"ada"'))).toEqual([]);
}

const ofAgents = [
  'boss’s model',
  'boss’s instructions',
  'boss’s hooks',
  'boss’s guardrails',
  'worker’s model',
  'worker’s instructions',
  'worker’s hooks',
  'probe, asked about approval',
  'probe',
];

describe('code that runs for a verified user receives no other user', () => {
  it.each(agentRequests)('by %s, sub-agents included', async (route, body) => {
    const reply = await ask('ada', route, 'boss', { ...body, input: 'Probe' });
    expect(reply).toMatchObject({ status: 200 });
    expectOnlyAda(ofAgents);
    expect(receivedBy('probe')).toMatchObject({
      user: { id: 'ada' },
      userId: 'ada',
      context: { userId: 'ada', tenant: 1 },
    });
  });

  it('by a tool', async () => {
    expect((await ask('ada', 'POST /tools/:name/execute', 'probe', { input: {} })).status).toBe(200);
    expectOnlyAda(['probe', 'probe, asked about approval']);
    expect(receivedBy('probe')).toMatchObject({
      user: { id: 'ada' },
      userId: 'ada',
      context: { userId: 'ada', tenant: 1 },
    });
  });

  it.each([
    ['themselves', 'ada'],
    ['no verified user', undefined],
  ])('by a workflow that is resumed by %s', async (_, resumer) => {
    const started = await ask('ada', 'POST /workflows/:id/execute', 'visit', { input: {} });
    expect(started).toMatchObject({ status: 200 });
    const executionId = started.executionId ?? '';
    const resumed = await ask(
      resumer,
      'POST /workflows/:id/executions/:executionId/resume',
      'visit',
      { resumeData: {}, resumedBy: 'mallory', options: { ...options, resumedBy: 'mallory' } },
      { params: { id: 'visit', executionId } },
    );
    expect(JSON.parse(resumed.text)).toMatchObject({ data: { status: 'completed' } });
    expectOnlyAda([
      'hooks of a workflow',
      'step',
      'condition',
      'step that waits',
      'step after a resume',
      ...ofAgents,
      'step of a sub-workflow',
    ]);
    expect(receivedBy('probe')).toMatchObject({
      user: { id: 'ada' },
      userId: 'ada',
      context: { userId: 'ada', tenant: 1 },
    });
    expect(receivedBy('step after a resume')).toMatchObject({ user: { id: 'ada' } });
    expect(receivedBy('step after a resume').resumedBy).toBe(resumer);
  });

  it('by a workflow that an operator replays with an answer', async () => {
    const resumer = undefined;
    const started = await ask('ada', 'POST /workflows/:id/execute', 'visit', { input: {} });
    const executionId = started.executionId ?? '';
    const replayed = await ask(
      resumer,
      'POST /workflows/:id/executions/:executionId/replay',
      'visit',
      { stepId: 'wait', resumeData: {}, resumedBy: 'mallory' },
      { params: { id: 'visit', executionId } },
    );
    expect(JSON.parse(replayed.text)).toMatchObject({ data: { status: 'completed' } });
    expect(receivedBy('step after a resume')).toMatchObject({ user: { id: 'ada' } });
    expect(receivedBy('step after a resume').resumedBy).toBe(resumer);
  });
});

describe('without a verified user', () => {
  it('the code receives the user of the request, but no header', async () => {
    expect((await ask(undefined, 'POST /agents/:id/text', 'boss', { input: 'Probe' })).status).toBe(200);
    expect((await ask(undefined, 'POST /tools/:name/execute', 'probe', { input: {} })).status).toBe(200);
    expect((await ask(undefined, 'POST /workflows/:id/execute', 'visit', { input: {} })).status).toBe(200);
    expect(receivedBy('probe')).toMatchObject({ userId: 'mallory', context });
    expect(receivedBy('probe')).not.toHaveProperty('user');
    expect(received.filter(([, what]) => /mallory-(token|key)|x-user-id|cookie|authorization/.test(what))).toEqual([]);
  });
});

function receivedBy(who: string): Received {
  return JSON.parse(received.findLast(([name]) => name === who)?.[1] ?? '{}') as Received;
}
