import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { embeddingOf } from './embeddings-api.ts';
import { type OpenaiWire, openOpenaiWire } from './openai-wire.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const model = () => createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' }).embedding('text-embedding-3-small');

it('returns the same vector for the same text', async () => {
  const { embeddings, usage } = await model().doEmbed({ values: ['good morning', 'good night'] });

  expect(embeddings).toEqual([embeddingOf('good morning'), embeddingOf('good night')]);
  expect(embeddings.map(({ length }) => length)).toEqual([1536, 1536]);
  expect(usage).toEqual({ tokens: 4 });
});

it('returns closer vectors for texts that share words', () => {
  const question = embeddingOf('Where is the red bicycle?', 64);

  expect(cosine(question, embeddingOf('the bicycle is red', 64))).toBeGreaterThan(
    cosine(question, embeddingOf('bread and butter', 64)),
  );
  expect(cosine(question, question)).toBeCloseTo(1, 5);
});

it('returns vectors with the requested dimensions, and records the setting', async () => {
  const { embeddings } = await model().doEmbed({ values: ['hello'], providerOptions: { openai: { dimensions: 32 } } });

  expect(embeddings[0]).toHaveLength(32);
  expect(wire.requests[0]?.settings).toEqual({ dimensions: 32 });
});

it('returns the same numbers in base64', async () => {
  const response = await fetch(`${wire.baseURL}/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: 'text-embedding-3-small', input: 'hello', dimensions: 8, encoding_format: 'base64' }),
  });
  const answer: unknown = await response.json();

  const bytes = Buffer.alloc(32);
  embeddingOf('hello', 8).forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  expect(answer).toMatchObject({ object: 'list', data: [{ index: 0, embedding: bytes.toString('base64') }] });
});

it('fails as scripted, without using the scripts of answers', async () => {
  wire.reply({ text: 'Hello' });
  wire.replyToEmbeddings({ status: 429, retryAfter: 1 });

  await expect(model().doEmbed({ values: ['hello'] })).rejects.toMatchObject({
    statusCode: 429,
    responseHeaders: { 'retry-after': '1' },
  });
  await expect(model().doEmbed({ values: ['hello'] })).resolves.toMatchObject({ usage: { tokens: 1 } });
  expect(wire.scriptsLeft).toBe(1);
});

function cosine(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}
