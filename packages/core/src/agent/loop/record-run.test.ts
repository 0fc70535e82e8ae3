import { describedSpan, silentLogger, type SpanRecord, type TelemetrySink } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { createMemory } from '../../memory/memory.ts';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { ProviderTool } from '../../tool/provider-tool.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import { systemClock } from '../default-services.ts';

function recording(recordsContent = true) {
  const spans: SpanRecord[] = [];
  const sink: TelemetrySink = {
    spanStarted: () => {},
    spanEnded: (span) => void spans.push(describedSpan(span)),
    logged: () => {},
  };
  const recorder = createRecorder({ sink, clock: systemClock, recordsContent });
  const named = (name: string): SpanRecord | undefined => spans.find((span) => span.name === name);
  return { spans, named, recorder, services: { logger: silentLogger, recorder } };
}

function delegating() {
  const helper = new Agent({ id: 'helper', model: scriptedModel('The secret answer.') });
  return new Agent({
    id: 'boss',
    instructions: 'Know the secret.',
    subAgents: [helper],
    model: scriptedModel(
      { toolCalls: [{ toolName: 'ask_helper', input: { task: 'secret task' } }] },
      { text: 'Done.', usage: { inputTokens: 3, outputTokens: 4 } },
    ),
  });
}

it('records a run with its model calls, tools and sub-agents as one tree', async () => {
  const { named, services, spans } = recording();

  await delegating().generateText('secret question', { services, userId: 'u1', conversationId: 'c1' });

  const run = named('invoke_agent boss');
  const tool = named('execute_tool ask_helper');
  const delegated = named('invoke_agent helper');
  const calls = spans.filter(({ parentSpanId, kind }) => kind === 2 && parentSpanId === run?.spanId);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans).toHaveLength(6);
  expect(run).toMatchObject({ parentSpanId: null, isEntry: true, status: { code: 0 } });
  expect(run?.attributes).toMatchObject({
    'entity.type': 'agent',
    'entity.id': 'boss',
    'user.id': 'u1',
    'gen_ai.conversation.id': 'c1',
    'halyard.operation': 'text',
    'halyard.run.id': expect.any(String),
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"secret question"}]}]',
  });
  expect(calls.map(({ attributes }) => attributes['halyard.step'])).toEqual([0, 1]);
  expect(tool).toMatchObject({ parentSpanId: run?.spanId, isEntry: false });
  expect(tool?.attributes['gen_ai.tool.call.result']).toBe('The secret answer.');
  expect(delegated).toMatchObject({ parentSpanId: tool?.spanId, isEntry: false });
});

it('records no content when content is not recorded', async () => {
  const { services, spans } = recording(false);

  await delegating().generateText('secret question', { services });

  expect(spans).toHaveLength(6);
  expect(JSON.stringify(spans)).not.toMatch(/secret|messages|instructions|definitions|arguments|result"/);
});

it('ends the spans of a run that fails, is refused or is aborted', async () => {
  const { services, spans } = recording();
  const failing = new Agent({
    id: 'a',
    model: scriptedModel({ error: new Error('away') }),
    retries: { maxRetries: 0 },
  });

  await expect(failing.generateText('Go', { services })).rejects.toThrow();
  await expect(failing.generateText('Go', { services, maxSteps: 99 })).rejects.toThrow();
  await expect(failing.generateText('Go', { services, signal: AbortSignal.abort() })).rejects.toThrow();

  const runs = spans.filter(({ name }) => name === 'invoke_agent a');
  expect(runs.map(({ status }) => status.code)).toEqual([2, 0, 0]);
  expect(runs.map(({ attributes }) => attributes['halyard.outcome'])).toEqual([undefined, 'refused', 'aborted']);
  expect(runs.map(({ attributes }) => attributes['error.type'])).toEqual([
    'MODEL_FAILED',
    'INVALID_INPUT',
    expect.stringMatching(/ABORTED/),
  ]);
  expect(spans.every(({ endTime }) => endTime !== null)).toBe(true);
});

it('runs a tool in its span, and adds the ids of the span to its log lines', async () => {
  const { named, recorder, services } = recording();
  const lines: object[] = [];
  let active: string | undefined;
  const look = createTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' } as const,
    execute: async (_input, { logger }) => {
      await Promise.resolve();
      active = recorder.active()?.spanId;
      logger.info({ seen: 1 }, 'looked');
      throw new Error('nothing to see');
    },
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'look', input: {} }] }, 'Done.');
  const logger = { ...silentLogger, info: (fields: object) => void lines.push(fields) };

  await new Agent({ id: 'a', model, tools: [look] }).generateText('Go', { services: { ...services, logger } });

  const tool = named('execute_tool look');
  expect(active).toBe(tool?.spanId);
  expect(tool?.status).toEqual({ code: 2, message: 'nothing to see' });
  expect(lines).toEqual([
    expect.objectContaining({ seen: 1, agentId: 'a', toolName: 'look', traceId: tool?.traceId, spanId: tool?.spanId }),
  ]);
});

it.each<[string, (agent: Agent, options: InternalRunOptions) => Promise<unknown>]>([
  ['generateText', (agent, options) => agent.generateText('Go', options)],
  ['streamText', async (agent, options) => (await agent.streamText('Go', options)).result],
])('looks at a request in the span of its run, what follows outside: %s', async (_, run) => {
  const { named, recorder, services } = recording();
  const active: (string | undefined)[] = [];
  const look = async (): Promise<void> => {
    await Promise.resolve();
    active.push(recorder.active()?.spanId);
  };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel('Hi'),
    instructions: async () => {
      await look();
      return 'Help.';
    },
    inputGuardrails: [
      {
        name: 'looks',
        check: async () => {
          await look();
          return { action: 'allow' };
        },
      },
    ],
  });

  await run(agent, { services });
  await look();

  const span = named('invoke_agent a')?.spanId;
  expect(span).toBeDefined();
  expect(active).toEqual([span, span, undefined]);
});

it('continues the trace of the caller, unless it is not sampled', async () => {
  const { services, spans } = recording();
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const traceParent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };

  await agent.generateText('Go', { services, traceParent } as InternalRunOptions);
  await agent.generateText('Go', { services, traceParent: { ...traceParent, isSampled: false } } as InternalRunOptions);

  expect(spans.map(({ name }) => name)).toEqual([expect.stringMatching(/^chat /), 'invoke_agent a']);
  expect(spans[1]).toMatchObject({ traceId: traceParent.traceId, parentSpanId: traceParent.spanId, isEntry: true });
});

it('makes spans of work that a tool did not await children of that tool', async () => {
  const { named, recorder, services } = recording();
  const second = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const startsWork = createTool({
    name: 'startsWork',
    description: 'Starts work and does not await it.',
    input: { type: 'object' } as const,
    execute: async () => {
      void (async () => {
        await second.promise;
        recorder.start({ name: 'not awaited' }).end();
        done.resolve();
      })();
      return 'started';
    },
  });
  const runsLater = createTool({
    name: 'runsLater',
    description: 'Runs while that work continues.',
    input: { type: 'object' } as const,
    execute: async () => {
      second.resolve();
      await done.promise;
      return 'done';
    },
  });
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'startsWork', input: {} }] },
    { toolCalls: [{ toolName: 'runsLater', input: {} }] },
    'Done.',
  );

  await new Agent({ id: 'a', model, tools: [startsWork, runsLater] }).generateText('Go', { services });

  expect(named('not awaited')?.parentSpanId).toBe(named('execute_tool startsWork')?.spanId);
});

it.each(['generateText', 'streamText'] as const)(
  'records cached and reasoning tokens, the response id, finish reasons and tool definitions: %s',
  async (method) => {
    const { named, services, spans } = recording();
    const weather = createTool({
      name: 'weather',
      description: 'Tells the weather.',
      input: { type: 'object', properties: { city: { type: 'string' } } } as const,
      execute: async () => 'sunny',
    });
    const usage = { inputTokens: 20, outputTokens: 8, cachedInputTokens: 15, reasoningTokens: 3 };
    const model = scriptedModel(
      {
        toolCalls: [{ toolName: 'weather', input: {} }],
        usage,
        parts: [{ type: 'response-metadata', id: 'response-1' }],
      },
      { text: 'Sunny.', usage: { inputTokens: 1, outputTokens: 1 } },
    );
    const agent = new Agent({ id: 'a', model, tools: [weather] });

    const answer = await agent[method]('Go', { services });
    if ('result' in answer) await answer.result;

    const [first, second] = spans.filter(({ name }) => name === 'chat scripted').map(({ attributes }) => attributes);
    expect(first).toMatchObject({
      'gen_ai.response.id': 'response-1',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 15,
      'gen_ai.usage.output_tokens': 8,
      'gen_ai.usage.reasoning.output_tokens': 3,
      'gen_ai.output.messages': expect.stringMatching(/"finish_reason":"tool_call"/),
    });
    expect(JSON.parse(String(first?.['gen_ai.tool.definitions']))).toEqual([
      {
        type: 'function',
        name: 'weather',
        description: 'Tells the weather.',
        parameters: expect.objectContaining({ properties: { city: { type: 'string' } } }),
      },
    ]);
    expect(second).not.toHaveProperty('gen_ai.response.id');
    expect(second).not.toHaveProperty(['gen_ai.usage.cache_read.input_tokens']);
    expect(named('invoke_agent a')?.attributes).toMatchObject({
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 21,
      'gen_ai.usage.cache_read.input_tokens': 15,
      'gen_ai.usage.reasoning.output_tokens': 3,
    });
  },
);

it('records no settings of the app that may contain secrets', async () => {
  const { services, spans } = recording();
  const headers = { 'x-api-key': 'secret' };
  const mcp: ProviderTool = {
    type: 'provider',
    id: 'openai.mcp',
    isProviderExecuted: true,
    args: { serverUrl: 'https://app:secret@crm.example', authorization: 'secret', headers },
  };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel('Done.'),
    tools: [mcp],
    generation: { headers, providerOptions: { openai: { user: 'secret' } } },
  });

  await agent.generateText('Go', { services });

  const definitions = spans.map(({ attributes }) => attributes['gen_ai.tool.definitions']);
  expect(definitions).toContain('[{"type":"provider","id":"openai.mcp","name":"mcp"}]');
  expect(JSON.stringify(spans)).not.toContain('secret');
});

const messagesOf = (span: SpanRecord | undefined) => [
  span?.attributes['gen_ai.input.messages'],
  span?.attributes['gen_ai.output.messages'],
];

it.each([true, false])('records the question of a refused run only where content is recorded: %s', async (records) => {
  const { named, services } = recording(records);
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });

  await expect(agent.generateText('Go', { services, maxSteps: 99 })).rejects.toThrow();

  const question = '[{"role":"user","parts":[{"type":"text","content":"Go"}]}]';
  expect(messagesOf(named('invoke_agent a'))).toEqual([records ? question : undefined, undefined]);
});

it('records no question of a refused run that is no text', async () => {
  const { named, services } = recording();
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });

  await expect(agent.generateText([{ role: 'user', content: 'Go' }], { services, maxSteps: 99 })).rejects.toThrow();

  expect(messagesOf(named('invoke_agent a'))).toEqual([undefined, undefined]);
});

it('records the first prompt and all texts of a run, and the prompt of each call', async () => {
  const { named, services, spans } = recording();
  await delegating().generateText('question', { services });

  const [input, output] = messagesOf(named('invoke_agent boss'));
  expect(JSON.parse(String(input))).toHaveLength(1);
  expect(output).toContain('Done.');
  const calls = spans.filter(
    ({ name, parentSpanId }) => name === 'chat scripted' && parentSpanId === named('invoke_agent boss')?.spanId,
  );
  const prompts = calls.map(({ attributes }) => JSON.parse(String(attributes['gen_ai.input.messages'])) as unknown[]);
  expect(prompts.map(({ length }) => length)).toEqual([1, 3]);
});

it('names the notes of a model in the prompt, which the user has not written', async () => {
  const { services, spans } = recording();
  const write = { toolCalls: [{ toolName: 'updateWorkingMemory', input: { content: 'A sloop', mode: 'replace' } }] };
  const agent = new Agent({
    id: 'mate',
    model: scriptedModel(write, 'Noted.', 'A sloop.'),
    memory: createMemory({ storage: createInMemoryStorage(), workingMemory: { scope: 'user' } }),
  });
  const options = { services, userId: 'ada', conversationId: 'boats' };
  await agent.generateText('I sail a sloop', options);
  await agent.generateText('What do I sail?', options);

  const last = spans.findLast(({ name }) => name === 'invoke_agent mate');
  const [input] = messagesOf(last);
  const prompt = JSON.parse(String(input)) as { role: string; name?: string }[];
  expect(prompt.slice(-2)).toMatchObject([{ role: 'user', name: 'notes' }, { role: 'user' }]);
  expect(prompt.at(-1)).not.toHaveProperty('name');
});

it('records the tokens of a failed run, and its prompt', async () => {
  const { named, services } = recording();
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'nothing', input: {} }], usage: { inputTokens: 3, outputTokens: 4 } },
    { error: new Error('away') },
  );

  await expect(
    new Agent({ id: 'a', model, retries: { maxRetries: 0 } }).generateText('Go', { services }),
  ).rejects.toThrow();

  const run = named('invoke_agent a');
  expect(run?.status.code).toBe(2);
  expect(run?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.output_tokens': 4 });
  expect(run?.attributes).not.toHaveProperty('gen_ai.response.finish_reasons');
  expect(messagesOf(run)[0]).toContain('Go');
});

it('records a run whose object does not fit as failed', async () => {
  const { named, services } = recording();
  const agent = new Agent({ id: 'a', model: scriptedModel('no object') });

  await expect(agent.generateObject('Go', { services, schema: Type.Object({}) })).rejects.toThrow();

  expect(named('invoke_agent a')).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'OBJECT_NOT_GENERATED', 'halyard.operation': 'object' },
  });
});

it('records a run that its journal takes from it, without an error', async () => {
  const { named, services } = recording();
  const journal = { record: async <Value>(_: string, work: () => Promise<Value>) => work(), isStale: () => true };
  const model = scriptedModel({ error: new Error('away') });

  await expect(
    new Agent({ id: 'a', model, retries: { maxRetries: 0 } }).generateText('Go', {
      services,
      journal,
    } as InternalRunOptions),
  ).rejects.toThrow();

  expect(named('invoke_agent a')).toMatchObject({
    status: { code: 0 },
    attributes: { 'gen_ai.response.finish_reasons': ['tool_call'] },
  });
});

it('is a part of the span that is active where it starts, before that of a remote caller', async () => {
  const { named, recorder, services } = recording();
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const traceParent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  const outer = recorder.start({ name: 'outer' });

  await outer.run(() => agent.generateText('Go', { services, traceParent } as InternalRunOptions));
  outer.end();

  expect(named('invoke_agent a')).toMatchObject({ parentSpanId: named('outer')?.spanId, isEntry: false });
});

it('records a sub-agent that waits for an approval, and how it continues, without failures', async () => {
  const { services, spans } = recording();
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'paid',
  });
  const clerk = new Agent({
    id: 'clerk',
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', input: {} }] }, 'Paid.'),
    tools: [pay],
  });
  const boss = new Agent({
    id: 'boss',
    model: scriptedModel({ toolCalls: [{ toolName: 'ask_clerk', input: { task: 'Pay' } }] }, 'Done.'),
    subAgents: [clerk],
  });
  /** Each span with the names of those around it. */
  const tree = (): readonly string[] => {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = ({ name, parentSpanId }: SpanRecord): string => {
      const parent = byId.get(parentSpanId ?? '');
      return parent === undefined ? name : `${pathOf(parent)} > ${name}`;
    };
    return spans.map(pathOf).filter((path) => !path.endsWith('scripted'));
  };

  const asking = await boss.generateText('Pay', { services });
  const delegation = 'invoke_agent boss > execute_tool ask_clerk';
  expect(tree().toSorted()).toEqual(['invoke_agent boss', delegation, `${delegation} > invoke_agent clerk`]);
  spans.length = 0;
  const { approvalId = '', signature } = asking.toolCalls[1] ?? {};
  const response = { type: 'tool-approval-response' as const, approvalId, signature, approved: true };
  await boss.generateText(
    [{ role: 'user', content: 'Pay' }, ...asking.responseMessages, { role: 'tool', content: [response] }],
    { services },
  );
  expect(tree().toSorted()).toEqual([
    'invoke_agent boss',
    delegation,
    `${delegation} > invoke_agent clerk`,
    `${delegation} > invoke_agent clerk > execute_tool pay`,
  ]);
  expect(spans.every(({ status }) => status.code === 0)).toBe(true);
});
