import { expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { ToolModelOutput } from '../../tool/tool.ts';
import { Agent } from '../agent.ts';

const services = { logger: silentLogger };
const png = 'iVBORw0KGgo=';
const call = { toolCalls: [{ toolName: 'draw', input: { what: 'cat' }, toolCallId: 'c' }] };

function drawer(toModelOutput: (given: { input: unknown; output: unknown }) => ToolModelOutput) {
  return createTool({
    name: 'draw',
    description: 'Draws',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    execute: () => ({ png }),
    toModelOutput,
  });
}

const asContent = drawer(({ output }) => ({
  type: 'content',
  value: [
    { type: 'text', text: 'The drawing:' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: (output as { png: string }).png } },
  ],
}));

const content = {
  type: 'content',
  value: [
    { type: 'text', text: 'The drawing:' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
  ],
};

function resultIn({ prompt }: { prompt: readonly { role: string; content: unknown }[] }): unknown {
  return prompt.find(({ role }) => role === 'tool')?.content;
}

it('sends the content that a tool made of its output to the model, and the output itself to clients', async () => {
  const model = scriptedModel(call, 'Done.');
  const agent = new Agent({ id: 'a', model, tools: [asContent] });

  const { toolResults } = await agent.generateText('Draw', { services });

  expect(toolResults).toMatchObject([{ output: { png } }]);
  expect(model.calls[1] && resultIn(model.calls[1])).toMatchObject([{ toolCallId: 'c', output: content }]);
});

it('sends the same content in later turns', async () => {
  const { agent, model, options, stored } = agentWithMemory([call, 'Done.'], { tools: [asContent] });

  await agent.generateText('Draw', options);
  await agent.generateText('And?', options);

  expect((await stored())[1]?.parts).toContainEqual(expect.objectContaining({ output: { png } }));
  expect(model.calls[2] && resultIn(model.calls[2])).toMatchObject([{ toolCallId: 'c', output: content }]);
});

it('makes content of the outputs in UI messages', async () => {
  const model = scriptedModel('Done.');
  const agent = new Agent({ id: 'a', model, tools: [asContent] });
  const part = { type: 'tool-draw', toolCallId: 'c', state: 'output-available', input: {}, output: { png } } as const;

  await agent.generateText([
    { role: 'user', parts: [{ type: 'text', text: 'Draw' }] },
    { role: 'assistant', parts: [part, { type: 'step-start' }, { type: 'text', text: 'Done.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
  ]);

  expect(model.calls[0] && resultIn(model.calls[0])).toMatchObject([{ toolCallId: 'c', output: content }]);
});

it('passes call and output to `toModelOutput`', async () => {
  const seen: unknown[] = [];
  const tool = drawer((given) => {
    seen.push(given);
    return { type: 'text', value: 'A cat.' };
  });
  const model = scriptedModel(call, 'Done.');

  await new Agent({ id: 'a', model, tools: [tool] }).generateText('Draw', { services });

  expect(seen).toEqual([{ toolCallId: 'c', input: { what: 'cat' }, output: { png } }]);
  expect(model.calls[1] && resultIn(model.calls[1])).toMatchObject([{ output: { type: 'text', value: 'A cat.' } }]);
});

it('reports a `toModelOutput` that throws as a failure of the tool, and sends old outputs as JSON', async () => {
  let isBroken = false;
  const tool = drawer(() => {
    if (isBroken) throw new Error('No such format');
    return { type: 'text', value: 'A cat.' };
  });
  const { agent, model, options } = agentWithMemory([call, 'Done.', call, 'Failed.'], { tools: [tool] });

  await agent.generateText('Draw', options);
  isBroken = true;
  const events = await collectEvents(await agent.streamText('Again', options));

  expect(events).toContainEqual(expect.objectContaining({ type: 'tool-error', error: 'No such format' }));
  const results = model.calls[3]?.prompt.filter(({ role }) => role === 'tool').map((message) => message.content);
  expect(results).toMatchObject([
    [{ output: { type: 'json', value: { png } } }],
    [{ output: { type: 'error-text', value: 'No such format' } }],
  ]);
});

it('fetches the files that content names by a URL', async () => {
  const fetched: string[] = [];
  const tool = drawer(() => ({
    type: 'content',
    value: [{ type: 'file', mediaType: 'image', data: { type: 'url', url: new URL('https://example.com/cat.png') } }],
  }));
  const model = scriptedModel(call, 'Done.');
  const downloadFile = async (url: string) => {
    fetched.push(url);
    return { data: new Uint8Array([1]), mediaType: 'image/png' };
  };

  await new Agent({ id: 'a', model, tools: [tool] }).generateText('Draw', { services: { ...services, downloadFile } });

  expect(fetched).toEqual(['https://example.com/cat.png']);
  expect(model.calls[1] && resultIn(model.calls[1])).toMatchObject([
    { output: { value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data' } }] } },
  ]);
});
