import { Type } from '@sinclair/typebox';
import { dynamicTool, jsonSchema, tool, zodSchema } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent/agent.ts';
import { createRegistry } from '../registry.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from './create-tool.ts';
import type { ProviderTool } from './provider-tool.ts';
import type { ToolsOption } from './tools-option.ts';

afterEach(() => vi.restoreAllMocks());

const services = { logger: silentLogger };
const add = createTool({
  name: 'add',
  description: 'Adds',
  input: Type.Object({ a: Type.Number() }),
  execute: ({ a }) => a + 1,
});
const weather = tool({
  description: 'Current weather',
  // oxlint-disable-next-line typescript/no-deprecated -- apps still use it
  title: 'Weather',
  strict: true,
  inputSchema: z.object({ city: z.string() }),
  inputExamples: [{ input: { city: 'Bonn' } }],
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  execute: async ({ city }, { context, toolCallId }) => `${toolCallId}: rain in ${city}, ${JSON.stringify(context)}`,
});

function agentWith(tools: ToolsOption, ...script: Parameters<typeof scriptedModel>) {
  const model = scriptedModel(...script);
  return { agent: new Agent({ id: 'a', model, tools }), model };
}

/** The result of one call of the tool `t`. */
async function resultOf(t: Exclude<ToolsOption, readonly unknown[]>[string], input: object, context = {}) {
  const { agent } = agentWith({ t }, { toolCalls: [{ toolName: 't', input, toolCallId: 'c' }] }, 'Done.');
  const events = await collectEvents(await agent.streamText('Go', { services, context }));
  return events.flatMap((event) => {
    if (event.type === 'tool-result') return [event.output];
    return event.type === 'tool-error' ? [`error: ${event.error}`] : [];
  });
}

describe('tools of an agent', () => {
  it('may be a record, with tools of the AI SDK unchanged', async () => {
    const search: ProviderTool = { type: 'provider', id: 'openai.web_search', isProviderExecuted: true, args: {} };
    const call = { toolName: 'weather', input: { city: 'Bonn' }, toolCallId: 'c' };
    const { agent, model } = agentWith({ weather, add, search }, { toolCalls: [call] }, 'Rain.');

    const { text, toolResults } = await agent.generateText('Weather?', { services, context: { unit: 'C' } });

    expect(text).toBe('Rain.');
    expect(toolResults).toMatchObject([{ toolName: 'weather', output: 'c: rain in Bonn, {"unit":"C"}' }]);
    expect(model.calls[0]?.tools).toEqual([
      {
        type: 'function',
        name: 'weather',
        description: 'Current weather',
        strict: true,
        inputSchema: expect.objectContaining({ required: ['city'], additionalProperties: false }),
        inputExamples: [{ input: { city: 'Bonn' } }],
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      expect.objectContaining({ name: 'add' }),
      { type: 'provider', id: 'openai.web_search', name: 'search', args: {} },
    ]);
  });

  it('is the same tool for agents that share it, so that it can be called directly', () => {
    const agents = ['a', 'b'].map((id) => new Agent({ id, model: scriptedModel(''), tools: { weather } }));
    expect(createRegistry({ agents, tools: { weather } }).getTool('weather').agents).toEqual(agents);
  });

  it.each([
    ['a zod schema', z.object({ n: z.number() })],
    ['zodSchema', zodSchema(z.object({ n: z.number() }))],
    [
      'jsonSchema',
      jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
    ],
    ['a lazy schema', () => zodSchema(z.object({ n: z.number() }))],
  ])('validates the input by %s', async (_, inputSchema) => {
    const t = tool({ inputSchema, execute: ({ n }: { n: number }) => n + 1 });
    expect(await resultOf(t, { n: 1 })).toEqual([2]);
    expect(await resultOf(t, { n: 'one' })).toEqual([expect.stringContaining('error')]);
  });

  const odd = [
    ['a pattern of Python', { a: { type: 'string', pattern: '(?P<year>\\d{4})' } }, 'Invalid regular expression'],
    ['draft 4', { a: { type: 'integer', minimum: 0, exclusiveMinimum: true } }, 'must be number'],
    ['a reference to nothing', { a: { $ref: '#/$defs/Missing' } }, "can't resolve reference"],
    ['a reference to another document', { a: { $ref: 'https://example.org/a.json' } }, "can't resolve reference"],
    ['a type that does not exist', { a: { type: 'float' } }, 'must be equal to one of the allowed values'],
  ] as const;

  it.each(odd)('passes %s to the model as it is, with one warning', async (_, properties, reason) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const schema = { type: 'object', properties } as const;
    const t = tool({ inputSchema: jsonSchema(schema as never), execute: (input) => input });
    const { model } = agentWith({ t }, 'Hi');
    const agent = new Agent({ id: 'a', model, tools: { t } });
    await agent.generateText('Go', { services });
    expect(model.calls[0]?.tools).toMatchObject([{ name: 't', inputSchema: schema }]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('of the input of tool "t"'), 'HalyardSchemaWarning');
    expect(warn).toHaveBeenCalledWith(expect.stringContaining(reason), 'HalyardSchemaWarning');
    expect(await resultOf(t, { a: 'anything' })).toEqual([{ a: 'anything' }]);
  });

  it.each(odd)('validates the input by the function of a schema with %s, without a warning', async (_, properties) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const validate = (value: unknown) =>
      typeof value === 'object' && value !== null && 'a' in value
        ? ({ success: true, value } as const)
        : ({ success: false, error: new Error('needs a') } as const);
    const t = tool({
      inputSchema: jsonSchema({ type: 'object', properties: properties as never }, { validate }),
      execute: (input) => input,
    });
    expect(await resultOf(t, { a: 1 })).toEqual([{ a: 1 }]);
    expect(await resultOf(t, {})).toEqual([expect.stringContaining('needs a')]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each(odd)('is refused if the app itself wrote a schema with %s', (_, properties, reason) => {
    const create = () => createTool({ name: 'own', description: '', input: { type: 'object', properties } });
    expect(create).toThrow('of the input of tool "own"');
    expect(create).toThrow(reason);
  });

  it.each(odd)('passes on output whose schema has %s', async (_, properties) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const outputSchema = jsonSchema({ type: 'object', properties: properties as never });
    const t = tool({ inputSchema: z.object({}), outputSchema, execute: () => ({ a: 'x' }) });
    expect(await resultOf(t, {})).toEqual([{ a: 'x' }]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('of the output of tool "t"'), 'HalyardSchemaWarning');
  });

  it('calls the functions of a tool of the AI SDK', async () => {
    const seen: unknown[] = [];
    const t = dynamicTool({
      inputSchema: z.object({}),
      outputSchema: z.object({ png: z.string() }),
      contextSchema: z.object({ unit: z.string() }),
      // oxlint-disable-next-line typescript/no-deprecated -- apps still use it
      needsApproval: (_, { context, toolCallId }) => {
        seen.push(context, toolCallId);
        return false;
      },
      toModelOutput: ({ output }) => ({ type: 'text', value: `image ${JSON.stringify(output)}` }),
      async *execute() {
        yield { png: 'a' };
        yield { png: 'b' };
      },
    });
    const { agent, model } = agentWith({ t }, { toolCalls: [{ toolName: 't', input: {}, toolCallId: 'c' }] }, 'Done.');

    const events = await collectEvents(await agent.streamText('Go', { services, context: { unit: 'C' } }));

    expect(seen).toEqual([{ unit: 'C' }, 'c']);
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { output: { png: 'a' }, preliminary: true },
      { output: { png: 'b' }, preliminary: true },
      { output: { png: 'b' } },
    ]);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'text', value: 'image {"png":"b"}' } }],
    });
  });

  it('is not called with a context that does not fit its schema', async () => {
    const t = tool({
      inputSchema: z.object({}),
      contextSchema: z.object({ unit: z.string() }),
      execute: () => 'called',
    });
    expect(await resultOf(t, {}, { unit: 5 })).toEqual([expect.stringContaining('context/unit')]);
  });

  it('aborts a tool of the AI SDK with its run', async () => {
    const controller = new AbortController();
    const aborted = Promise.withResolvers<boolean>();
    const t = tool({
      inputSchema: z.object({}),
      execute: async (_, { abortSignal }) => {
        abortSignal?.addEventListener('abort', () => aborted.resolve(true));
        controller.abort();
        await aborted.promise;
      },
    });
    const { agent } = agentWith({ t }, { toolCalls: [{ toolName: 't', input: {} }] }, 'Done.');
    await collectEvents(await agent.streamText('Go', { services, signal: controller.signal }));
    expect(await aborted.promise).toBe(true);
  });

  it('ends the step with a tool that the client runs', async () => {
    const t = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    const { agent, model } = agentWith({ t }, { toolCalls: [{ toolName: 't', input: {} }] }, 'Done.');
    expect((await agent.generateText('Go', { services })).finishReason).toBe('tool-calls');
    expect(model.calls).toHaveLength(1);
  });

  it.each<readonly [what: string, tools: unknown, message: string]>([
    [
      'a list with a tool of the AI SDK',
      [weather],
      'Item 1 of `tools` of agent "a" is a tool of the AI SDK, which has no name',
    ],
    ['a tool instead of a list', add, '`tools` of agent "a" must be a list or a record: [tool] or { tool }'],
    ['something else in a record', { weather, b: 5 }, '"b" of `tools` of agent "a" is not a tool'],
    ['something else in a list', [add, undefined], 'Item 2 of `tools` of agent "a" is not a tool'],
    ['a text', 'add', '`tools` of agent "a" must be a list or a record'],
    ['a name that providers refuse', { 'get weather': weather }, 'Tool name "get weather" must match'],
    ['two tools of one name', { add: weather, sum: add }, 'two tools named "add"'],
    [
      'a function as description',
      { t: { ...weather, description: () => 'x' } },
      'The description of tool "t" must be a text',
    ],
    [
      'a hook',
      { t: { ...weather, onInputStart: () => {} } },
      'Tool "t" has `onInputStart`, which agents do not support',
    ],
    ['a schema that loads', { t: { ...weather, inputSchema: jsonSchema(Promise.resolve({})) } }, 'is a promise'],
  ])('refuses %s', (_, tools, message) => {
    expect(() => new Agent({ id: 'a', model: scriptedModel(''), tools: tools as ToolsOption })).toThrow(message);
  });
});

describe('sub-agents', () => {
  const helper = new Agent({ id: 'helper', model: scriptedModel('') });

  it('may be a record', () => {
    const boss = new Agent({ id: 'boss', model: scriptedModel(''), subAgents: { anyName: helper } });
    expect(boss.subAgents).toEqual([helper]);
    expect(boss.findTool('ask_helper')).toBeDefined();
  });

  it.each([
    [helper, '`subAgents` of agent "boss" must be a list or a record: [agent] or { agent }'],
    [[add], 'Item 1 of `subAgents` of agent "boss" is not an agent'],
  ])('must be agents: %#', (subAgents, message) => {
    expect(() => new Agent({ id: 'boss', model: scriptedModel(''), subAgents: subAgents as never })).toThrow(message);
  });
});
