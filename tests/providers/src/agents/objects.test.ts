import { Agent } from '@halyard/core';
import { collectEvents } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const Person = Type.Object({ name: Type.String(), age: Type.Integer() }, { additionalProperties: false });
const ada = { name: 'Ada', age: 36 };
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};

describe.each(openaiApis)('structured output on the %s API', (api) => {
  const agent = () => new Agent({ id: 'reader', model: openaiModel(api, wire), generation: unset });

  it('returns an object, and sends its schema', async () => {
    wire.reply({ object: ada });

    expect(await agent().generateObject('Who?', { schema: Person })).toMatchObject({
      object: ada,
      usage: { totalTokens: 15 },
      finishReason: 'stop',
    });
    expect(wire.requests[0]?.format?.schema).toMatchObject(schema);
  });

  it('streams partial objects', async () => {
    wire.reply({ object: ada, chunkSize: 6, delayMs: 2 });

    const stream = await agent().streamObject('Who?', { schema: Person });
    const events = await collectEvents(stream);

    expect(events.filter(({ type }) => type === 'partial').length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ type: 'object', object: ada });
    expect((await stream.result).object).toEqual(ada);
    expect(wire.requests[0]?.format?.schema).toMatchObject(schema);
    expect(wire.requests[0]?.body['stream']).toBe(true);
  });

  it('asks the model once to correct an object that does not match, and then fails', async () => {
    wire.reply({ object: { name: 'Ada' } }, { object: ada }, { object: {} }, { object: {} });

    expect((await agent().generateObject('Who?', { schema: Person })).object).toEqual(ada);
    expect(JSON.stringify(wire.requests[1]?.body)).toContain('does not fit the schema');

    await expect(agent().generateObject('Who?', { schema: Person })).rejects.toMatchObject({
      code: 'OBJECT_NOT_GENERATED',
    });
    expect(wire.requests).toHaveLength(4);
  });
});
