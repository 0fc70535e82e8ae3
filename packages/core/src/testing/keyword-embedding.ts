import type { CurrentEmbeddingModel } from '../model/providers/embedding-model.ts';

export interface KeywordEmbeddingOptions {
  /** Thrown by the first calls, one by each. */
  readonly errors?: readonly unknown[] | undefined;
  readonly maxEmbeddingsPerCall?: number | undefined;
  readonly supportsParallelCalls?: boolean | undefined;
}

/** An embedding model that records its calls. */
export interface KeywordEmbedding extends CurrentEmbeddingModel {
  /** The texts of every call so far. */
  readonly calls: readonly (readonly string[])[];
}

/**
 * An embedding model for tests: texts with the same keywords are similar, in upper or lower case;
 * so are texts without any.
 *
 * ```ts
 * const embedding = keywordEmbedding(['tea', 'maths']);
 * ```
 */
export function keywordEmbedding(
  keywords: readonly string[],
  { errors = [], maxEmbeddingsPerCall, supportsParallelCalls = true }: KeywordEmbeddingOptions = {},
): KeywordEmbedding {
  const calls: (readonly string[])[] = [];
  return {
    specificationVersion: 'v4',
    provider: 'keywords',
    modelId: 'keywords',
    maxEmbeddingsPerCall,
    supportsParallelCalls,
    calls,
    async doEmbed({ values }) {
      const index = calls.push(values) - 1;
      if (index < errors.length) {
        const thrown: unknown = errors[index];
        throw thrown;
      }
      return { embeddings: values.map((value) => vectorOf(value, keywords)), warnings: [] };
    },
  };
}

function vectorOf(text: string, keywords: readonly string[]): number[] {
  const lower = text.toLowerCase();
  const counts = keywords.map((keyword) => lower.split(keyword.toLowerCase()).length - 1);
  return [...counts, counts.every((count) => count === 0) ? 1 : 0];
}
