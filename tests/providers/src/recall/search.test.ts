import { createMemory, type Memory } from '@halyard/core';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { beforeAll, expect, it } from 'vitest';
import { corpus, type Topic } from './corpus.ts';
import { wordEmbedding } from './word-embedding.ts';
import { WordVectors } from './word-vectors.ts';

const ada = { user: 'ada' };
const topicOf = new Map<string, string>(
  Object.entries(corpus).flatMap(([topic, sentences]) => sentences.map((sentence) => [sentence, topic])),
);

let memory: Memory;
beforeAll(async () => {
  memory = createMemory({ embedding: wordEmbedding(new WordVectors()), vectors: createInMemoryVectorStore() });
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'default', title: '', metadata: {} });
  const messages = [...topicOf.keys()].map((text, index) => ({
    id: `m${index}`,
    role: 'user' as const,
    parts: [{ type: 'text' as const, text }],
  }));
  await memory.save(ada, 'c1', messages);
  await memory.flush();
});

/** No question has a significant word in common with the sentences it must find. */
const questions: readonly [question: string, topic: Topic, best: string][] = [
  ['Which recipe uses onions and cheese?', 'cooking', 'Add garlic and olive oil to the tomato sauce.'],
  ['Which dish was cooked in the oven?', 'cooking', 'We roasted a chicken with potatoes and rosemary.'],
  ['How is my kitten?', 'pets', 'The puppy chewed my slippers again.'],
  ['debt, loans and credit', 'money', 'The bank raised the interest on our mortgage.'],
  ['Who performs a concert on the cello?', 'music', 'He plays the violin in a chamber orchestra.'],
  ['Will there be a storm with hail?', 'weather', 'It rained all night and the streets are flooded.'],
  ['Which football player scored a goal?', 'sport', 'Our goalkeeper saved two penalties in the final.'],
  ['What did the pupils learn in mathematics class?', 'school', 'The students failed the algebra exam.'],
  ['My computer program does not work', 'computers', 'I reinstalled the operating system on my laptop.'],
];

it.each(questions)('finds the sentences with the meaning of "%s": %s', async (query, topic, best) => {
  const matches = await memory.search(ada, { query, limit: 4, threshold: 0 });

  expect(matches[0]?.text).toBe(best);
  expect(matches.filter(({ text }) => topicOf.get(text) === topic).length).toBeGreaterThanOrEqual(2);
  expect(matches.map(({ score }) => score)).toEqual(matches.map(({ score }) => score).toSorted((a, b) => b - a));
});

it.each(questions.filter(([, topic]) => ['cooking', 'money', 'music', 'weather', 'school'].includes(topic)))(
  'ranks all four sentences with the topic of "%s" before any other',
  async (query, topic) => {
    const matches = await memory.search(ada, { query, limit: 4, threshold: 0 });

    expect(matches.map(({ text }) => topicOf.get(text))).toEqual([topic, topic, topic, topic]);
  },
);

it('finds nothing for a topic that is not in the corpus', async () => {
  expect(await memory.search(ada, { query: 'quantum gravity and black holes', limit: 4, threshold: 0.7 })).toEqual([]);
});

it('gives sentences of other topics low scores', async () => {
  const matches = await memory.search(ada, { query: 'debt, loans and credit', limit: 40, threshold: 0 });
  const score = (wanted: string): number => matches.find(({ text }) => text === wanted)?.score ?? 0;

  expect(matches).toHaveLength(40);
  expect(score('The bank raised the interest on our mortgage.')).toBeGreaterThan(0.8);
  expect(score('She is allergic to penicillin.')).toBeLessThan(0.1);
  expect(score('He plays the violin in a chamber orchestra.')).toBeLessThan(0.4);
});
