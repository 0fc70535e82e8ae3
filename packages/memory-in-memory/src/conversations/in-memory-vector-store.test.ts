import type { MessageVector, VectorQuery, VectorStore } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryVectorStore, type InMemoryVectorStoreOptions } from './in-memory-vector-store.ts';

it('returns the newest of equally similar messages first', async () => {
  const store = createInMemoryVectorStore();
  for (const messageId of ['m1', 'm2', 'm3'])
    await store.upsert([vectorOf([1, 0], { conversationId: 'c', messageId, userId: 'ada', createdAt: 1 })]);

  for (const filter of [{ conversationId: 'c' }, { userId: 'ada' }, {}]) {
    const found = await store.search('anyone', { embedding: [1, 0], limit: 2, threshold: 0, ...filter });
    expect(found.map(({ messageId }) => messageId)).toEqual(['m3', 'm2']);
  }
});

it('finds the same as a comparison of all vectors, for random writes and deletions', async () => {
  const random = seeded(5);
  const store = createInMemoryVectorStore();
  let plain: MessageVector[] = [];
  const numbers = (): readonly number[] => Array.from({ length: 7 }, () => random(2_001) - 1_000);

  for (let turn = 0; turn < 600; turn += 1) {
    const conversation = random(6);
    const [conversationId, userId] = [`c${conversation}`, `u${conversation % 3}`];
    const isThere = ({ messageId }: MessageVector): boolean => messageIds.includes(messageId);
    const messageIds = Array.from({ length: random(4) }, () => `m${random(20)}`);
    switch (random(10)) {
      case 0:
        await store.deleteConversation(conversationId);
        plain = plain.filter((vector) => vector.conversationId !== conversationId);
        break;
      case 1:
        await store.deleteMessages(conversationId, messageIds);
        plain = plain.filter((vector) => vector.conversationId !== conversationId || !isThere(vector));
        break;
      case 2:
        if (random(4) > 0) break;
        await store.deleteUser(userId);
        plain = plain.filter((vector) => vector.userId !== userId);
        break;
      default: {
        const vectors = [...new Set(messageIds)].map((messageId) =>
          vectorOf(numbers(), { conversationId, messageId, userId, createdAt: turn }),
        );
        await store.upsert(vectors);
        plain = plain.filter((vector) => vector.conversationId !== conversationId || !isThere(vector));
        plain.push(...vectors);
      }
    }
    const query: VectorQuery = {
      embedding: numbers(),
      limit: random(8),
      threshold: random(3) / 4,
      ...(random(2) === 0 && { conversationId }),
      ...(random(2) === 0 && { userId }),
    };
    const owner = random(2) === 0 ? 'anyone' : { user: `u${random(3)}` };
    const expected = plain
      .filter((vector) => query.conversationId === undefined || vector.conversationId === query.conversationId)
      .filter((vector) => query.userId === undefined || vector.userId === query.userId)
      .filter((vector) => owner === 'anyone' || vector.userId === owner.user)
      .map(({ embedding, ...vector }) => ({ ...vector, score: Math.max(0, cosine(embedding, query.embedding)) }))
      .filter(({ score }) => score >= query.threshold)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, query.limit);
    const found = await store.search(owner, query);
    expect(found.map(({ score }) => score)).toEqual(expected.map(({ score }) => expect.closeTo(score, 5)));
    for (const match of found) {
      const same = plain.find((vector) => keyOf(vector) === keyOf(match));
      expect(match).toEqual({ ...same, embedding: undefined, score: match.score });
      expect(match.score).toBeCloseTo(Math.max(0, cosine(same?.embedding ?? [], query.embedding)), 5);
    }
  }
});

it('gives the same embedding the score 1, for any number of dimensions', async () => {
  for (const dimensions of [1, 2, 3, 384, 1_535]) {
    const store = createInMemoryVectorStore();
    const embedding = Array.from({ length: dimensions }, (_, index) => Math.sin(index + 1) / 7);
    await store.upsert([vectorOf(embedding)]);
    const found = await store.search('anyone', { embedding, limit: 1, threshold: 1 });
    expect(found.map(({ score }) => score)).toEqual([1]);
  }
});

it('finds a vector of zeros only with the threshold 0', async () => {
  const store = createInMemoryVectorStore();
  await store.upsert([vectorOf([0, 0])]);
  expect(await scores(store, [1, 2], 0)).toEqual([0]);
  expect(await scores(store, [0, 0], 0)).toEqual([0]);
  expect(await scores(store, [1, 2], 0.1)).toEqual([]);
});

it('names the different numbers of dimensions, and writes none of the vectors', async () => {
  const store = createInMemoryVectorStore();
  await store.upsert([vectorOf([1, 0])]);
  const error = { name: 'ConfigurationError', message: expect.stringMatching(/\b3 dimensions.*\b2\b/) };
  await expect(store.upsert([vectorOf([0, 1], { messageId: 'new' }), vectorOf([1, 2, 3])])).rejects.toMatchObject(
    error,
  );
  await expect(store.search('anyone', { embedding: [1, 2, 3], limit: 1, threshold: 0 })).rejects.toMatchObject(error);
  expect(await scores(store, [1, 0], 0)).toEqual([1]);

  await store.deleteUser('u');
  await expect(store.upsert([vectorOf([1, 2]), vectorOf([1, 2, 3])])).rejects.toMatchObject(error);
  expect(await scores(store, [1, 2, 3], 0)).toEqual([]);
  await store.upsert([vectorOf([1, 2, 3])]);
  expect(await scores(store, [1, 2, 3], 0)).toEqual([1]);
});

it.each<[string, InMemoryVectorStoreOptions]>([
  ['3 vectors', { maxVectors: 3 }],
  ['5 000 bytes', { maxBytes: 5_000 }],
])('stores at most %s: the vector whose last write is the oldest is deleted', async (_, options) => {
  const store = createInMemoryVectorStore(options);
  const embedding = Array.from({ length: 100 }, () => 1);
  for (const messageId of ['a', 'b', 'c', 'a', 'd']) await store.upsert([vectorOf(embedding, { messageId })]);
  const found = await store.search('anyone', { embedding, limit: 9, threshold: 0 });
  expect(found.map(({ messageId }) => messageId).toSorted()).toEqual(['a', 'c', 'd']);
});

it('keeps a vector that exceeds the limit by itself until the next write', async () => {
  const store = createInMemoryVectorStore({ maxBytes: 100 });
  await store.upsert([vectorOf([1, 0])]);
  expect(await scores(store, [1, 0], 0)).toEqual([1]);
});

function vectorOf(embedding: readonly number[], values: Partial<MessageVector> = {}): MessageVector {
  const text = 'x'.repeat(400);
  return { conversationId: 'c', messageId: 'm', userId: 'u', role: 'user', text, createdAt: 1, embedding, ...values };
}

async function scores(store: VectorStore, embedding: readonly number[], threshold: number): Promise<readonly number[]> {
  return (await store.search('anyone', { embedding, limit: 9, threshold })).map(({ score }) => score);
}

function keyOf({ conversationId, messageId }: { readonly conversationId: string; readonly messageId: string }): string {
  return `${conversationId} ${messageId}`;
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const product = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other)) || 0;
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
