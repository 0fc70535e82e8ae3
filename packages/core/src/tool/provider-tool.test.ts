import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import type { ProviderTool } from './provider-tool.ts';

const services = { logger: silentLogger };

/** As `openai.tools.webSearch({ … })` returns it. */
const webSearch = {
  type: 'provider',
  id: 'openai.web_search',
  isProviderExecuted: true,
  args: { searchContextSize: 'low' },
} satisfies ProviderTool;

it('sends the tool of a provider to the model', async () => {
  const model = scriptedModel('Found.');
  const agent = new Agent({ id: 'a', model, tools: [webSearch, { ...webSearch, name: 'second' }] });

  await agent.generateText('Search', { services });

  const sent = { type: 'provider', id: 'openai.web_search', args: { searchContextSize: 'low' } };
  expect(model.calls[0]?.tools).toEqual([
    { ...sent, name: 'web_search' },
    { ...sent, name: 'second' },
  ]);
  expect(agent.tools).toEqual([]);
});

it('refuses two tools of one name', () => {
  expect(() => new Agent({ id: 'a', model: scriptedModel(''), tools: [webSearch, webSearch] })).toThrow('web_search');
});

it('emits the calls and results of a tool that the provider runs, and calls the model once', async () => {
  const call = { toolCallId: 'ws', toolName: 'web_search' };
  const model = scriptedModel({
    text: 'Found.',
    parts: [
      { type: 'tool-call', ...call, input: '{"query":"cats"}', providerExecuted: true },
      { type: 'tool-result', ...call, result: { action: 'search' } },
    ],
  });
  const agent = new Agent({ id: 'a', model, tools: [webSearch] });

  const events = await collectEvents(await agent.streamText('Search', { services }));

  const fields = { ...call, input: { query: 'cats' }, providerExecuted: true };
  expect(events).toContainEqual({ type: 'tool-call', ...fields });
  expect(events).toContainEqual({ type: 'tool-result', ...fields, output: { action: 'search' } });
  expect(model.calls).toHaveLength(1);
});

it('calls the model again for results that the provider sends later, and emits them with their input', async () => {
  const call = { toolCallId: 'code', toolName: 'code_execution' };
  const tool: ProviderTool = {
    type: 'provider',
    id: 'anthropic.code_execution',
    isProviderExecuted: true,
    supportsDeferredResults: true,
    args: {},
  };
  const model = scriptedModel(
    { parts: [{ type: 'tool-call', ...call, input: '{"code":"1"}', providerExecuted: true }] },
    { text: 'One.', parts: [{ type: 'tool-result', ...call, result: 1 }] },
  );

  const events = await collectEvents(
    await new Agent({ id: 'a', model, tools: [tool] }).streamText('Run', { services }),
  );

  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ role: 'assistant', content: [{ toolCallId: 'code' }] });
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', input: { code: '1' }, output: 1 }));
  expect(model.calls).toHaveLength(2);
});

it('stores a later result with its call, and sends both in the next turn', async () => {
  const call = { toolCallId: 'code', toolName: 'code_execution' };
  const tool = { ...webSearch, id: 'anthropic.code_execution', supportsDeferredResults: true } as const;
  const { agent, model, options, stored } = agentWithMemory(
    [
      { parts: [{ type: 'tool-call', ...call, input: '{"code":"1"}', providerExecuted: true }] },
      { text: 'One.', parts: [{ type: 'tool-result', ...call, result: 1 }] },
      'Welcome.',
    ],
    { tools: [tool] },
  );

  await agent.generateText('Run', options);
  await agent.generateText('Thanks', options);

  const [, answer] = await stored();
  expect(answer?.parts.filter((part) => 'toolCallId' in part)).toMatchObject([
    { type: 'tool-code_execution', providerExecuted: true, input: { code: '1' }, output: 1 },
  ]);
  expect(model.calls[2]?.prompt[1]?.content).toMatchObject([
    { type: 'tool-call', input: { code: '1' }, providerExecuted: true },
    { type: 'tool-result', output: { type: 'json', value: 1 } },
  ]);
});

it('runs a tool that a provider defines and the app executes', async () => {
  const shell: ProviderTool = {
    type: 'provider',
    id: 'openai.local_shell',
    isProviderExecuted: false,
    args: {},
    execute: async (input: { command: string }, { toolCallId }: { toolCallId: string }) =>
      `${toolCallId} ran ${input.command}`,
  };
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'local_shell', input: { command: 'ls' }, toolCallId: 'c' }] },
    'Done.',
  );
  const agent = new Agent({ id: 'a', model, tools: [shell] });

  const { toolResults } = await agent.generateText('List', { services });

  expect(model.calls[0]?.tools).toEqual([
    { type: 'provider', id: 'openai.local_shell', name: 'local_shell', args: {} },
  ]);
  expect(toolResults).toMatchObject([{ output: 'c ran ls' }]);
});
