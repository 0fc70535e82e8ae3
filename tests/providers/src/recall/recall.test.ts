import type { Storage } from '@halyard/contracts';
import { Agent, createMemory, type Memory, type RunOptions, type SemanticRecallOptions } from '@halyard/core';
import { fixedClock, scriptedModel, silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { wordEmbedding } from './word-embedding.ts';
import { WordVectors } from './word-vectors.ts';

let words: WordVectors;
beforeAll(() => {
  words = new WordVectors();
});

let storage: Storage;
let memory: Memory;
const model = scriptedModel('I see.');

function agentWithRecall(semanticRecall: SemanticRecallOptions, contextLimit = 2): Agent {
  storage = createInMemoryStorage({ clock: fixedClock() });
  memory = createMemory({
    storage,
    contextLimit,
    semanticRecall,
    embedding: wordEmbedding(words),
    vectors: createInMemoryVectorStore(),
    logger: silentLogger,
  });
  return new Agent({ id: 'helper', model, memory });
}

let agent: Agent;
beforeEach(() => {
  agent = agentWithRecall({});
});

/** The prompt of the model, one line for each message. */
async function promptFor(text: string, conversationId: string, options: RunOptions = {}): Promise<readonly string[]> {
  await agent.generateText(text, {
    userId: 'ada',
    conversationId,
    services: { logger: silentLogger },
    ...options,
  });
  await memory.flush();
  return (model.calls.at(-1)?.prompt ?? []).map(({ role, content }) => {
    const parts = typeof content === 'string' ? [{ text: content }] : content;
    return `${role}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`;
  });
}

async function talk(conversationId: string): Promise<void> {
  await promptFor('I am allergic to peanuts and walnuts.', conversationId);
  await promptFor('My sister plays the violin in an orchestra.', conversationId);
  await promptFor('The train to Vienna was late again.', conversationId);
}

const peanuts = '[2026-01-01T00:00:00.000Z, user] I am allergic to peanuts and walnuts.';

it('recalls an old message that is relevant, and no others', async () => {
  await talk('c1');

  const prompt = await promptFor('Can my dinner contain almonds, cashews or pistachios?', 'c1');

  expect(prompt).toEqual([
    'user: The train to Vienna was late again.',
    'assistant: I see.',
    expect.stringContaining(peanuts),
    'user: Can my dinner contain almonds, cashews or pistachios?',
  ]);
  expect(prompt.join()).not.toContain('violin');
});

it('recalls nothing when no message is relevant', async () => {
  await talk('c1');

  expect(await promptFor('Explain quantum gravity.', 'c1')).toEqual([
    'user: The train to Vienna was late again.',
    'assistant: I see.',
    'user: Explain quantum gravity.',
  ]);
});

it('recalls messages of other conversations of the user when the scope is the user', async () => {
  agent = agentWithRecall({ scope: 'user', mergeStrategy: 'prepend' });
  await talk('c1');

  const prompt = await promptFor('Who in my family performs music on the cello or the piano?', 'c2');

  expect(prompt).toHaveLength(2);
  expect(prompt[0]).toContain('in another conversation] My sister plays the violin in an orchestra.');
  expect(await promptFor('Who plays the cello in the orchestra?', 'c3', { userId: 'bob' })).toEqual([
    'user: Who plays the cello in the orchestra?',
  ]);
});

it('uses the options of the request', async () => {
  await talk('c1');
  const options = { semanticMemory: { enabled: false } };
  const off = await promptFor('Can I eat almonds and cashews?', 'c1', { memory: { options } });
  expect(off.join()).not.toContain('peanuts');

  const high = { semanticMemory: { semanticThreshold: 0.99 } };
  const nothing = await promptFor('Are pistachios and hazelnuts fine?', 'c1', { memory: { options: high } });
  expect(nothing.join()).not.toContain('peanuts');

  const first = { semanticMemory: { mergeStrategy: 'prepend', semanticLimit: 1 } } as const;
  const prompt = await promptFor('And almonds, cashews or pistachios?', 'c1', { memory: { options: first } });
  expect(prompt[0]).toContain('Recalled');
});

it('does not recall deleted messages', async () => {
  await talk('c1');
  const { messages } = await memory.messages('anyone', 'c1', { limit: 100 });
  await memory.deleteMessages(
    'anyone',
    'c1',
    messages.slice(0, 1).map(({ id }) => id),
  );

  const prompt = await promptFor('Can my dinner contain almonds, cashews or pistachios?', 'c1');
  expect(prompt.join()).not.toContain('peanuts');
});
