import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, ConfigurationError, HalyardError, type Logger } from '@halyard/contracts';
import { abortable } from '../../async/abortable.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { loggedModelError } from './provider-failure.ts';
import { retryDelayMs, type RetryOptions } from './retry-delay.ts';

/** A vector for one text. */
export type Embedding = readonly number[];

export interface EmbedOptions {
  readonly retries: RetryOptions;
  /** Time limit for one call, in milliseconds. */
  readonly callLimitMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * In characters. Providers limit the tokens of a call as well as its texts; a character is at most
 * about one token.
 */
const greatestCallLength = 200_000;
const parallelCalls = 4;

/**
 * Embeds texts, in their order, in as many calls as the model requires, several in parallel where
 * it supports that. A call that fails temporarily (a rate limit, an overload; `Retry-After` is
 * honoured) is repeated.
 *
 * @throws EmbeddingFailedError, whose `cause` is the model's error.
 */
export async function embedTexts(
  model: EmbeddingModel,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<readonly Embedding[]> {
  const most = (await model.maxEmbeddingsPerCall) ?? Infinity;
  const width = (await model.supportsParallelCalls) ? parallelCalls : 1;
  const waiting = callsFor(texts, most).entries();
  const batches: (readonly Embedding[])[] = [];
  let failed = false;

  const work = async (): Promise<void> => {
    for (const [index, values] of waiting) {
      if (failed) return;
      try {
        batches[index] = await embedCall(model, values, options);
      } catch (error) {
        failed = true;
        throw new EmbeddingFailedError({ cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return batches.flat();
}

/** @throws ConfigurationError for a value that is not an embedding model of a supported version. */
export function checkEmbeddingModel(model: EmbeddingModel): void {
  if (versions.has(model?.specificationVersion) && typeof model.doEmbed === 'function') return;
  throw new ConfigurationError(
    'An embedding model must be one of the AI SDK, of interface version 2, 3 or 4, such as openai.embedding("…")',
  );
}

const versions: ReadonlySet<string> = new Set(['v2', 'v3', 'v4']);

/**
 * The embedding model could not be called, or did not return vectors. The provider's message is
 * only in `cause`.
 */
class EmbeddingFailedError extends HalyardError {
  constructor(options: { readonly cause: unknown }) {
    super('failed', 'EMBEDDING_FAILED', 'The embedding model failed', options);
  }
}

function callsFor(texts: readonly string[], most: number): readonly (readonly string[])[] {
  const calls: string[][] = [];
  let length = Infinity;
  for (const text of texts) {
    const last = calls.at(-1);
    length += text.length;
    if (last !== undefined && last.length < most && length <= greatestCallLength) {
      last.push(text);
    } else {
      calls.push([text]);
      length = text.length;
    }
  }
  return calls;
}

async function embedCall(
  model: EmbeddingModel,
  values: readonly string[],
  options: EmbedOptions,
): Promise<readonly Embedding[]> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const abortSignal = AbortSignal.timeout(options.callLimitMs);
      const response: PromiseLike<{ readonly embeddings: readonly Embedding[] }> = model.doEmbed({
        values: [...values],
        abortSignal,
      });
      const { embeddings } = await abortable(response, abortSignal);
      if (embeddings.length === values.length && embeddings.every(isVector)) return embeddings;
      throw new NoVectorsError(model.modelId, values.length);
    } catch (error) {
      const delayMs = retryDelayMs(error, attempt, options);
      if (delayMs === undefined) throw error;
      options.logger.warn(
        { ...loggedModelError(model, error), model: model.modelId, attempt, retryInMs: delayMs },
        'an embedding call failed',
      );
      await delay(delayMs);
    }
  }
}

function isVector(embedding: unknown): boolean {
  return Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite);
}

class NoVectorsError extends Error {
  constructor(modelId: string, count: number) {
    super(`Embedding model "${modelId}" did not return a vector for each of ${count} texts`);
  }
}
