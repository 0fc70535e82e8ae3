import type { EmbeddingModel } from '@halyard/core';

export const dimensions = 512;

/** Words that most texts have, which say nothing about their topic. */
const common = new Set(
  'a about again all also am an and any are as at be because been but by can could did do does for from get got had has have here hi how i if in is it its just me my no not now of on or our out please shall should so thank thanks that the their them then there they this to up us was we what when where which who will with would you your'.split(
    ' ',
  ),
);
/** Words with the same meaning count as one. */
const sameMeaning: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['refund', 'money', 'repay', 'payback', 'reimburse'],
    ['return', 'back', 'send'],
    ['parcel', 'package', 'shipment', 'delivery', 'deliver', 'shipping', 'track', 'tracking', 'carrier'],
    ['break', 'broken', 'damage', 'tear', 'torn', 'defect', 'leak', 'crack'],
    ['late', 'delay', 'lost', 'missing', 'wait'],
    ['size', 'fit', 'small', 'large', 'tight', 'wide'],
    ['waterproof', 'rain', 'wet', 'water'],
    ['wash', 'clean', 'care'],
    ['bag', 'down', 'sleep'],
    ['address', 'move', 'street'],
  ].flatMap((group) => group.map((word) => [word, group[0] ?? word])),
);

/**
 * An embedding model that needs no network: a text becomes the set of its words, so texts that
 * share words, or words with the same meaning, are similar. A real app uses a real model here, such
 * as `openai.embedding('text-embedding-3-small')`.
 */
export const wordEmbedding: EmbeddingModel = {
  specificationVersion: 'v4',
  provider: 'words',
  modelId: `words-${dimensions}`,
  maxEmbeddingsPerCall: 128,
  supportsParallelCalls: true,
  doEmbed: async ({ values }) => ({ embeddings: values.map(vectorOf), warnings: [] }),
};

function vectorOf(text: string): number[] {
  const vector: number[] = Array.from({ length: dimensions }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    if (common.has(word)) continue;
    const at = placeOf(meaningOf(word));
    vector[at] = (vector[at] ?? 0) + 1;
  }
  // A text without any word of meaning is similar to nothing else.
  if (!vector.some((count) => count > 0)) vector[dimensions - 1] = 1;
  return vector;
}

function meaningOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|s)$/u, '');
  return sameMeaning[word] ?? sameMeaning[stem] ?? stem;
}

/** FNV-1a, a hash. The last place is for texts without words. */
function placeOf(word: string): number {
  let hash = 2_166_136_261;
  for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) % (dimensions - 1);
}
