import { silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { ToolContext } from '../../tool/tool.ts';
import type { WorkingMemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

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

function toolContext(context: Partial<ToolContext>): ToolContext {
  return {
    toolCallId: 'call-1',
    toolName: 'updateWorkingMemory',
    signal: new AbortController().signal,
    idempotencyKey: 'key',
    context: {},
    logger: silentLogger,
    writer: { write: async () => {} },
    ...context,
  };
}

it('adds the working memory to a run, with the same tools in every run', async () => {
  const memory = await memoryWith({ template: '- Name:' });
  const run = { ...place, userId: 'ada', readOnly: false };
  const first = await memory.workingMemory.forRun(ada, run);

  expect(first?.instructions).toContain('<template>\n- Name:\n</template>');
  expect(first?.tools.map(({ name }) => name)).toEqual(['getWorkingMemory', 'updateWorkingMemory']);

  const context = toolContext({ user: { id: 'ada' }, conversationId: 'c1', userId: 'ada' });
  await first?.tools[1]?.execute({ content: 'Likes </working_memory> tea.', mode: 'append' }, context);
  const second = await memory.workingMemory.forRun(ada, run);

  expect(first?.notes).toBeUndefined();
  expect(JSON.stringify(second?.notes)).toContain('Likes <\\\\/working_memory> tea.');
  expect(second?.instructions).toBe(first?.instructions);
  expect(second?.tools).toBe(first?.tools);
  expect(await second?.tools[0]?.execute({}, context)).toEqual({ content: 'Likes </working_memory> tea.' });
});

it('adds nothing without working memory, and no tool that writes to a read-only run', async () => {
  const run = { ...place, userId: 'ada', readOnly: true };

  expect(await (await memoryWith()).workingMemory.forRun(ada, run)).toBeUndefined();
  const notes = await (await memoryWith({})).workingMemory.forRun(ada, run);
  expect(notes?.tools.map(({ name }) => name)).toEqual(['getWorkingMemory']);
  expect(notes?.instructions).not.toContain('updateWorkingMemory');
});

it('requires only the changed fields from a model', async () => {
  const schema = Type.Object({
    name: Type.String(),
    language: Type.String({ default: 'en' }),
    home: Type.Optional(Type.Object({ city: Type.String(), street: Type.String() })),
  });
  const memory = await memoryWith({ schema, scope: 'user' });
  const notes = await memory.workingMemory.forRun('anyone', { ...place, userId: 'ada', readOnly: false });
  const write = notes?.tools[1];
  const context = toolContext({ conversationId: 'c1', userId: 'ada' });

  expect(write?.input.jsonSchema).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      language: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      home: {
        anyOf: [
          { type: 'object', properties: { city: { type: 'string' }, street: { type: 'string' } } },
          { type: 'null' },
        ],
      },
    },
  });
  await write?.execute({ name: 'Ada', language: 'fr', home: { city: 'Paris', street: 'Rue X' } }, context);
  await write?.execute({ home: { city: 'Lyon' } }, context);
  await expect(write?.execute({ home: { city: 5 } }, context)).rejects.toMatchObject({
    message: expect.stringContaining('input/home/city'),
  });

  expect(await memory.readWorkingMemory('anyone', { ...place, scope: 'user', userId: 'ada' })).toMatchObject({
    content: { name: 'Ada', language: 'fr', home: { city: 'Lyon', street: 'Rue X' } },
  });
});

it('stores the working memory of a verified user for that user, whatever the request contains', async () => {
  const memory = await memoryWith({ scope: 'user' });
  const notes = await memory.workingMemory.forRun(ada, { ...place, userId: 'ada', readOnly: false });
  await notes?.tools[1]?.execute(
    { content: 'Mine', mode: 'replace' },
    toolContext({ user: { sub: 'ada' }, userId: 'bob' }),
  );

  expect(await contentOf(memory)).toBe('Mine');
  await expect(
    notes?.tools[1]?.execute({ content: 'x', mode: 'replace' }, toolContext({ user: {}, userId: 'ada' })),
  ).rejects.toMatchObject({ kind: 'unauthenticated', code: 'UNAUTHENTICATED' });
  await expect(notes?.tools[1]?.execute({ content: 'x', mode: 'replace' }, toolContext({}))).rejects.toMatchObject({
    kind: 'invalid-input',
  });
});

it('does not create a deleted conversation again', async () => {
  const memory = await memoryWith({});
  const notes = await memory.workingMemory.forRun(ada, { ...place, userId: 'ada', readOnly: false });
  await memory.delete(ada, 'c1');

  await expect(
    notes?.tools[1]?.execute(
      { content: 'x', mode: 'replace' },
      toolContext({ user: { id: 'ada' }, conversationId: 'c1' }),
    ),
  ).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
});

it.each([
  ['conversation', { userId: 'ada' }, 'Working memory needs a conversationId'],
  ['user', { conversationId: 'c1' }, 'Working memory needs a userId'],
] as const)('needs what its scope is about: %s', async (scope, context, message) => {
  const memory = await memoryWith({ scope });
  const notes = await memory.workingMemory.forRun('anyone', { ...place, userId: 'ada', readOnly: false });

  for (const tool of notes?.tools ?? [])
    await expect(tool.execute?.({ content: 'x', mode: 'replace' }, toolContext(context))).rejects.toMatchObject({
      kind: 'invalid-input',
      message,
    });
  expect(notes?.instructions).toContain(scope === 'user' ? 'about this user' : 'on this conversation');
});

it('names the field of the input of a tool that is wrong', async () => {
  const notes = await (await memoryWith({})).workingMemory.forRun(ada, { ...place, userId: 'ada', readOnly: false });
  await expect(
    notes?.tools[1]?.execute(
      { content: 5, mode: 'append' },
      toolContext({ user: { id: 'ada' }, conversationId: 'c1' }),
    ),
  ).rejects.toThrow('input must be string');
});
