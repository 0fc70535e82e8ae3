import type { VectorStore } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { foreignVectors, messageVector } from './some-vectors.ts';

/** Tests for pgvector on any kind of database, in addition to the conformance cases. */
export function vectorStoreTests(open: (dimensions: number) => VectorStore): void {
  it('scores by the cosine of the angle, whatever the lengths, and gives opposite vectors 0', async () => {
    const store = open(3);
    await store.upsert([
      messageVector('same', [2e30, 0, 0]),
      messageVector('sixty degrees', [1e-20, Math.sqrt(3) * 1e-20, 0]),
      messageVector('opposite', [-3, 0, 0]),
      messageVector('near', [10, 1, 0]),
    ]);
    const search = async (threshold: number): Promise<readonly unknown[]> =>
      (await store.search('anyone', { embedding: [7, 0, 0], limit: 10, threshold })).map(({ messageId, score }) => [
        messageId,
        score,
      ]);
    const positive = [
      ['same', 1],
      ['near', 0.995037],
      ['sixty degrees', 0.5],
    ];
    expect(await search(0)).toEqual([...positive, ['opposite', 0]]);
    expect(await search(0.5)).toEqual(positive);
    expect(await search(0.500002)).toEqual(positive.slice(0, 2));
  });

  it('gives a zero vector the score 0, and still finds it', async () => {
    const store = open(3);
    const changed = { conversationId: 'nowhere' };
    await store.upsert([messageVector('zero', [0, 0, 0], changed), messageVector('some', [0, 1, 0], changed)]);
    const query = { conversationId: 'nowhere', limit: 10, threshold: 0 };
    const scores = async (embedding: readonly number[]): Promise<readonly unknown[]> =>
      (await store.search('anyone', { ...query, embedding })).map(({ messageId, score }) => [messageId, score]);
    expect(await scores([0, 1, 0])).toEqual([
      ['some', 1],
      ['zero', 0],
    ]);
    expect(new Set(await scores([0, 0, 0]))).toEqual(
      new Set([
        ['some', 0],
        ['zero', 0],
      ]),
    );
  });

  it('replaces the vector of a message, even when one call has it twice', async () => {
    const store = open(3);
    const changed = { conversationId: 'replaced' };
    await store.upsert([messageVector('one', [1, 0, 0], changed)]);
    await store.upsert([
      messageVector('one', [0, 1, 0], { ...changed, text: 'between' }),
      messageVector('one', [0, 0, 1], { ...changed, text: 'last' }),
    ]);
    const query = { conversationId: 'replaced', embedding: [0, 0, 1], limit: 10, threshold: 0 };
    expect(await store.search('anyone', query)).toMatchObject([{ messageId: 'one', text: 'last', score: 1 }]);
  });

  it('stores NUL and halves of surrogate pairs in ids and texts', async () => {
    const store = open(3);
    const nasty = 'NUL \0, halves \uD83E and \uDD86, whole 🦆, mark ␛0000';
    const vector = messageVector(nasty, [1, 2, 3], { conversationId: nasty, userId: nasty, text: nasty });
    await store.upsert([vector]);
    const { embedding, ...match } = vector;
    const query = { conversationId: nasty, userId: nasty, embedding, limit: 5, threshold: 0.9 };
    expect(await store.search({ user: nasty }, query)).toEqual([{ ...match, score: 1 }]);
    await store.deleteMessages(nasty, [nasty]);
    expect(await store.search({ user: nasty }, query)).toEqual([]);
  });

  it('finds the five messages of a conversation, and of a user, among 2 000 that are nearer', async () => {
    const store = open(3);
    await store.upsert(foreignVectors(2_000, [1, 0, 0]));
    const five = Array.from({ length: 5 }, (_, index) =>
      messageVector(`few-${index}`, [0.1, 1, index / 10], { conversationId: 'few', userId: 'carl' }),
    );
    await store.upsert(five);
    const query = { embedding: [1, 0, 0], limit: 10, threshold: 0 };
    const ids = five.map(({ messageId }) => messageId);
    const found = await store.search('anyone', { ...query, conversationId: 'few' });
    expect(found.map(({ messageId }) => messageId)).toEqual(ids);
    expect(await store.search({ user: 'carl' }, query)).toEqual(found);
    expect(await store.search({ user: 'bob' }, { ...query, conversationId: 'few' })).toEqual([]);
    expect(await store.search('anyone', { ...query, userId: 'bob', limit: 50 })).toHaveLength(50);
    await store.deleteUser('bob');
    expect(await store.search({ user: 'bob' }, query)).toEqual([]);
  });

  it('rejects embeddings with other dimensions, naming both numbers, and writes none of the call', async () => {
    const store = open(3);
    const changed = { conversationId: 'refused' };
    const both = [messageVector('right', [1, 2, 3], changed), messageVector('wrong', [1, 2, 3, 4], changed)];
    const refusal = {
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/has 4 dimensions.*created for 3/) as unknown,
    };
    await expect(store.upsert(both)).rejects.toMatchObject(refusal);
    const query = { conversationId: 'refused', limit: 5, threshold: 0 };
    await expect(store.search('anyone', { ...query, embedding: [1, 2, 3, 4] })).rejects.toMatchObject(refusal);
    expect(await store.search('anyone', { ...query, embedding: [1, 2, 3] })).toEqual([]);
    await expect(store.upsert([messageVector('no number', [1, 2, Number.NaN], changed)])).rejects.toThrow('not finite');
  });

  it('stores embeddings of 3072 dimensions in half precision', async () => {
    const store = open(3_072);
    const embedding = Array.from({ length: 3_072 }, (_, index) => Math.sin(index));
    const shifted = embedding.map((value, index) => value + (index % 2));
    await store.upsert([messageVector('one', embedding), messageVector('other', shifted)]);
    const [best, second] = await store.search('anyone', { embedding, limit: 2, threshold: 0 });
    expect([best?.messageId, second?.messageId]).toEqual(['one', 'other']);
    expect(best?.score).toBeCloseTo(1, 4);
    expect(second?.score).toBeCloseTo(cosine(embedding, shifted), 3);
  });
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
