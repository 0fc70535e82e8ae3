import type { EmbeddingModelV2, EmbeddingModelV3 } from '@ai-sdk/provider';
import { silentLogger } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { fixedClock } from '../../testing/fixed-clock.ts';
import { keywordEmbedding } from '../../testing/keyword-embedding.ts';
import { checkEmbeddingModel, type EmbedOptions, embedTexts } from './embed-texts.ts';

const options: EmbedOptions = {
  retries: { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 10 },
  callLimitMs: 60_000,
  clock: fixedClock(),
  logger: silentLogger,
};

/** The errors of the AI SDK's providers. */
function apiError(fields: { isRetryable: boolean; responseHeaders?: Record<string, string> }): Error {
  return Object.assign(new Error('from the provider'), fields);
}

it('embeds texts in order, as many per call as the model accepts', async () => {
  const model = keywordEmbedding(['tea'], { maxEmbeddingsPerCall: 2 });

  const embeddings = await embedTexts(model, ['tea', 'none', 'tea tea', 'tea', 'none'], options);

  expect(embeddings).toEqual([
    [1, 0],
    [0, 1],
    [2, 0],
    [1, 0],
    [0, 1],
  ]);
  expect(model.calls.map((texts) => texts.length)).toEqual([2, 2, 1]);
});

it('limits the size of a call for a model without a limit', async () => {
  const model = keywordEmbedding(['tea']);

  await embedTexts(
    model,
    Array.from({ length: 100 }, () => 'x'.repeat(6000)),
    options,
  );

  expect(model.calls.map((texts) => texts.length)).toEqual([33, 33, 33, 1]);
  expect(await embedTexts(model, [], options)).toEqual([]);
});

it.each([
  [true, 4],
  [false, 1],
])('makes several calls at once when the model supports it (%s)', async (supportsParallelCalls, most) => {
  const model = keywordEmbedding(['tea'], { maxEmbeddingsPerCall: 1, supportsParallelCalls });
  let running = 0;
  let seen = 0;
  const counting = {
    ...model,
    doEmbed: async (call: Parameters<typeof model.doEmbed>[0]) => {
      running += 1;
      seen = Math.max(seen, running);
      await new Promise(setImmediate);
      running -= 1;
      return model.doEmbed(call);
    },
  };

  await embedTexts(counting, ['a', 'b', 'c', 'd', 'e', 'f'], options);

  expect(seen).toBe(most);
});

it('accepts models of older interfaces, whose limits can be promises', async () => {
  const embed = async (): Promise<{ embeddings: number[][] }> => ({ embeddings: [[1, 2]] });
  const limits = { maxEmbeddingsPerCall: Promise.resolve(5), supportsParallelCalls: Promise.resolve(true) };
  const v2: EmbeddingModelV2<string> = {
    specificationVersion: 'v2',
    provider: 'p',
    modelId: 'm',
    ...limits,
    doEmbed: embed,
  };
  const v3: EmbeddingModelV3 = {
    specificationVersion: 'v3',
    provider: 'p',
    modelId: 'm',
    ...limits,
    doEmbed: async () => ({ ...(await embed()), warnings: [] }),
  };

  for (const model of [v2, v3]) {
    checkEmbeddingModel(model);
    expect(await embedTexts(model, ['a'], options)).toEqual([[1, 2]]);
  }
  expect(() => checkEmbeddingModel('text-embedding-3-small' as never)).toThrow('openai.embedding');
  expect(() => checkEmbeddingModel({ ...v3, specificationVersion: 'v9' } as never)).toThrow('interface version');
});

it('repeats a call after a temporary failure, as soon as the provider allows', async () => {
  const model = keywordEmbedding(['tea'], {
    errors: [
      apiError({ isRetryable: true }),
      apiError({ isRetryable: true, responseHeaders: { 'retry-after-ms': '1' } }),
    ],
  });

  expect(await embedTexts(model, ['tea'], options)).toEqual([[1, 0]]);
  expect(model.calls).toHaveLength(3);
});

it('does not repeat a call after a permanent failure or a long Retry-After', async () => {
  const refused = apiError({ isRetryable: false });
  const later = apiError({ isRetryable: true, responseHeaders: { 'retry-after': '60' } });

  for (const error of [refused, later]) {
    const model = keywordEmbedding(['tea'], { errors: [error] });
    await expect(embedTexts(model, ['tea'], options)).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: 'The embedding model failed',
      cause: error,
    });
    expect(model.calls).toHaveLength(1);
  }
});

it.each([
  ['too few', []],
  ['nothing in it', [[]]],
  ['numbers that are none', [[Number.NaN]]],
])('refuses an answer with %s', async (_, embeddings) => {
  const model = { ...keywordEmbedding([]), doEmbed: async () => ({ embeddings, warnings: [] }) };

  await expect(embedTexts(model, ['a'], options)).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
});

it('ends a call that takes too long, even if the model ignores its signal', async () => {
  const model = { ...keywordEmbedding([]), doEmbed: () => new Promise<never>(() => {}) };

  await expect(embedTexts(model, ['a'], { ...options, callLimitMs: 1 })).rejects.toMatchObject({
    code: 'EMBEDDING_FAILED',
    cause: { name: 'TimeoutError' },
  });
});

it('logs the report of the provider, without the texts', async () => {
  const lines: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  const busy = Object.assign(apiError({ isRetryable: true }), {
    name: 'AI_APICallError',
    statusCode: 429,
    requestBodyValues: { input: ['private'] },
  });
  const model = { ...keywordEmbedding(['tea']), doEmbed: () => Promise.reject(busy) };

  await expect(embedTexts(model, ['private'], { ...options, logger })).rejects.toThrow('The embedding model failed');

  const reason = `${model.provider} answered 429: from the provider`;
  expect(lines).toMatchObject([{ reason }, { reason }]);
  expect(lines.some((fields) => 'err' in fields)).toBe(false);
});
