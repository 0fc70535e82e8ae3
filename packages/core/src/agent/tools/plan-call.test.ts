import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { Tool } from '../../tool/tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import { Agent } from '../agent.ts';

const services = { logger: silentLogger };
const providerMetadata = { openai: { itemId: 'x' } };
const input = Type.Object({ euros: Type.Number() });
const asked: unknown[] = [];
const tools = [
  createTool({ name: 'pay', description: 'Pays', title: 'Payment', input, execute: ({ euros }) => ({ paid: euros }) }),
  createTool({ name: 'pick', description: 'The client picks', input }),
  createTool({ name: 'approve', description: 'Asks', input, needsApproval: true, execute: () => 'done' }),
  createTool({
    name: 'maybe',
    description: 'Asks for more than 10',
    input,
    needsApproval: ({ euros }) => {
      asked.push(euros);
      return euros > 10;
    },
    execute: () => 'done',
  }),
  createTool({
    name: 'broken',
    description: 'Cannot decide',
    input,
    needsApproval: () => {
      throw new Error('no rules');
    },
    execute: () => 'done',
  }),
  createTool({
    name: 'shared',
    description: 'Two people must approve each call, and one all of them',
    input,
    needsApproval: { approvers: ['kim', 'lee'], quorum: 2, always: true },
    execute: () => 'done',
  }),
  createTool({
    name: 'shared-later',
    description: 'Several people must approve after an hour',
    input,
    needsApproval: {
      always: true,
      expiryMs: 3_600_000,
      onExpire: { expiryMs: 1, onExpire: { approvers: ['kim', 'lee'], quorum: 2, expiryMs: 1 } },
    },
    execute: () => 'done',
  }),
  createTool({
    name: 'always',
    description: 'Asks, and lets people approve later calls',
    input,
    needsApproval: { always: true },
    execute: () => 'done',
  }),
  createTool({
    name: 'shadow',
    description: 'Only records that it would ask',
    input,
    needsApproval: { shadow: true },
    execute: () => 'done',
  }),
  createTool({
    name: 'fail',
    description: 'Fails',
    input,
    execute: () => {
      throw new Error('no money');
    },
  }),
];

/** The outcome of one call: its events, and the result that the model receives. */
async function call(toolName: string, argumentsOfCall = '{"euros":5}') {
  const model = scriptedModel(
    { parts: [{ type: 'tool-call', toolCallId: 'c1', toolName, input: argumentsOfCall, providerMetadata }] },
    'Done.',
  );
  const agent = new Agent({ id: 'a', model, tools });
  const stream = await agent.streamText('Go', { services });
  const events = await collectEvents(stream);
  const last = model.calls[1]?.prompt.at(-1);
  return {
    events: events.filter((event): event is Extract<AgentEvent, { toolCallId: string }> => 'toolCallId' in event),
    finishReason: (await stream.result).finishReason,
    received: last?.role === 'tool' ? last.content : undefined,
  };
}

const made = (toolName: string, euros: unknown = { euros: 5 }) => ({ toolCallId: 'c1', toolName, input: euros });
const result = (toolName: string, output: object) => [{ type: 'tool-result', toolCallId: 'c1', toolName, output }];

it('runs a call, and sends its output to the client and the model', async () => {
  expect(await call('pay')).toStrictEqual({
    events: [
      { type: 'tool-call', ...made('pay'), title: 'Payment', providerMetadata },
      { type: 'tool-result', ...made('pay'), output: { paid: 5 }, providerMetadata },
    ],
    finishReason: 'stop',
    received: result('pay', { type: 'json', value: { paid: 5 } }),
  });
});

it('sends the failure of a tool to the client and the model', async () => {
  expect(await call('fail')).toStrictEqual({
    events: [
      { type: 'tool-call', ...made('fail'), providerMetadata },
      { type: 'tool-error', ...made('fail'), error: 'no money', providerMetadata },
    ],
    finishReason: 'stop',
    received: result('fail', { type: 'error-text', value: 'no money' }),
  });
});

it('refuses arguments that do not fit, and shows them', async () => {
  const { events, received } = await call('pay', '{"euros":"five"}');
  const refused = { ...made('pay', { euros: 'five' }), invalidInput: true };
  const error = expect.stringMatching(/^Invalid arguments for tool "pay": input\/euros/);
  expect(events).toStrictEqual([
    { type: 'tool-call', ...refused, title: 'Payment', providerMetadata },
    { type: 'tool-error', ...refused, error },
  ]);
  expect(received).toEqual(result('pay', { type: 'error-text', value: error }));
});

it('refuses arguments that are no JSON', async () => {
  const { events } = await call('pay', 'five');
  expect(events[1]).toMatchObject({
    type: 'tool-error',
    input: 'five',
    invalidInput: true,
    error: expect.stringMatching(
      /^Invalid arguments for tool "pay": input must be a JSON object, but is not valid JSON/,
    ),
  });
});

it('refuses a call of a tool that does not exist, and names those that do', async () => {
  const { events } = await call('unknown');
  expect(events).toStrictEqual([
    { type: 'tool-call', ...made('unknown'), dynamic: true, providerMetadata },
    {
      type: 'tool-error',
      ...made('unknown'),
      dynamic: true,
      error:
        'There is no tool "unknown"; available: pay, pick, approve, maybe, broken, shared, shared-later, always, shadow, fail',
    },
  ]);
});

it('leaves a call without an execute function to the client', async () => {
  expect(await call('pick')).toStrictEqual({
    events: [{ type: 'tool-call', ...made('pick'), providerMetadata }],
    finishReason: 'tool-calls',
    received: undefined,
  });
});

it('waits for a person where a tool needs approval', async () => {
  const { events, finishReason, received } = await call('approve');
  expect(events).toStrictEqual([
    {
      type: 'tool-call',
      ...made('approve'),
      approvalId: expect.any(String),
      signature: expect.any(String),
      providerMetadata,
    },
  ]);
  expect([finishReason, received]).toEqual(['tool-calls', undefined]);
});

it('asks a tool once whether a call needs approval', async () => {
  asked.length = 0;
  expect((await call('maybe')).events.map(({ type }) => type)).toEqual(['tool-call', 'tool-result']);
  const [waiting, ...more] = (await call('maybe', '{"euros":50}')).events;
  expect(waiting).toHaveProperty('approvalId');
  expect(more).toEqual([]);
  expect(asked).toEqual([5, 50]);
});

it('refuses a call whose tool cannot decide', async () => {
  const { events, received } = await call('broken');
  expect(events).toStrictEqual([
    { type: 'tool-call', ...made('broken'), providerMetadata },
    { type: 'tool-error', ...made('broken'), error: 'no rules' },
  ]);
  expect(received).toEqual(result('broken', { type: 'error-text', value: 'no rules' }));
});

it.each(['shared', 'shared-later'])(
  'refuses a call that several must approve and one may approve for good: %s',
  async (name) => {
    const { events } = await call(name);
    expect(events[1]).toMatchObject({ type: 'tool-error', error: expect.stringMatching(/^`always` is not possible/) });
  },
);

it('offers no approval of later calls where only the client knows the request', async () => {
  const { events } = await call('always');
  expect(events).toStrictEqual([
    {
      type: 'tool-call',
      ...made('always'),
      approvalId: expect.not.stringContaining('always-'),
      signature: expect.any(String),
      providerMetadata,
    },
  ]);
});

it('runs a call of a tool in shadow mode, also where the record fails', async () => {
  const shown = { ...providerMetadata, halyard: { shadow: true } };
  expect((await call('shadow')).events).toStrictEqual([
    { type: 'tool-call', ...made('shadow'), providerMetadata: shown },
    { type: 'tool-result', ...made('shadow'), output: 'done', providerMetadata: shown },
  ]);
  const model = scriptedModel({ toolCalls: [{ toolName: 'shadow', toolCallId: 'c1', input: { euros: 5 } }] }, 'Done.');
  const recorded: unknown[] = [];
  const recordShadow = async (shadowed: unknown): Promise<void> => {
    recorded.push(shadowed);
    throw new RangeError('The disk is full');
  };
  const agent = new Agent({ id: 'a', model, tools });
  const { text } = await agent.generateText('Go', { services: { ...services, recordShadow } });
  expect(text).toBe('Done.');
  expect(recorded).toMatchObject([{ agentId: 'a', toolName: 'shadow', toolCallId: 'c1' }]);
});

it('refuses a call by a sub-agent of a tool that needs a client', async () => {
  const events = await delegated((worker) => worker.toTool(), 'pick');
  const error = 'Tool "pick" needs a client, which this agent does not have';
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-error', toolCallId: 'c1', error, agentId: 'worker' }),
  );
});

it('refuses a call that needs approval of an agent whose tool keeps no journal', async () => {
  const events = await delegated(
    (worker) =>
      createTool({
        name: 'ask_worker',
        description: '',
        input: Type.Object({ task: Type.String() }),
        execute: async ({ task }, { parent }) => (await worker.generateText(task, { ...(parent && { parent }) })).text,
      }),
    'approve',
  );
  const error = 'Tool "approve" needs a person\'s approval, which a delegated agent cannot ask for';
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-error', toolCallId: 'c1', error, agentId: 'worker' }),
  );
});

/** The events of an agent whose tool runs one that calls this tool. */
async function delegated(toTool: (worker: Agent) => Tool, toolName: string): Promise<readonly AgentEvent[]> {
  const worker = new Agent({
    id: 'worker',
    model: scriptedModel({ toolCalls: [{ toolName, input: { euros: 5 }, toolCallId: 'c1' }] }, 'Sorry.'),
    tools,
  });
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'ask_worker', input: { task: 'Pay' } }] }, 'Done.'),
    tools: [toTool(worker)],
  });
  return collectEvents(await agent.streamText('Go', { services }));
}
