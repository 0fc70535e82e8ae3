import type { MessageVector, Owner, VectorMatch, VectorQuery, VectorStore } from '@halyard/contracts';

/** A vector of Ada in the conversation `c-1`. */
export function sampleVector(
  messageId: string,
  embedding: readonly number[],
  values: Partial<MessageVector> = {},
): MessageVector {
  return {
    conversationId: 'c-1',
    messageId,
    userId: 'ada',
    role: 'user',
    text: `Text of ${messageId}`,
    createdAt: 1_750_000_000_000,
    embedding,
    ...values,
  };
}

/** A vector of two dimensions with this cosine to `[1, 0]`. */
export function atCosine(cosine: number): readonly number[] {
  return [cosine, Math.sqrt(1 - cosine * cosine)];
}

/** The best matches for `[1, 0]`, with any score. */
export async function nearest(
  store: VectorStore,
  owner: Owner = 'anyone',
  query: Partial<VectorQuery> = {},
): Promise<readonly VectorMatch[]> {
  return store.search(owner, { embedding: [1, 0], limit: 100, threshold: 0, ...query });
}

/** The message ids of the matches, best first. */
export async function nearestIds(...search: Parameters<typeof nearest>): Promise<readonly string[]> {
  return (await nearest(...search)).map(({ messageId }) => messageId);
}
