import { type Message, type Owner, silentLogger, type StoredMessage } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { fixedClock } from '../../testing/fixed-clock.ts';
import { keywordEmbedding } from '../../testing/keyword-embedding.ts';
import type { SemanticRecallOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';
import type { RecallRequest } from './recall.ts';

const ada: Owner = { user: 'ada' };

/**
 * Two conversations with a message each minute. The window has the last two messages of the first
 * one.
 */
async function createRecall(
  semanticRecall: SemanticRecallOptions = {},
  embedding = keywordEmbedding(['tea', 'maths']),
): Promise<{
  memory: Memory;
  embedding: typeof embedding;
  ask: (request?: Partial<RecallRequest>) => Promise<string[]>;
}> {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const memory = createMemory({
    storage,
    vectors: createInMemoryVectorStore(),
    embedding,
    semanticRecall,
    logger: silentLogger,
  });
  for (const id of ['c1', 'c2']) {
    await memory.create({ id, userId: 'ada', resourceId: 'default', title: '', metadata: {} });
  }
  const storedMessages: [string, string, Message['role'], string][] = [
    ['c1', 'm1', 'user', 'I like tea'],
    ['c1', 'm2', 'assistant', 'tea and maths'],
    ['c2', 'n1', 'user', 'tea elsewhere'],
    ['c1', 'm3', 'user', 'maths'],
    ['c2', 'n2', 'user', 'tea later, elsewhere'],
    ['c1', 'm4', 'assistant', 'tea again'],
  ];
  for (const [conversation, id, role, text] of storedMessages) {
    clock.advance(60_000);
    await memory.save(ada, conversation, [{ id, role, parts: [{ type: 'text', text }] }]);
  }
  await memory.flush();
  const { messages } = await memory.messages(ada, 'c1', { limit: 2 });
  const ask = async (request: Partial<RecallRequest> = {}): Promise<string[]> => {
    const prompt = await memory.recall(ada, {
      text: 'More tea?',
      conversationId: 'c1',
      userId: 'ada',
      window: messages,
      hasOlder: true,
      settings: memory.settings.semanticRecall,
      logger: silentLogger,
      ...request,
    });
    return prompt.map(textOf);
  };
  return { memory, embedding, ask };
}

function textOf({ role, parts }: Message): string {
  return `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : part.type)).join()}`;
}

const header = 'user: Recalled from earlier messages, because it may matter now (answer what comes after it):';
const m1 = '[2026-01-01T00:01:00.000Z, user] I like tea';
const m2 = '[2026-01-01T00:02:00.000Z, assistant] tea and maths';
const n1 = '[2026-01-01T00:03:00.000Z, user, in another conversation] tea elsewhere';
const n2 = '[2026-01-01T00:05:00.000Z, user, in another conversation] tea later, elsewhere';
const window = ['user: maths', 'assistant: tea again'];

it('recalls messages that are similar to the input, with their time, and none of the window', async () => {
  expect(await (await createRecall()).ask()).toEqual([...window, `${header}\n${m1}\n${m2}`]);
});

it('recalls the best matches, within the limit and the threshold', async () => {
  expect(await (await createRecall({ semanticLimit: 1 })).ask()).toEqual([...window, `${header}\n${m1}`]);
  expect(await (await createRecall({ semanticThreshold: 0.9 })).ask()).toEqual([...window, `${header}\n${m1}`]);
  expect(await (await createRecall({ semanticLimit: 0 })).ask()).toEqual(window);
});

it('recalls from all conversations of the user with the scope `user`', async () => {
  const { ask } = await createRecall({ scope: 'user', semanticThreshold: 0.9 });

  expect(await ask()).toEqual([...window, `${header}\n${m1}\n${n1}\n${n2}`]);
  expect(await ask({ window: [], hasOlder: false, exclude: ['m4'] })).toEqual([`${header}\n${m1}\n${n1}\n${n2}`]);
});

it.each([
  ['append', [...window, `${header}\n${m1}\n${n1}\n${n2}`]],
  ['prepend', [`${header}\n${m1}\n${n1}\n${n2}`, ...window]],
  ['interleave', [`${header}\n${m1}\n${n1}`, 'user: maths', `${header}\n${n2}`, 'assistant: tea again']],
] as const)('places recalled messages according to the strategy %s', async (mergeStrategy, expected) => {
  const { ask } = await createRecall({ scope: 'user', semanticThreshold: 0.9, mergeStrategy });

  expect(await ask()).toEqual(expected);
});

it('puts messages that are newer than the window after it with the strategy `interleave`', async () => {
  const { memory, ask } = await createRecall({ scope: 'user', mergeStrategy: 'interleave', semanticThreshold: 0.9 });
  const { messages } = await memory.messages(ada, 'c1', { limit: 10 });
  const older: readonly StoredMessage[] = messages.slice(0, 1);

  expect(await ask({ window: older, exclude: ['m4'] })).toEqual(['user: I like tea', `${header}\n${n1}\n${n2}`]);
  expect(await ask({ window: [], exclude: ['m4'] })).toEqual([`${header}\n${m1}\n${n1}\n${n2}`]);
});

it('does not search when the window is the whole conversation, the input is empty, or recall is off', async () => {
  const { embedding, ask, memory } = await createRecall();
  const calls = embedding.calls.length;

  expect(await ask({ hasOlder: false })).toEqual(window);
  expect(await ask({ text: ' ' })).toEqual(window);
  expect(await ask({ settings: { ...memory.settings.semanticRecall, enabled: false } })).toEqual(window);
  expect(await ask({ settings: { ...memory.settings.semanticRecall, semanticLimit: 0 } })).toEqual(window);
  expect(embedding.calls).toHaveLength(calls);
});

it('returns the window when the model or the vector store fails', async () => {
  const warnings: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
  const model = keywordEmbedding(['tea', 'maths']);
  const failing = { ...model, doEmbed: () => Promise.reject(new Error('away')) };

  expect(await (await createRecall({}, failing)).ask({ logger })).toEqual(window);
  expect(warnings).toMatchObject([{ err: { code: 'EMBEDDING_FAILED' }, conversationId: 'c1' }]);
});

it('does not embed the text of a query again', async () => {
  const { memory, embedding, ask } = await createRecall();
  const calls = embedding.calls.length;
  await ask();
  await ask();
  await memory.save(ada, 'c1', [{ id: 'm5', role: 'user', parts: [{ type: 'text', text: 'More tea?' }] }]);
  await memory.flush();

  expect(embedding.calls.slice(calls)).toEqual([['More tea?']]);
  expect(await memory.search(ada, { query: 'tea', conversationId: 'c1', limit: 9, threshold: 0.9 })).toHaveLength(3);
});

it('recalls nothing without an embedding model', async () => {
  const memory = createMemory();
  const { settings } = memory;

  expect(settings.semanticRecall.enabled).toBe(false);
  expect(
    await memory.recall(ada, {
      text: 'tea',
      conversationId: 'c1',
      userId: 'ada',
      window: [],
      hasOlder: true,
      settings: { ...settings.semanticRecall, enabled: true },
      logger: silentLogger,
    }),
  ).toEqual([]);
});

it('recalls a message of another conversation that has the id of one in the window', async () => {
  const { ask, memory } = await createRecall({ scope: 'user', semanticThreshold: 0.9, semanticLimit: 1 });
  await memory.save(ada, 'c2', [{ id: 'm4', role: 'user', parts: [{ type: 'text', text: 'More tea?' }] }]);
  await memory.delete(ada, 'c1');
  await memory.deleteMessages(ada, 'c2', ['n1', 'n2']);
  await memory.flush();

  expect(await ask()).toEqual([
    ...window,
    expect.stringMatching(/^user: Recalled .*\n.*another conversation\] More tea\?$/),
  ]);
});

it('finds enough where the best matches are in the window', async () => {
  const { ask, memory } = await createRecall({ semanticLimit: 1 });
  const { messages } = await memory.messages(ada, 'c1', { limit: 9 });
  const best = messages.filter(({ id }) => ['m1', 'm4'].includes(id));

  expect(await ask({ window: best })).toEqual(['user: I like tea', 'assistant: tea again', `${header}\n${m2}`]);
});

it('gives recalled messages the id of the first one', async () => {
  const { memory } = await createRecall();
  const recalled = await memory.recall(ada, {
    text: 'More tea?',
    conversationId: 'c1',
    userId: 'ada',
    window: [],
    hasOlder: true,
    settings: memory.settings.semanticRecall,
    logger: silentLogger,
  });
  expect(recalled.map(({ id }) => id)).toEqual(['recalled-m1']);
});
