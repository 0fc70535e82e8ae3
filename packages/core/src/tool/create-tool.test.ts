import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from './create-tool.ts';

const base = { name: 'give', description: 'Gives' };

it('refuses a name that providers do not accept', () => {
  for (const name of ['', 'two words', 'a.b', 'x'.repeat(65)]) {
    expect(() => createTool({ ...base, name, input: Type.Object({}) })).toThrow('Tool name');
  }
});

it('refuses an input that is not an object, and values that are not a schema', () => {
  expect(() => createTool({ ...base, input: Type.String() })).toThrow('must be a schema of type object');
  expect(() => createTool({ ...base, input: { city: 'string' } })).toThrow('The schema of the input of tool "give"');
});

it('accepts TypeBox, zod and JSON Schema', async () => {
  const schemas = [
    Type.Object({ city: Type.String() }),
    z.object({ city: z.string() }),
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  ];
  for (const input of schemas) {
    const tool = createTool({ ...base, input, execute: (value) => value });
    const model = scriptedModel(
      { toolCalls: [{ toolName: 'give', input: { city: 'Paris' } }] },
      { toolCalls: [{ toolName: 'give', input: { city: 5 } }] },
      'Done.',
    );

    const { toolResults } = await new Agent({ id: 'a', model, tools: [tool] }).generateText('Go');

    expect(toolResults.map(({ output }) => output)).toEqual([{ city: 'Paris' }]);
    expect(model.calls[0]?.tools).toMatchObject([
      { inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    ]);
  }
});

it('marks tools that the client runs', () => {
  expect(createTool({ ...base, input: Type.Object({}) }).clientSide).toBe(true);
  expect(createTool({ ...base, input: Type.Object({}), execute: () => 1 }).clientSide).toBe(false);
});

/** The tool as the model receives it. */
async function sentTool(options: Partial<Parameters<typeof createTool>[0]>) {
  const model = scriptedModel('Done.');
  const tool = createTool({ ...base, input: Type.Object({ city: Type.String() }), execute: () => 1, ...options });
  await new Agent({ id: 'a', model, tools: [tool] }).generateText('Go');
  return model.calls[0]?.tools?.[0];
}

it('closes the objects of a Standard Schema, as strict modes require', async () => {
  expect(await sentTool({ input: z.object({ place: z.object({ city: z.string() }) }) })).toMatchObject({
    inputSchema: {
      additionalProperties: false,
      properties: { place: { additionalProperties: false, properties: { city: { type: 'string' } } } },
    },
  });
});

it('closes the objects of other schemas only for a strict tool', async () => {
  expect(await sentTool({})).not.toHaveProperty('inputSchema.additionalProperties');
  expect(await sentTool({ strict: true })).toMatchObject({
    strict: true,
    inputSchema: { additionalProperties: false },
  });
});

it('sends the provider options of a tool', async () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  expect(await sentTool({ providerOptions, strict: false })).toMatchObject({ providerOptions, strict: false });
  expect(await sentTool({})).toEqual({
    type: 'function',
    name: 'give',
    description: 'Gives',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  });
});

it('accepts a union of objects as input', async () => {
  const byName = z.object({ name: z.string() });
  const byId = z.object({ id: z.number() });
  const tool = createTool({ ...base, input: z.union([byName, byId]), execute: (input) => input });
  const model = scriptedModel({ toolCalls: [{ toolName: 'give', input: { id: 5 } }] }, 'Done.');

  const { toolResults } = await new Agent({ id: 'a', model, tools: [tool] }).generateText('Go');

  expect(toolResults).toMatchObject([{ output: { id: 5 } }]);
  expect(model.calls[0]?.tools).toMatchObject([{ inputSchema: { anyOf: [{ type: 'object' }, { type: 'object' }] } }]);
  expect(() => createTool({ ...base, input: z.union([byName, z.string()]) })).toThrow('of type object');
});
