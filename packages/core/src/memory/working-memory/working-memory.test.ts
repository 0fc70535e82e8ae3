import { silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Schema } from '../../schema/schema.ts';
import type { WorkingMemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

const profile = Type.Object(
  {
    name: Type.Optional(Type.String()),
    likes: Type.Optional(Type.Array(Type.String())),
    home: Type.Optional(Type.Object({ city: Type.String(), country: Type.Optional(Type.String()) })),
  },
  { additionalProperties: false },
);

const place = { conversationId: 'c1' };
const ada = { user: 'ada' };

async function memoryWith(workingMemory?: WorkingMemoryOptions, storage = createInMemoryStorage()): Promise<Memory> {
  const memory = createMemory({ storage, logger: silentLogger, ...(workingMemory && { workingMemory }) });
  const conversation = { userId: 'ada', resourceId: 'default', title: '', metadata: {} };
  for (const id of ['c1', 'c2']) await storage.conversations.create({ id, ...conversation });
  return memory;
}

async function contentOf(memory: Memory): Promise<unknown> {
  return (await memory.readWorkingMemory(ada, place)).content;
}

it('is empty before the first write, and replaces the content by default', async () => {
  const memory = await memoryWith({ template: '- Name:' });

  expect(await memory.readWorkingMemory(ada, place)).toEqual({
    content: null,
    scope: 'conversation',
    format: 'markdown',
    template: '- Name:',
    schema: null,
  });
  await memory.writeWorkingMemory(ada, { ...place, content: '- Name: Ada', mode: 'replace' });
  await memory.writeWorkingMemory(ada, { ...place, content: '- Name: Ada L.', mode: 'replace' });

  expect(await contentOf(memory)).toBe('- Name: Ada L.');
  expect((await memory.readWorkingMemory(ada, { conversationId: 'c2' })).content).toBeNull();
});

it('appends a text after a blank line', async () => {
  const memory = await memoryWith({});
  await memory.writeWorkingMemory(ada, { ...place, content: 'Likes tea.', mode: 'append' });
  await memory.writeWorkingMemory(ada, { ...place, content: 'Lives in Paris.', mode: 'append' });

  expect(await contentOf(memory)).toBe('Likes tea.\n\nLives in Paris.');
});

it('stores a text for each conversation when agents have no working memory', async () => {
  const memory = await memoryWith();
  await memory.writeWorkingMemory(ada, { ...place, content: 'From the app', mode: 'append' });

  expect(await contentOf(memory)).toBe('From the app');
  expect(memory.config['workingMemory']).toBeNull();
});

it('merges objects field by field, and joins lists without repeats', async () => {
  const memory = await memoryWith({ schema: profile });
  await memory.writeWorkingMemory(ada, { ...place, content: { name: 'Ada', likes: ['tea'] }, mode: 'append' });
  await memory.writeWorkingMemory(ada, {
    ...place,
    content: { home: { city: 'Paris' }, likes: ['maths', 'tea'] },
    mode: 'append',
  });
  await memory.writeWorkingMemory(ada, {
    ...place,
    content: { home: { city: 'Paris', country: 'FR' } },
    mode: 'append',
  });

  expect(await memory.readWorkingMemory(ada, place)).toEqual({
    content: { name: 'Ada', likes: ['tea', 'maths'], home: { city: 'Paris', country: 'FR' } },
    scope: 'conversation',
    format: 'json',
    template: null,
    schema: expect.objectContaining({ type: 'object', additionalProperties: false }),
  });
});

it('treats an object with another order of fields as repeated', async () => {
  const memory = await memoryWith({ schema: Type.Object({ list: Type.Array(Type.Unknown()) }) });
  await memory.writeWorkingMemory(ada, { ...place, content: { list: [{ a: 1, b: [2] }] }, mode: 'append' });
  await memory.writeWorkingMemory(ada, { ...place, content: { list: [{ b: [2], a: 1 }, 3] }, mode: 'append' });

  expect(await contentOf(memory)).toEqual({ list: [{ a: 1, b: [2] }, 3] });
});

it('merges a field of any name without changing prototypes', async () => {
  const memory = await memoryWith({ schema: Type.Object({}) });
  const content: never = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}') as never;
  await memory.writeWorkingMemory(ada, { ...place, content, mode: 'append' });
  await memory.writeWorkingMemory(ada, { ...place, content, mode: 'append' });

  expect(JSON.stringify(await contentOf(memory))).toBe('{"__proto__":{"polluted":true},"constructor":{"x":1}}');
  expect({}).not.toHaveProperty('polluted');
});

it.each<[string, WorkingMemoryOptions, unknown, string]>([
  ['an object for a text', {}, { name: 'Ada' }, 'body/content must be string'],
  ['nothing', {}, null, 'body/content must be string'],
  ['a text for an object', { schema: profile }, 'Ada', 'body/content must be object'],
  ['a list for an object', { schema: profile }, [], 'body/content must be object'],
  ['a field of another type', { schema: profile }, { name: 5 }, 'body/content/name must be string'],
  ['a field that is missing', { schema: profile }, { home: {} }, "must have required property 'city'"],
  ['what JSON cannot carry', { schema: profile }, { name: new Map() }, 'body/content holds a Map in "name"'],
])('refuses %s, and names the field', async (_, options, content, message) => {
  const memory = await memoryWith(options);
  const writing = memory.writeWorkingMemory(ada, { ...place, content: content as never, mode: 'replace' });

  await expect(writing).rejects.toMatchObject({
    kind: 'invalid-input',
    message: expect.stringContaining(message),
  });
  expect(await contentOf(memory)).toBeNull();
});

it('accepts the JSON text of an object', async () => {
  const memory = await memoryWith({ schema: profile });
  await memory.writeWorkingMemory(ada, { ...place, content: '{"name":"Ada"}', mode: 'replace' });

  expect(await contentOf(memory)).toEqual({ name: 'Ada' });
});

it('refuses a change whose merged result violates the schema', async () => {
  const memory = await memoryWith({ schema: Type.Object({ likes: Type.Array(Type.String(), { maxItems: 2 }) }) });
  await memory.writeWorkingMemory(ada, { ...place, content: { likes: ['a', 'b'] }, mode: 'append' });

  await expect(
    memory.writeWorkingMemory(ada, { ...place, content: { likes: ['c'] }, mode: 'append' }),
  ).rejects.toMatchObject({ kind: 'invalid-input', message: expect.stringContaining('body/content/likes') });
  expect(await contentOf(memory)).toEqual({ likes: ['a', 'b'] });
});

it.each<[string, Schema]>([
  ['answers at once', z.object({ likes: z.array(z.string()) })],
  ['takes its time', z.object({ likes: z.array(z.string()).refine(async (likes) => likes.length < 100) })],
])('loses none of many appends at the same time, with a schema that %s', async (_, schema) => {
  const memory = await memoryWith({ schema });
  const likes = Array.from({ length: 20 }, (__, index) => `thing ${index}`);

  await Promise.all(
    likes.map((like) => memory.writeWorkingMemory(ada, { ...place, content: { likes: [like] }, mode: 'append' })),
  );

  const content = z.object({ likes: z.array(z.string()) }).parse(await contentOf(memory));
  expect(content.likes.toSorted()).toEqual(likes.toSorted());
});

it('names the invalid field of an asynchronous schema', async () => {
  const memory = await memoryWith({ schema: z.object({ code: z.string().refine(async () => false, 'is no code') }) });

  await expect(
    memory.writeWorkingMemory(ada, { ...place, content: { code: 'x' }, mode: 'replace' }),
  ).rejects.toMatchObject({ kind: 'invalid-input', message: 'body/content/code: is no code' });
});

it('shows content of another format as far as possible, and lets it be replaced', async () => {
  const storage = createInMemoryStorage();
  const texts = await memoryWith({}, storage);
  const objects = createMemory({ storage, workingMemory: { schema: profile } });

  await texts.writeWorkingMemory(ada, { ...place, content: 'Likes tea.', mode: 'replace' });
  expect(await contentOf(objects)).toBeNull();
  await objects.writeWorkingMemory(ada, { ...place, content: { name: 'Ada' }, mode: 'append' });
  expect(await contentOf(objects)).toEqual({ name: 'Ada' });

  expect(await contentOf(texts)).toBe('{\n  "name": "Ada"\n}');
  await texts.writeWorkingMemory(ada, { ...place, content: 'Likes tea.', mode: 'append' });
  expect(await contentOf(texts)).toBe('{\n  "name": "Ada"\n}\n\nLikes tea.');
});

it('shares the working memory of a user among all conversations', async () => {
  const memory = await memoryWith({ scope: 'user' });
  await memory.writeWorkingMemory(ada, { ...place, userId: 'ada', content: 'Likes tea.', mode: 'replace' });

  expect(await memory.readWorkingMemory(ada, { conversationId: 'c2' })).toMatchObject({
    content: 'Likes tea.',
    scope: 'user',
  });
  expect(await memory.readWorkingMemory(ada, { ...place, scope: 'conversation' })).toMatchObject({
    content: null,
    scope: 'conversation',
  });
});

it('requires a userId for the scope `user`, which must be the user of the conversation', async () => {
  const memory = await memoryWith({});

  await expect(memory.readWorkingMemory('anyone', { ...place, scope: 'user' })).rejects.toMatchObject({
    kind: 'invalid-input',
    message: expect.stringContaining('userId'),
  });
  await expect(memory.readWorkingMemory('anyone', { ...place, userId: 'bob' })).rejects.toMatchObject({
    kind: 'invalid-input',
  });
  await expect(
    memory.writeWorkingMemory('anyone', { ...place, userId: 'bob', content: '', mode: 'replace' }),
  ).rejects.toMatchObject({ kind: 'invalid-input' });
});

it('treats a conversation of another owner like one that does not exist', async () => {
  const memory = await memoryWith({});
  const notFound = { code: 'CONVERSATION_NOT_FOUND' };

  await expect(memory.readWorkingMemory(ada, { conversationId: 'nope' })).rejects.toMatchObject(notFound);
  await expect(memory.readWorkingMemory({ user: 'bob' }, place)).rejects.toMatchObject(notFound);
  await expect(
    memory.writeWorkingMemory({ user: 'bob' }, { ...place, content: '', mode: 'replace' }),
  ).rejects.toMatchObject(notFound);
});

it('requires a schema of type object', () => {
  expect(() => createMemory({ workingMemory: { schema: Type.Array(Type.String()) } })).toThrow('of type object');
});

it.each<[string, WorkingMemoryOptions | undefined, unknown, unknown]>([
  ['a text', {}, 'Likes tea.', 'Likes maths.'],
  ['an object', { schema: profile }, { name: 'Ada', likes: ['tea'] }, { name: 'Bob' }],
])('writes %s only if the content is still the expected one', async (_, options, first, second) => {
  const memory = await memoryWith(options);
  const write = (content: unknown, expected: unknown) =>
    memory.writeWorkingMemory(ada, {
      ...place,
      mode: 'replace',
      content: content as never,
      expected: expected as never,
    });
  const changed = {
    kind: 'conflict',
    code: 'WORKING_MEMORY_CHANGED',
    message: 'The working memory has changed: read it again before you write',
  };

  await expect(write(first, second)).rejects.toMatchObject(changed);
  expect(await contentOf(memory)).toBeNull();
  await write(first, null);
  await expect(write(second, null)).rejects.toMatchObject(changed);
  expect(await contentOf(memory)).toEqual(first);
  await write(second, structuredClone(first));
  expect(await contentOf(memory)).toEqual(second);
  await write(first, undefined);
  expect(await contentOf(memory)).toEqual(first);
});

it('accepts one of two writes that expect the same content', async () => {
  const slow = z.object({ name: z.string().refine(async () => true) });
  const memory = await memoryWith({ schema: slow });
  const write = (name: string) =>
    memory.writeWorkingMemory(ada, { ...place, mode: 'replace', content: { name }, expected: null });

  const results = await Promise.allSettled([write('Ada'), write('Bob')]);

  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const written = results[0].status === 'fulfilled' ? 'Ada' : 'Bob';
  expect(await contentOf(memory)).toEqual({ name: written });
});

it('says which user it needs', async () => {
  const memory = await memoryWith({ scope: 'user' });

  await expect(memory.readWorkingMemory('anyone', { ...place, scope: 'user' })).rejects.toThrow(
    'userId is required with scope=user',
  );
  await expect(memory.readWorkingMemory('anyone', { ...place, userId: 'bob' })).rejects.toThrow(
    'userId must be the user of the conversation',
  );
  expect(await memory.readWorkingMemory('anyone', { ...place, scope: 'user', userId: 'ada' })).toMatchObject({
    scope: 'user',
  });
});

it('keeps the working memory of a user apart from that of a conversation', async () => {
  const memory = await memoryWith({});
  const ofUser = { ...place, scope: 'user', userId: 'ada' } as const;
  await memory.writeWorkingMemory(ada, { ...ofUser, content: 'Of Ada', mode: 'replace' });
  await memory.writeWorkingMemory(ada, { ...place, content: 'Of c1', mode: 'replace' });

  expect((await memory.readWorkingMemory(ada, { ...ofUser, conversationId: 'c2' })).content).toBe('Of Ada');
  expect(await contentOf(memory)).toBe('Of c1');
  expect((await memory.readWorkingMemory(ada, { conversationId: 'c2' })).content).toBeNull();
});

it('refuses a content that is too large, and says of what', async () => {
  const memory = createMemory({ limits: { workingMemoryBytes: 5 }, logger: silentLogger });
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'default', title: '', metadata: {} });
  await expect(
    memory.writeWorkingMemory(ada, { ...place, content: 'Likes tea.', mode: 'replace' }),
  ).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE', message: expect.stringContaining('the working memory has') });
  expect(await contentOf(memory)).toBeNull();
});
