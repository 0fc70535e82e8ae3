import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { collectEvents, fixedClock, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { ToolContext } from '../../tool/tool.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { AgentJournal } from '../loop/journal.ts';
import type { Processor } from '../processors/processor.ts';

const input = Type.Object({});
const calling = (toolName: string) => ({ toolCalls: [{ toolName, input: {}, toolCallId: 'c1' }] });

function memoryJournal(): AgentJournal {
  const entries = new Map<string, string>();
  return {
    async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const recorded = entries.get(key);
      if (recorded !== undefined) return JSON.parse(recorded) as Value;
      const value = await work();
      entries.set(key, JSON.stringify(value));
      return value;
    },
  };
}

/** The context that a tool is called with. */
async function contextOf(options: InternalRunOptions): Promise<ToolContext> {
  let seen: ToolContext | undefined;
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input,
    execute: (_, context) => {
      seen = context;
      return 'seen';
    },
  });
  const agent = new Agent({ id: 'a', model: scriptedModel(calling('look'), 'Done.'), tools: [look], memory: false });
  const services = { logger: silentLogger, ids: { next: () => 'run-1' } };
  await agent.generateText('Go', { services, ...options });
  return seen ?? expect.fail('the tool was not called');
}

it('tells a tool who calls it, and a key that is the same when the call is repeated', async () => {
  const user = { id: 'ada' };
  expect(await contextOf({ user, userId: 'ada', conversationId: 'talk', context: { tenant: 't1' } })).toMatchObject({
    toolCallId: 'c1',
    toolName: 'look',
    idempotencyKey: 'run-1/step-0/c1',
    user,
    userId: 'ada',
    conversationId: 'talk',
    context: { tenant: 't1' },
  });
});

it('tells a tool nothing that the caller has not', async () => {
  const context = await contextOf({});
  for (const name of ['user', 'userId', 'conversationId', 'workflow']) expect(context).not.toHaveProperty(name);
});

it('calls the hooks that an agent has, with the time that the tool took', async () => {
  const clock = fixedClock(1_000);
  const wait = createTool({ name: 'wait', description: 'Waits', input, execute: () => clock.advance(70) });
  const ended: unknown[] = [];
  const started: unknown[] = [];
  const run = async (hooks: ConstructorParameters<typeof Agent>[0]['hooks']) =>
    new Agent({
      id: 'a',
      model: scriptedModel(calling('wait'), 'Done.'),
      tools: [wait],
      hooks: hooks ?? {},
    }).generateText('Go', { services: { logger: silentLogger, clock } });
  await run({ onToolEnd: (_, end) => void ended.push(end) });
  await run({ onToolStart: (_, call) => void started.push(call) });
  const call = { toolCallId: 'c1', toolName: 'wait', input: {} };
  expect(ended).toMatchObject([{ ...call, durationMs: 70 }]);
  expect(started).toEqual([call]);
});

it('counts the tokens of a sub-agent, also when its call is recorded', async () => {
  const worker = new Agent({
    id: 'worker',
    model: scriptedModel({ text: 'Worked.', usage: { inputTokens: 100, outputTokens: 50 } }),
  });
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'ask_worker', input: { task: 'Work' }, toolCallId: 'c1' }] },
    'Done.',
  );
  const agent = new Agent({ id: 'a', model, subAgents: [worker] });
  const journal = memoryJournal();
  const usageOf = async () =>
    (await agent.generateText('Go', { journal, services: { logger: silentLogger } } as InternalRunOptions)).usage
      .totalTokens;
  expect([await usageOf(), await usageOf()]).toEqual([180, 180]);
});

it('passes the output and the error of a tool to the processors, before the client and the model see it', async () => {
  const hide: Processor = {
    name: 'hide',
    processOutput: ({ text }) => ({ action: 'modify', text: text.replaceAll('secret', '***') }),
  };
  const tools = [
    createTool({ name: 'look', description: 'Looks', input, execute: () => ({ found: 'secret' }) }),
    createTool({
      name: 'fail',
      description: 'Fails',
      input,
      execute: () => {
        throw new Error('no secret');
      },
    }),
  ];
  for (const [toolName, shown] of [
    ['look', '{"found":"***"}'],
    ['fail', 'no ***'],
  ] as const) {
    const model = scriptedModel(calling(toolName), 'Done.');
    const agent = new Agent({ id: 'a', model, tools, processors: [hide] });
    const events = await collectEvents(await agent.streamText('Go', { services: { logger: silentLogger } }));
    const outcome = events.find(({ type }) => type === 'tool-result' || type === 'tool-error');
    expect(JSON.stringify(outcome)).toContain('***');
    expect(JSON.stringify(outcome)).not.toContain('secret');
    const received = JSON.stringify(model.calls[1]?.prompt.at(-1));
    expect(received).toContain(toolName === 'look' ? '***' : shown);
    expect(received).not.toContain('secret');
  }
});
