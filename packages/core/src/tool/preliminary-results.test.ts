import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { toUiChunks } from '../chat/to-ui-chunks.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from './create-tool.ts';

const services = { logger: silentLogger };
const call = { toolCalls: [{ toolName: 'search', input: {}, toolCallId: 'c' }] };

function searcher(execute: () => unknown) {
  return createTool({ name: 'search', description: 'Searches', input: { type: 'object', properties: {} }, execute });
}

const inSteps = searcher(async function* search() {
  yield { status: 'searching' };
  yield { status: 'found', count: 2 };
});

it('emits each value of a generator as a preliminary result, and the last as the result', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel(call, 'Done.'), tools: [inSteps] });

  const events = await collectEvents(await agent.streamText('Search', { services }));

  const fields = { type: 'tool-result', toolCallId: 'c', toolName: 'search', input: {} };
  const results = events.filter(({ type }) => type === 'tool-result');
  expect(results).toEqual([
    { ...fields, output: { status: 'searching' }, preliminary: true },
    { ...fields, output: { status: 'found', count: 2 }, preliminary: true },
    { ...fields, output: { status: 'found', count: 2 } },
  ]);
  expect(results.flatMap((event) => toUiChunks(event, 'm'))).toEqual([
    { type: 'tool-output-available', toolCallId: 'c', output: { status: 'searching' }, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'c', output: { status: 'found', count: 2 }, preliminary: true },
    { type: 'tool-output-available', toolCallId: 'c', output: { status: 'found', count: 2 } },
  ]);
});

it('sends the last value to the model, returns it and stores it', async () => {
  const { agent, model, options, stored } = agentWithMemory([call, 'Done.'], { tools: [inSteps] });

  const { toolResults } = await agent.generateText('Search', options);

  const output = { status: 'found', count: 2 };
  expect(toolResults).toEqual([{ toolCallId: 'c', toolName: 'search', input: {}, output }]);
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ output: { type: 'json', value: output } }] });
  const part = (await stored())[1]?.parts.find(({ type }) => type === 'tool-search');
  expect(part).toMatchObject({ state: 'output-available', output });
  expect(part).not.toHaveProperty('preliminary');
});

it('reports a generator that throws as a failure of the tool', async () => {
  const tool = searcher(async function* search() {
    yield 'begun';
    throw new Error('No connection');
  });
  const agent = new Agent({ id: 'a', model: scriptedModel(call, 'Done.'), tools: [tool] });

  const events = await collectEvents(await agent.streamText('Search', { services }));

  expect(events.filter(({ type }) => type.startsWith('tool-result') || type === 'tool-error')).toMatchObject([
    { type: 'tool-result', output: 'begun', preliminary: true },
    { type: 'tool-error', error: 'No connection' },
  ]);
});

it('ends a generator when the run is aborted', async () => {
  const ended = Promise.withResolvers<void>();
  const controller = new AbortController();
  const tool = createTool({
    name: 'search',
    description: 'Searches',
    input: { type: 'object', properties: {} },
    execute: async function* search(_input, { signal }) {
      try {
        yield 1;
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        controller.abort();
        await aborted;
        yield 2;
      } finally {
        ended.resolve();
      }
    },
  });
  const agent = new Agent({ id: 'a', model: scriptedModel(call, 'Done.'), tools: [tool] });

  const events = await collectEvents(await agent.streamText('Search', { services, signal: controller.signal }));

  expect(events.at(-1)).toMatchObject({ type: 'abort' });
  await ended.promise;
});
