import type { JsonObject, JsonValue } from '@halyard/contracts';
import { silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeObjects } from '../../schema/close-objects.ts';
import type { JsonSchema, Schema } from '../../schema/schema.ts';
import { createMemory, type Memory } from '../memory.ts';
import { schemaFormat } from './schema-format.ts';

const text = z.string();
const person = z.object({ name: text, role: text.optional() });
const notesSchema = z.object({
  name: text.optional(),
  age: z.int().optional(),
  language: text.default('en'),
  nickname: text.nullish(),
  allergies: z.array(text).optional(),
  people: z.array(person).nullable().optional(),
  home: z.object({ city: text, zip: text.optional() }).optional(),
  habits: z.record(z.string(), z.array(text)).optional(),
});

async function update(stored: JsonObject, input: JsonObject, schema: Schema = notesSchema): Promise<JsonValue[]> {
  const { change, reply } = await schemaFormat(schema).updateFromTool(stored, input, 'input');
  return [change(stored), reply];
}

describe('an update of the notes by a model', () => {
  it.each<readonly [string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ['sets a field', { age: 7 }, { name: 'Ada' }, { age: 7, name: 'Ada' }, { changed: ['name'] }],
    ['removes a field', { name: 'Ada', age: 7 }, { age: null }, { name: 'Ada' }, { changed: [], removed: ['age'] }],
    [
      'sets some and removes others',
      { age: 7 },
      { name: 'Ada', age: null, allergies: null },
      { name: 'Ada' },
      { changed: ['name'], removed: ['age'] },
    ],
    [
      'removes a field that has a default',
      { language: 'fr' },
      { language: null },
      {},
      { changed: [], removed: ['language'] },
    ],
    [
      'removes a field that can also be null',
      { nickname: 'A' },
      { nickname: null },
      {},
      { changed: [], removed: ['nickname'] },
    ],
    [
      'replaces a list',
      { allergies: ['nuts', 'milk'] },
      { allergies: ['milk'] },
      { allergies: ['milk'] },
      { changed: ['allergies'] },
    ],
    ['empties a list', { allergies: ['nuts'] }, { allergies: [] }, { allergies: [] }, { changed: ['allergies'] }],
    [
      'adds and removes single items of a list',
      { allergies: ['nuts', 'milk'] },
      { allergies: { add: ['soy', 'milk'], remove: ['nuts', 'eggs'] } },
      { allergies: ['milk', 'soy'] },
      { changed: ['allergies'] },
    ],
    [
      'adds to a list that is new',
      {},
      { allergies: { add: ['soy'] } },
      { allergies: ['soy'] },
      { changed: ['allergies'] },
    ],
    [
      'changes an object in a list, and removes another in any order of its fields',
      { people: [{ name: 'Bo' }, { name: 'Cy', role: 'cook' }] },
      { people: { add: [{ name: 'Bo', role: 'boss' }], remove: [{ name: 'Bo' }, { role: 'cook', name: 'Cy' }] } },
      { people: [{ name: 'Bo', role: 'boss' }] },
      { changed: ['people'] },
    ],
    [
      'leaves out null in the objects of a list, which strict modes demand',
      {},
      { people: [{ name: 'Bo', role: null }] },
      { people: [{ name: 'Bo' }] },
      { changed: ['people'] },
    ],
    [
      'changes one field of a nested object',
      { home: { city: 'Oslo', zip: '1' } },
      { home: { city: 'Rome' } },
      { home: { city: 'Rome', zip: '1' } },
      { changed: ['home'] },
    ],
    [
      'removes a field of a nested object',
      { home: { city: 'Oslo', zip: '1' } },
      { home: { zip: null } },
      { home: { city: 'Oslo' } },
      { changed: ['home'] },
    ],
    [
      'changes the fields of any name that a record has',
      { habits: { tea: ['hot'], jazz: [] } },
      { habits: { tea: { add: ['black'], remove: [] }, jazz: null, walks: ['long'] } },
      { habits: { tea: ['hot', 'black'], walks: ['long'] } },
      { changed: ['habits'] },
    ],
    [
      'drops fields that the schema does not have, at any depth',
      {},
      { name: 'Ada', invented: { junk: 1 }, home: { city: 'Rome', 'a/b': 1 }, people: [{ name: 'Bo', x: 1 }] },
      { name: 'Ada', home: { city: 'Rome' }, people: [{ name: 'Bo' }] },
      { changed: ['name', 'home', 'people'], unknown: ['invented', 'home/a~1b', 'people/0/x'] },
    ],
    [
      'keeps the fields that fit when others do not',
      { age: 7 },
      { name: 'Ada', age: 'seven', home: { zip: '1' } },
      { age: 7, name: 'Ada' },
      {
        changed: ['name'],
        refused: [
          { field: 'age', reason: expect.stringMatching(/^input\/age: /) },
          { field: 'home', reason: expect.stringMatching(/^input\/home\/city: /) },
        ],
      },
    ],
  ])('%s', async (_, stored, input, content, reply) => {
    expect(await update(stored, input)).toEqual([content, { updated: true, ...reply }]);
  });

  it.each<readonly [string, JsonObject, JsonObject, JsonObject]>([
    [
      'what is noted already',
      { name: 'Ada', people: [{ name: 'Bo', role: 'boss' }] },
      { people: [{ role: 'boss', name: 'Bo' }], name: 'Ada' },
      {},
    ],
    [
      'the removal of what is not noted',
      {},
      { name: null, allergies: { add: [], remove: ['nuts'] }, language: null },
      {},
    ],
    ['only unknown fields', { name: 'Ada' }, { invented: 1 }, { unknown: ['invented'] }],
  ])('says that nothing has changed: %s', async (_, stored, input, reply) => {
    const [, given] = await update(stored, input);
    expect(given).toEqual({ updated: false, changed: [], ...reply });
  });

  it('refuses to remove a required field, and null only where it is no value', async () => {
    const schema = Type.Object({ name: Type.String(), age: Type.Union([Type.Integer(), Type.Null()]) });
    const stored = { name: 'Ada', age: 7 };

    expect(await update(stored, { age: null, name: null }, schema)).toEqual([
      { name: 'Ada', age: null },
      { updated: true, changed: ['age'], refused: [{ field: 'name', reason: 'input/name must be string' }] },
    ]);
    await expect(update(stored, { name: null }, schema)).rejects.toThrow('input/name must be string');
    await expect(update({}, { age: 7 }, schema)).rejects.toThrow("must have required property 'name'");
  });

  it('takes fields as they come where the schema is open, or describes them by references', async () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        free: { type: 'object' },
        open: { type: 'object', properties: { a: {} }, additionalProperties: true },
        tree: { $ref: '#/definitions/tree' },
        any: true,
      },
      definitions: { tree: { type: 'object', properties: { left: { $ref: '#/definitions/tree' } } } },
    };
    const input = { free: { a: [1] }, open: { a: 1, b: 2 }, tree: { left: {}, more: 1 }, any: { add: [1] } };

    expect((await update({ tree: { right: 1 } }, input, schema))[0]).toEqual(input);
  });

  it('adds a field of any name without changing prototypes', async () => {
    const schema: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };
    const input = JSON.parse('{"__proto__":"a","constructor":"b"}') as JsonObject;
    const [content] = await update({}, input, schema);

    expect(JSON.stringify(content)).toBe('{"__proto__":"a","constructor":"b"}');
  });

  it('refuses more than a hundred fields together', async () => {
    const schema: JsonSchema = { type: 'object', additionalProperties: { type: 'integer' } };
    const fields = Array.from({ length: 101 }, (_, index): [string, JsonValue] => [`f${index}`, index || 'none']);

    await expect(update({}, Object.fromEntries(fields), schema)).rejects.toThrow('input/f0 must be integer');
    expect((await update({}, Object.fromEntries(fields.slice(0, 100)), schema))[1]).toMatchObject({ updated: true });
  });
});

describe('the tool that updates the notes', () => {
  async function toolOf(
    schema: Schema,
  ): Promise<{ memory: Memory; input: JsonSchema; write: (input: JsonObject) => Promise<unknown> }> {
    const storage = createInMemoryStorage();
    const memory = createMemory({ storage, logger: silentLogger, workingMemory: { schema } });
    await memory.create({ id: 'c1', userId: 'ada', resourceId: 'default', title: '', metadata: {} });
    const run = { conversationId: 'c1', userId: 'ada', readOnly: false };
    const tool = (await memory.workingMemory.forRun('anyone', run))?.tools[1];
    if (tool === undefined) throw new Error('expected a tool');
    const context = {
      toolCallId: 'call-1',
      toolName: tool.name,
      signal: new AbortController().signal,
      idempotencyKey: 'key',
      context: {},
      logger: silentLogger,
      writer: { write: async () => {} },
      ...run,
    };
    return {
      memory,
      input: closeObjects(tool.input.jsonSchema),
      write: async (input) => tool.execute(input, context),
    };
  }

  it.each([
    ['zod', notesSchema],
    ['TypeBox', Type.Object({ name: Type.String(), tags: Type.Optional(Type.Array(Type.String({ default: 'x' }))) })],
  ])('has an input that strict modes accept: a schema of %s', async (_, schema) => {
    const { input } = await toolOf(schema);
    const keywords = new Set<string>();
    const types = new Set<unknown>();
    JSON.stringify(input, (key, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
        for (const keyword of Object.keys(value)) keywords.add(keyword);
        types.add(value.type);
        if (value.type === 'object' && 'properties' in value)
          expect(value).toMatchObject({ additionalProperties: false });
      }
      return value;
    });

    const known = ['additionalProperties', 'default', 'description', 'items', 'maximum', 'minimum', 'properties'];
    const inSchema = ['$schema', 'propertyNames', 'required', 'type'];
    expect([...keywords].filter((keyword) => ![...known, ...inSchema].includes(keyword))).toEqual([]);
    expect(input).not.toHaveProperty('anyOf');
  });

  it('offers null for what can be removed, and changes of the items of a list', async () => {
    const schema = z.object({
      name: text.describe('First name'),
      likes: z.array(text).optional(),
      home: z.object({ city: text }).nullable(),
    });
    const item = { type: 'array', items: { type: 'string' } };

    expect((await toolOf(schema)).input['properties']).toEqual({
      name: { type: 'string', description: 'First name' },
      likes: {
        anyOf: [
          item,
          {
            type: 'object',
            description: expect.stringMatching(/^Adds and removes items/),
            properties: { add: item, remove: item },
            required: ['add', 'remove'],
            additionalProperties: false,
          },
          { type: 'null' },
        ],
      },
      home: {
        anyOf: [
          { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
          { type: 'null' },
        ],
      },
    });
  });

  it.each([
    ['at once', notesSchema],
    ['after a while', notesSchema.refine(async (notes) => Promise.resolve(notes.name !== 'nobody'))],
  ])('loses none of many updates at the same time, with a schema that answers %s', async (_, schema) => {
    const { memory, write } = await toolOf(schema);
    await write({ allergies: ['nuts'], age: 7 });
    const added = Array.from({ length: 20 }, (_item, index) => `a${index}`);

    await Promise.all([
      ...added.map((item) => write({ allergies: { add: [item], remove: ['nuts'] } })),
      write({ name: 'Ada' }),
      write({ age: null }),
      memory.writeWorkingMemory('anyone', { conversationId: 'c1', mode: 'append', content: { allergies: ['http'] } }),
    ]);

    const { content } = await memory.readWorkingMemory('anyone', { conversationId: 'c1' });
    expect(content).toEqual({ name: 'Ada', allergies: expect.arrayContaining([...added, 'http']) });
    expect(JSON.stringify(content)).not.toContain('nuts');
  });
});
