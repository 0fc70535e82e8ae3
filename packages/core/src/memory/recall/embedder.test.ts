import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { keywordEmbedding, silentLogger } from '../../testing/index.ts';
import { Embedder } from './embedder.ts';

function setUp() {
  const embedding = keywordEmbedding(['tea', 'maths']);
  return { embedding, embedder: new Embedder(embedding, silentLogger) };
}

const [tea, maths, neither] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

it('embeds each text in order, and reuses earlier searches of the same user', async () => {
  const { embedder, embedding } = setUp();
  expect(await embedder.embedQuery('tea', 'ada')).toEqual(tea);

  const ofAda = (text: string) => ({ text, userId: 'ada' });
  const embedded = await embedder.embedAll([ofAda('maths'), ofAda('tea'), { text: 'tea', userId: 'bob' }, ofAda('no')]);

  expect(embedded).toEqual([maths, tea, tea, neither]);
  expect(embedding.calls).toEqual([['tea'], ['maths', 'tea', 'no']]);
});

it('does not call the model where it knows all texts', async () => {
  const { embedder, embedding } = setUp();
  await embedder.embedQuery(' tea ', 'ada');
  expect(await embedder.embedAll([{ text: 'tea', userId: 'ada' }])).toEqual([tea]);
  expect(await embedder.embedAll([])).toEqual([]);
  expect(embedding.calls).toEqual([['tea']]);
});

it('embeds texts of messages anew for a query', async () => {
  const { embedder, embedding } = setUp();
  await embedder.embedAll([{ text: 'tea', userId: 'ada' }]);
  await embedder.embedQuery('tea', 'ada');
  expect(embedding.calls).toEqual([['tea'], ['tea']]);
});

it('remembers the newest 100 queries', async () => {
  const { embedder, embedding } = setUp();
  for (let index = 0; index <= 100; index += 1) await embedder.embedQuery(`tea ${index}`, 'ada');
  await embedder.embedQuery('tea 1', 'ada');
  expect(embedding.calls).toHaveLength(101);
  await embedder.embedQuery('tea 0', 'ada');
  expect(embedding.calls).toHaveLength(102);
});

it('refuses a value that is no embedding model', () => {
  expect(() => new Embedder({} as never, silentLogger)).toThrow(ConfigurationError);
});
