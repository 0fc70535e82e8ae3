import type { EmbeddingModel } from '@halyard/core';
import { dimensions, type WordVectors } from './word-vectors.ts';

/**
 * An offline embedding model: the weighted mean of the word vectors of a text. Rare words have more
 * weight than frequent ones.
 */
export function wordEmbedding(words: WordVectors): EmbeddingModel {
  return {
    specificationVersion: 'v4',
    provider: 'word-vectors',
    modelId: 'glove-100d',
    maxEmbeddingsPerCall: 32,
    supportsParallelCalls: true,
    doEmbed: async ({ values }) => ({ embeddings: values.map((text) => meanOf(text, words)), warnings: [] }),
  };
}

function meanOf(text: string, words: WordVectors): number[] {
  const mean = Array.from({ length: dimensions }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const known = words.find(word);
    if (known === undefined) continue;
    const weight = weightOf(known.rank);
    known.vector.forEach((value, index) => {
      mean[index] = (mean[index] ?? 0) + weight * value;
    });
  }
  return mean;
}

/**
 * The weight of a word by its estimated frequency (Zipf's law), as in Arora, Liang, Ma: A Simple
 * but Tough-to-Beat Baseline for Sentence Embeddings.
 */
function weightOf(rank: number): number {
  const frequency = 1 / (12 * (rank + 1));
  return 0.0005 / (0.0005 + frequency);
}
