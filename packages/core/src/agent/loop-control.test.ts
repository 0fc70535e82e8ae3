import { Type } from '@sinclair/typebox';
import { hasToolCall, isStepCount, InvalidToolInputError, NoSuchToolError, pruneMessages } from 'ai';
import { expect, it } from 'vitest';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import type { AgentOptions, InternalRunOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import type { StepToPrepare } from './loop-control.ts';

const input = Type.Object({ city: Type.String() });
const execute = ({ city }: { city: string }): string => `Sunny in ${city}`;
const weather = createTool({ name: 'weather', description: 'The weather', input, execute });
const news = createTool({ name: 'news', description: 'The news', input, execute });
const oslo = { toolName: 'weather', input: { city: 'Oslo' } };
const services = { logger: silentLogger };

function setUp(answers: Parameters<typeof scriptedModel>, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(...answers);
  const agent = new Agent({ id: 'a', model, tools: [weather, news], instructions: 'Be brief.', ...options });
  const ask = (run: InternalRunOptions = {}) => agent.generateText('Go', { services, ...run });
  return { agent, ask, calls: model.calls, model };
}

const calling = { toolCalls: [oslo] };

it('sends the choice and the active tools of the call, else of the agent', async () => {
  const { ask, calls } = setUp(['1', '2', '3'], { toolChoice: 'required', activeTools: ['news'] });

  await ask();
  await ask({ toolChoice: 'none', activeTools: ['weather', 'unknown'] });
  await ask({ toolChoice: { type: 'tool', toolName: 'news' }, activeTools: ['news'] });

  expect(calls.map(({ toolChoice, tools }) => [toolChoice, tools?.map(({ name }) => name)])).toEqual([
    [{ type: 'required' }, ['news']],
    [{ type: 'none' }, ['weather']],
    [{ type: 'tool', toolName: 'news' }, ['news']],
  ]);
});

it('refuses the choice of a tool that the model does not receive', async () => {
  const { ask } = setUp(['never']);

  await expect(ask({ toolChoice: { type: 'tool', toolName: 'weather' }, activeTools: ['news'] })).rejects.toThrow(
    '`toolChoice` names the tool "weather", which the model does not receive; it receives: news',
  );
});

it('refuses a call of a tool that is not active', async () => {
  const { ask, calls } = setUp([calling, 'Done'], { activeTools: ['news'] });

  const { toolResults } = await ask();

  expect(toolResults).toEqual([]);
  expect(JSON.stringify(calls[1]?.prompt)).toContain('There is no tool \\"weather\\"; available: news');
});

it.each([
  ['hasToolCall', hasToolCall('weather')],
  ['isStepCount', isStepCount(1)],
  ['a list', [isStepCount(9), hasToolCall('weather')]],
  ['a function', ({ steps }: { readonly steps: readonly { readonly text: string }[] }) => steps.length === 1],
])('ends the run by %s after the tools of the step', async (_, stopWhen) => {
  const { agent, calls } = setUp([calling, 'never']);

  const events = await collectEvents(await agent.streamText('Go', { stopWhen, services }));

  expect(calls).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
});

it('keeps to maxSteps where no condition ends the run earlier', async () => {
  const { ask, calls } = setUp([calling, calling, calling], { stopWhen: isStepCount(3), maxSteps: 2 });

  await ask();

  expect(calls).toHaveLength(2);
});

it('prepares each step with its messages, and those of earlier steps', async () => {
  const seen: StepToPrepare[] = [];
  const { ask, model } = setUp([calling, 'Done']);

  await ask({ prepareStep: (step) => void seen.push(step), context: { tenant: 't1' }, userId: 'u1' });

  const question = { role: 'user', content: [{ type: 'text', text: 'Go' }] };
  expect(seen).toMatchObject([
    { stepNumber: 0, steps: [], messages: [question], responseMessages: [], instructions: 'Be brief.' },
    { stepNumber: 1, steps: [{ toolCalls: [{ toolName: 'weather' }] }], context: { tenant: 't1' }, userId: 'u1' },
  ]);
  expect(seen[1]?.model).toBe(model);
  expect(seen[1]?.initialMessages).toEqual([question]);
  expect(seen[1]?.messages).toEqual([question, ...(seen[1]?.responseMessages ?? [])]);
  expect(seen[1]?.responseMessages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
});

it('changes model, tools and settings for one step only', async () => {
  const other = scriptedModel({ toolCalls: [{ toolName: 'news', input: { city: 'Oslo' } }] });
  const { ask, calls } = setUp([calling, 'Done'], {
    generation: { temperature: 0.1, providerOptions: { p: { a: 1, b: 1 } } },
    prepareStep: async ({ stepNumber }) =>
      stepNumber === 1
        ? {
            model: other,
            toolChoice: 'required',
            activeTools: ['news'],
            temperature: 0.9,
            providerOptions: { p: { b: 2 } },
          }
        : undefined,
  });

  const { text } = await ask();

  expect(text).toBe('Done');
  expect(other.calls).toMatchObject([
    {
      toolChoice: { type: 'required' },
      tools: [{ name: 'news' }],
      temperature: 0.9,
      providerOptions: { p: { a: 1, b: 2 } },
    },
  ]);
  expect(calls.map(({ temperature, tools, toolChoice }) => [temperature, tools?.length, toolChoice])).toEqual([
    [0.1, 2, { type: 'auto' }],
    [0.1, 2, { type: 'auto' }],
  ]);
});

it('changes instructions and messages from a step on, and keeps system messages of the request', async () => {
  const { agent, calls } = setUp([calling, calling, 'Done'], {
    prepareStep: ({ stepNumber, messages }) =>
      stepNumber === 1
        ? { instructions: 'Finish.', messages: pruneMessages({ messages, toolCalls: 'all', emptyMessages: 'remove' }) }
        : undefined,
  });

  await agent.generateText(
    [
      { role: 'system', content: 'In French.' },
      { role: 'user', content: 'Go' },
    ],
    { services },
  );

  expect(calls.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([
    ['system', 'user'],
    ['system', 'user'],
    ['system', 'user', 'assistant', 'tool'],
  ]);
  expect(calls.map(({ prompt }) => prompt[0]?.content)).toEqual([
    'Be brief.\n\nIn French.',
    'Finish.\n\nIn French.',
    'Finish.\n\nIn French.',
  ]);
});

it('fails the run with the error of prepareStep', async () => {
  const { ask } = setUp(['never']);

  const prepareStep = (): never => {
    throw new Error('No budget');
  };
  await expect(ask({ prepareStep })).rejects.toThrow('No budget');
});

it.each(['generateText', 'streamText'] as const)('repairs calls in %s, for the model, too', async (method) => {
  const problems: unknown[] = [];
  const { agent, calls } = setUp(
    [
      { toolCalls: [{ toolName: 'wether', input: { city: 'Oslo' } }] },
      { toolCalls: [{ toolName: 'weather', input: {} }] },
      'Done',
    ],
    {
      repairToolCall: async ({ error, inputSchema, messages, toolCall }) => {
        problems.push([
          NoSuchToolError.isInstance(error),
          InvalidToolInputError.isInstance(error),
          await inputSchema({ toolName: 'weather' }),
          messages.length,
        ]);
        return { ...toolCall, toolName: 'weather', input: '{"city":"Rome"}' };
      },
    },
  );

  const options = { services };
  const result =
    method === 'generateText'
      ? await agent.generateText('Go', options)
      : await (
          await agent.streamText('Go', options)
        ).result;

  expect(problems).toEqual([
    [true, false, weather.input.jsonSchema, 1],
    [false, true, weather.input.jsonSchema, 3],
  ]);
  expect(result.toolResults.map(({ output }) => output)).toEqual(['Sunny in Rome', 'Sunny in Rome']);
  expect(calls[1]?.prompt[2]).toMatchObject({ content: [{ toolName: 'weather', input: { city: 'Rome' } }] });
});

it.each([
  ['returns null', async () => null],
  ['throws', () => Promise.reject(new Error('No idea'))],
  ['repairs it wrongly', async () => ({ toolName: 'weather', input: '{}' })],
])('sends the error to the model where repairToolCall %s', async (_, repairToolCall) => {
  const { ask, calls } = setUp([{ toolCalls: [{ toolName: 'weather', input: {} }] }, 'Done']);

  expect((await ask({ repairToolCall })).text).toBe('Done');
  expect(JSON.stringify(calls[1]?.prompt)).toContain('Invalid arguments for tool \\"weather\\"');
});

it('does not ask again for a repair that is in the journal', async () => {
  const records = new Map<string, string>();
  const journal = {
    record: async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
      if (!records.has(key)) records.set(key, JSON.stringify(await work()));
      return JSON.parse(records.get(key) ?? 'null') as Value;
    },
  };
  let repairs = 0;
  const { ask } = setUp([{ toolCalls: [{ toolName: 'weather', input: {} }] }, 'Done']);
  const repairToolCall = async () => ((repairs += 1), null);

  const first = await ask({ journal, repairToolCall });
  const repeated = await ask({ journal, repairToolCall });

  expect(repeated.text).toBe(first.text);
  expect(repairs).toBe(1);
});

it('says that a model receives no tools where it names one', async () => {
  const { ask } = setUp(['never'], { tools: [] });

  await expect(ask({ toolChoice: { type: 'tool', toolName: 'weather' } })).rejects.toThrow('it receives: none');
  await expect(setUp(['never']).ask({ toolChoice: { type: 'tool', toolName: 'search' } })).rejects.toThrow(
    'it receives: weather, news',
  );
});
