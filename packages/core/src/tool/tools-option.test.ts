import { Type } from '@sinclair/typebox';
import { dynamicTool, jsonSchema, tool, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent/agent.ts';
import { createRegistry } from '../registry/registry.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from './create-tool.ts';
import type { ProviderTool } from './provider-tool.ts';
import type { ToolsOption } from './tools-option.ts';

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
