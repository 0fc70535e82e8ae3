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
