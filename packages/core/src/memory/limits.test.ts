import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Agent } from '../agent/agent.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { defaultMemoryLimits } from './memory-options.ts';
import { createMemory } from './memory.ts';

const owner = { user: 'ada' };
const limits = { messageBytes: 2_000, metadataBytes: 100, titleBytes: 20, workingMemoryBytes: 50, pageBytes: 3_500 };
const conversation = { id: 'c1', resourceId: 'r', userId: 'ada', title: '', metadata: {} };

function text(id: string, length: number, role: 'user' | 'assistant' = 'user') {
  return { id, role, parts: [{ type: 'text' as const, text: 'x'.repeat(length) }] };
}

async function memoryWithConversation() {
  const memory = createMemory({ limits, logger: silentLogger });
  await memory.create(conversation);
  return memory;
}

it('refuses values above their limit, and writes nothing of them', async () => {
  const memory = await memoryWithConversation();
  const tooLarge = (message: string) => ({ code: 'VALUE_TOO_LARGE', kind: 'invalid-input', message });
  const metadata = { notes: 'x'.repeat(90) };
  const sizeOfMetadata = `metadata has ${JSON.stringify(metadata).length} bytes, and the limit is 100`;

  await expect(memory.create({ ...conversation, id: 'c2', metadata })).rejects.toMatchObject(tooLarge(sizeOfMetadata));
  await expect(memory.update(owner, 'c1', { metadata })).rejects.toMatchObject(tooLarge(sizeOfMetadata));
  await expect(memory.update(owner, 'c1', { title: 'ä'.repeat(10) })).rejects.toMatchObject(
    tooLarge('title has 22 bytes, and the limit is 20'),
  );
  await expect(memory.save(owner, 'c1', [text('small', 10), text('large', 2_000)])).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    message: expect.stringContaining('message "large" has 2'),
  });
  await expect(memory.get(owner, 'c2')).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  expect(await memory.messages(owner, 'c1', { limit: 9 })).toMatchObject({
    conversation: { title: '', metadata: {} },
    messages: [],
  });
});

it('refuses to clone a conversation that is too large with its messages, and clones it without them', async () => {
  const memory = createMemory({ limits: { clonedMessages: 3, clonedBytes: 5_000 }, logger: silentLogger });
  await memory.create(conversation);
  for (const id of ['m1', 'm2', 'm3']) await memory.save(owner, 'c1', [text(id, 500)]);
  const clone = { id: 'c1', newId: 'c2', includeMessages: true };
  expect(await memory.clone(owner, clone)).toMatchObject({ messageCount: 3 });

  await memory.save(owner, 'c1', [text('m4', 1)]);
  const message =
    'conversation "c1" is too large to be copied with its messages: the limit is 3 messages and 5000 bytes';
  const tooLarge = { code: 'VALUE_TOO_LARGE', kind: 'invalid-input', message };
  await expect(memory.clone(owner, { ...clone, newId: 'c3' })).rejects.toMatchObject(tooLarge);
  await memory.deleteMessages(owner, 'c1', ['m4']);
  await memory.save(owner, 'c1', [text('m3', 10_000)]);
  await expect(memory.clone(owner, { ...clone, newId: 'c3' })).rejects.toMatchObject(tooLarge);
  expect(await memory.clone(owner, { ...clone, newId: 'c3', includeMessages: false })).toMatchObject({
    messageCount: 0,
  });
});

it('refuses a working memory that grows beyond its limit by appending', async () => {
  const memory = await memoryWithConversation();
  const append = { conversationId: 'c1', content: 'x'.repeat(20), mode: 'append' } as const;
  await memory.writeWorkingMemory(owner, append);
  await memory.writeWorkingMemory(owner, append);
  const before = await memory.readWorkingMemory(owner, append);
  await expect(memory.writeWorkingMemory(owner, append)).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' });
  expect(await memory.readWorkingMemory(owner, append)).toEqual(before);
});

it('ends pages of messages and prompts where they would be too large', async () => {
  const storage = createInMemoryStorage();
  const memory = createMemory({ storage, limits, logger: silentLogger });
  await memory.create(conversation);
  for (let index = 0; index < 6; index += 1)
    await memory.save(owner, 'c1', [text(`q${index}`, 600), text(`a${index}`, 300, 'assistant')]);

  const page = await memory.messages(owner, 'c1', { limit: 100 });
  expect(page.hasMore).toBe(true);
  expect(page.messages.map(({ id }) => id)).toEqual(['q4', 'a4', 'q5', 'a5']);

  const model = scriptedModel('Hello.');
  const agent = new Agent({ id: 'helper', model, memory });
  await agent.generateText('Next?', { userId: 'ada', conversationId: 'c1', contextLimit: 1_000 });
  const prompt = model.calls[0]?.prompt.filter(({ role }) => role !== 'system') ?? [];
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
});

it('fails a run whose answer is too large to be stored, and says why', async () => {
  const memory = await memoryWithConversation();
  const read = createTool({
    name: 'read',
    description: 'Reads a file',
    input: z.object({}),
    execute: () => ({ contents: 'x'.repeat(3_000) }),
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'read', input: {} }] }, 'Done.');
  const agent = new Agent({ id: 'helper', model, memory, tools: [read] });
  await expect(agent.generateText('Read it', { userId: 'ada', conversationId: 'c1' })).rejects.toMatchObject({
    code: 'VALUE_TOO_LARGE',
    kind: 'failed',
  });
});

it('deletes and changes messages that are larger than a page together', async () => {
  const memory = await memoryWithConversation();
  const ids = ['m1', 'm2', 'm3', 'm4'];
  for (const id of ids) await memory.save(owner, 'c1', [text(id, 1_500)]);
  await memory.save(
    owner,
    'c1',
    ids.map((id) => text(id, 1_600)),
  );
  expect(await memory.deleteMessages(owner, 'c1', ids)).toBe(4);
});

it('accepts other limits, and refuses impossible ones', () => {
  expect(createMemory({ limits: { pageBytes: 1_000 } }).settings.limits).toEqual({
    ...defaultMemoryLimits,
    pageBytes: 1_000,
  });
  expect(() => createMemory({ limits: { pageBytes: -1 } })).toThrow('limits.pageBytes of a memory must be an integer');
});
