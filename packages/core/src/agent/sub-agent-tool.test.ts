import { systemClock, type TelemetrySink } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelCallOptions } from '../model/providers/model-port.ts';
import { createRecorder } from '../telemetry/create-recorder.ts';
import { collectEvents, createScriptedModel, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import type { ToolContext } from '../tool/tool.ts';
import { Agent } from './agent.ts';

const services = { logger: silentLogger };
const ask = (id: string, task = 'Do it') => ({ toolCalls: [{ toolName: `ask_${id}`, input: { task } }] });
const free = { inputTokens: 0, outputTokens: 0 };

it('delegates a task, and returns the answer to the model', async () => {
  const worker = scriptedModel('42');
  const model = scriptedModel(ask('worker', 'What is 6 × 7?'), 'It is 42.');
  const agent = new Agent({
    id: 'boss',
    model,
    subAgents: [
      new Agent({ id: 'worker', name: 'Worker', description: 'Computes.', model: worker, instructions: 'Be exact.' }),
    ],
  });

  const { text, toolResults } = await agent.generateText('6 × 7?');

  expect(text).toBe('It is 42.');
  expect(toolResults).toMatchObject([{ toolName: 'ask_worker', output: '42' }]);
  expect(model.calls[0]?.tools).toMatchObject([
    { name: 'ask_worker', description: 'Asks the agent "Worker" to do a task and answer. Computes.' },
  ]);
  expect(worker.calls[0]?.prompt).toEqual([
    { role: 'system', content: 'Be exact.' },
    { role: 'user', content: [{ type: 'text', text: 'What is 6 × 7?' }] },
  ]);
});

it('marks the events of nested agents with their path', async () => {
  const leaf = new Agent({ id: 'leaf', model: scriptedModel('leaf says') });
  const middle = new Agent({ id: 'middle', model: scriptedModel(ask('leaf'), 'middle says'), subAgents: [leaf] });
  const root = new Agent({ id: 'root', model: scriptedModel(ask('middle'), 'root says'), subAgents: [middle] });

  const events = await collectEvents(await root.streamText('Go'));

  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'text-delta') continue;
    const path = event.agentPath?.join('/') ?? '';
    expect(event.agentId).toBe(event.agentPath?.at(-1));
    texts.set(path, (texts.get(path) ?? '') + event.delta);
  }
  expect(Object.fromEntries(texts)).toEqual({
    'root/middle/leaf': 'leaf says',
    'root/middle': 'middle says',
    '': 'root says',
  });
  expect(events.filter(({ type }) => type === 'finish').map(({ agentId }) => agentId)).toEqual([
    'leaf',
    'middle',
    undefined,
  ]);
});

it('marks the events of a sub-agent with the call that started it, also when it runs twice at the same time', async () => {
  const worker = new Agent({ id: 'worker', model: scriptedModel('done', 'done') });
  const twice = { toolCalls: [...ask('worker').toolCalls, ...ask('worker').toolCalls] };
  const boss = new Agent({ id: 'boss', model: scriptedModel(twice, 'both done'), subAgents: [worker] });

  const events = await collectEvents(await boss.streamText('Go'));

  const calls = events.flatMap((event) =>
    event.type === 'tool-call' && event.agentId === undefined ? [event.toolCallId] : [],
  );
  const finished = events.filter(({ agentId, type }) => type === 'finish' && agentId === 'worker');
  expect(calls).toHaveLength(2);
  expect(new Set(finished.map(({ parentToolCallId }) => parentToolCallId))).toEqual(new Set(calls));
});

it('adds the usage of sub-agents to its own', async () => {
  const leaf = new Agent({
    id: 'leaf',
    model: scriptedModel({ text: 'x', usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 1 } }),
  });
  const middle = new Agent({
    id: 'middle',
    model: scriptedModel({ ...ask('leaf'), usage: free }, { text: 'x', usage: { inputTokens: 10, outputTokens: 20 } }),
    subAgents: [leaf],
  });
  const root = new Agent({
    id: 'root',
    model: scriptedModel(
      { ...ask('middle'), usage: free },
      { text: 'x', usage: { inputTokens: 100, outputTokens: 200 } },
    ),
    subAgents: [middle],
  });

  expect((await root.generateText('Go')).usage).toEqual({
    promptTokens: 111,
    completionTokens: 222,
    totalTokens: 333,
    cachedInputTokens: 0,
    reasoningTokens: 1,
  });
});

it('streams from the models of sub-agents only when the events are read', async () => {
  const asked: string[] = [];
  const model = scriptedModel('Hi');
  const worker = new Agent({
    id: 'worker',
    model: {
      ...model,
      doGenerate: (call: ModelCallOptions) => {
        asked.push('generate');
        return model.doGenerate(call);
      },
      doStream: (call: ModelCallOptions) => {
        asked.push('stream');
        return model.doStream(call);
      },
    },
  });
  const boss = () => new Agent({ id: 'boss', model: scriptedModel(ask('worker'), 'Done.'), subAgents: [worker] });

  await boss().generateText('Go');
  await collectEvents(await boss().streamText('Go'));

  expect(asked).toEqual(['generate', 'stream']);
});

it('aborts the models and tools of sub-agents with the run', async () => {
  const signals: AbortSignal[] = [];
  const both = Promise.withResolvers<void>();
  const hang = createTool({
    name: 'hang',
    description: 'Hangs',
    input: Type.Object({}),
    execute: (_input, { signal }) => {
      signals.push(signal);
      if (signals.length === 2) both.resolve();
      return new Promise(() => {});
    },
  });
  const toolUser = new Agent({
    id: 'tools',
    model: scriptedModel({ toolCalls: [{ toolName: 'hang', input: {} }] }),
    tools: [hang],
  });
  const talker = new Agent({
    id: 'talker',
    model: scriptedModel((call) => {
      if (call.abortSignal !== undefined) signals.push(call.abortSignal);
      if (signals.length === 2) both.resolve();
      return { hangs: true };
    }),
  });
  const controller = new AbortController();
  const model = scriptedModel({ toolCalls: [...ask('tools').toolCalls, ...ask('talker').toolCalls] });
  const stream = await new Agent({ id: 'boss', model, subAgents: [toolUser, talker] }).streamText('Go', {
    signal: controller.signal,
  });
  const events = collectEvents(stream);

  await both.promise;
  controller.abort();

  expect((await events).at(-1)).toEqual({ type: 'abort' });
  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

it('passes context and user to sub-agents, but not the conversation', async () => {
  const seen: unknown[] = [];
  const worker = new Agent({
    id: 'worker',
    model: scriptedModel('Hi'),
    instructions: ({ context, user, userId, conversationId }) => {
      seen.push({ context, user, userId, conversationId });
      return '';
    },
  });
  const boss = new Agent({ id: 'boss', model: scriptedModel(ask('worker'), 'Done.'), subAgents: [worker] });

  await boss.generateText('Go', { context: { a: 1 }, user: { id: 'ada' }, userId: 'ada', conversationId: 'c1' });

  expect(seen).toEqual([{ context: { a: 1 }, user: { id: 'ada' }, userId: 'ada', conversationId: undefined }]);
});

it('reports the failure of a sub-agent to the model', async () => {
  const model = scriptedModel(ask('worker'), 'Sorry.');
  const worker = new Agent({ id: 'worker', model: scriptedModel({ error: new Error('secret') }) });

  const events = await collectEvents(
    await new Agent({ id: 'boss', model, subAgents: [worker] }).streamText('Go', { services }),
  );

  expect(events).toContainEqual({
    type: 'error',
    error: 'The model of agent "worker" failed',
    agentId: 'worker',
    agentPath: ['boss', 'worker'],
    parentToolCallId: expect.any(String),
  });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-error', error: 'The model of agent "worker" failed' }),
  );
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
});

it('refuses client-side tools in a sub-agent', async () => {
  const pick = createTool({ name: 'pick', description: 'Asks the person', input: Type.Object({}) });
  const workerModel = scriptedModel({ toolCalls: [{ toolName: 'pick', input: {} }] }, 'I cannot.');
  const worker = new Agent({ id: 'worker', model: workerModel, tools: [pick] });

  const { toolResults } = await new Agent({
    id: 'boss',
    model: scriptedModel(ask('worker'), 'Sorry.'),
    subAgents: [worker],
  }).generateText('Go', { services });

  expect(toolResults).toMatchObject([{ output: 'I cannot.' }]);
  expect(workerModel.calls[1]?.prompt.at(-1)).toMatchObject({
    content: [{ output: { type: 'error-text', value: 'Tool "pick" needs a client, which this agent does not have' } }],
  });
});

it('ends agents that delegate to each other in a circle', async () => {
  let depth = 0;
  const again = createTool({
    name: 'again',
    description: 'Asks the agent itself',
    input: Type.Object({}),
    execute: (_input, context) => {
      depth += 1;
      return loop.toTool().execute({ task: 'Again' }, context);
    },
  });
  const model = createScriptedModel(
    [({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'Enough.' : { toolCalls: [{ toolName: 'again', input: {} }] })],
    {},
  );
  const loop: Agent = new Agent({ id: 'loop', model, tools: [again] });

  expect((await loop.generateText('Go', { services })).text).toBe('Enough.');
  expect(depth).toBe(8);
});

describe('as a tool', () => {
  const contextOf = (toolName: string): ToolContext => ({
    toolCallId: 'c',
    toolName,
    idempotencyKey: 'k',
    context: {},
    logger: silentLogger,
    signal: new AbortController().signal,
    writer: { write: async () => {} },
  });

  it('is named after the agent, or by an option', () => {
    const agent = new Agent({ id: 'my.agent:1', model: scriptedModel('Hi') });

    expect(agent.toTool()).toMatchObject({
      name: 'ask_my_agent_1',
      description: 'Asks the agent "my.agent:1" to do a task and answer.',
      tags: ['agent'],
    });
    expect(agent.toTool({ name: 'helper', description: 'Helps' })).toMatchObject({
      name: 'helper',
      description: 'Helps',
    });
    const long = new Agent({ id: 'x'.repeat(100), model: scriptedModel('Hi') });
    expect(long.toTool().name).toBe(`ask_${'x'.repeat(60)}`);
  });

  it('runs alone, with the logger and the recorder of its caller', async () => {
    const seen: unknown[] = [];
    const instructions = ({ user, userId }: { user?: unknown; userId?: unknown }) => {
      seen.push([user, userId]);
      return '';
    };
    const failing = new Agent({ id: 'worker', instructions, model: scriptedModel('Hi', { error: new Error('no') }) });
    const tool = failing.toTool();
    const spans: string[] = [];
    const sink: TelemetrySink = {
      spanStarted: () => {},
      spanEnded: ({ name }) => void spans.push(name),
      logged: () => {},
    };
    const recorder = createRecorder({ sink, clock: systemClock });
    const lines: string[] = [];
    const logger = { ...silentLogger, error: (_fields: unknown, line: string) => void lines.push(line) };
    const context = { ...contextOf(tool.name), recorder, logger };

    expect(await tool.execute({ task: 'Go' }, context)).toBe('Hi');
    await expect(tool.execute({ task: 'Go' }, context)).rejects.toThrow('The model of agent "worker" failed');
    expect(spans).toContain('invoke_agent worker');
    expect(lines).not.toEqual([]);
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it.each([undefined, null, 'Go', {}, { task: 5 }])('refuses %j as its input', async (input) => {
    const tool = new Agent({ id: 'worker', model: scriptedModel('Hi') }).toTool();
    await expect(tool.execute(input, contextOf(tool.name))).rejects.toThrow('input/task must be string');
  });
});

it('refuses two tools of one name', () => {
  const worker = () => new Agent({ id: 'worker', model: scriptedModel('') });

  expect(() => new Agent({ id: 'boss', model: scriptedModel(''), subAgents: [worker(), worker()] })).toThrow(
    'two tools named "ask_worker"',
  );
  for (const id of ['not an id', '.', '..'])
    expect(() => new Agent({ id, model: scriptedModel('') })).toThrow('Agent id');
});

it('ends a sub-agent that takes too long, and continues', async () => {
  const asked = Promise.withResolvers<void>();
  const workerModel = scriptedModel(() => {
    asked.resolve();
    return { text: 'Half', hangs: true, ignoresAbort: true };
  });
  const worker = new Agent({ id: 'worker', model: workerModel, timeouts: { totalMs: 5 } });
  const model = scriptedModel(ask('worker'), 'Never mind.');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());

  const stream = await new Agent({ id: 'boss', model, subAgents: [worker] }).streamText('Go', { services });
  const collected = collectEvents(stream);
  await asked.promise;
  await vi.advanceTimersByTimeAsync(5);
  const events = await collected;

  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-error', error: expect.stringMatching(/took longer than 5 ms/) }),
  );
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  expect(workerModel.calls[0]?.abortSignal?.aborted).toBe(true);
});
