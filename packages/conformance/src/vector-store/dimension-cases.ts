import { isHalyardError, type VectorStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { nearest, nearestIds, sampleVector } from './sample-vectors.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';

export const dimensionCases: readonly VectorStoreCase[] = [
  {
    name: 'refuses vectors with another number of dimensions, names both numbers, and keeps the stored ones',
    run: async ({ store }) => {
      await store.upsert([sampleVector('m-1', [1, 0])]);
      const before = await nearest(store);
      for (const embedding of [[1, 0, 0], [1], Array.from({ length: 40 }, () => 0.1)]) {
        await checkRefusal(store.upsert([sampleVector('m-2', embedding)]), 2, embedding.length);
        await checkRefusal(store.upsert([sampleVector('m-1', embedding, { text: 'New' })]), 2, embedding.length);
      }
      checkEqual(await nearest(store), before, 'What is found');
      await store.upsert([sampleVector('m-3', [0, 1])]);
      checkEqual(await nearestIds(store), ['m-1', 'm-3'], 'What is found after the next write');
    },
  },
  {
    name: 'refuses to search with another number of dimensions, and names both numbers',
    run: async ({ store }) => {
      await store.upsert([sampleVector('m-1', [1, 0, 0])]);
      for (const embedding of [
        [1, 0],
        [1, 0, 0, 0],
      ]) {
        for (const owner of ['anyone', { user: 'ada' }, { user: 'unknown' }] as const) {
          await checkRefusal(store.search(owner, { embedding, limit: 9, threshold: 0 }), 3, embedding.length);
        }
      }
      checkEqual(await nearestIds(store, 'anyone', { embedding: [1, 0, 0] }), ['m-1'], 'What is found');
    },
  },
  {
    name: 'refuses vectors with different numbers of dimensions in one call, and writes none of them',
    run: async ({ store }) => {
      await store.upsert([sampleVector('m-1', [1, 0])]);
      await checkRefusal(store.upsert([sampleVector('m-2', [1, 0]), sampleVector('m-3', [1, 0, 0])]), 2, 3);
      checkEqual(await nearestIds(store), ['m-1'], 'What is found');
    },
  },
  {
    name: 'accepts one number of dimensions when concurrent first writes differ',
    run: async ({ store }) => {
      const embeddings = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? [1, 0] : [1, 0, 0]));
      const outcomes = await Promise.allSettled(
        embeddings.map((embedding, index) => store.upsert([sampleVector(`m-${index}`, embedding)])),
      );
      const written = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
      checkEqual(new Set(written.map((index) => index % 2)).size, 1, 'The number of numbers that were written');
      checkEqual(written.length, 4, 'The number of writes');
      const embedding = embeddings[written[0] ?? 0] ?? [];
      const found = await nearestIds(store, 'anyone', { embedding });
      checkEqual(
        found.toSorted(),
        written.map((index) => `m-${index}`),
        'What is found',
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') checkRefused(outcome.reason, 2, 3);
      }
    },
  },
  ...[1, 384, 1_536, 3_072].map((dimensions): VectorStoreCase => ({
    name: `finds vectors of ${dimensions} dimensions`,
    run: async ({ store }) => {
      await store.upsert(
        [1, 2, 3].map((seed) =>
          sampleVector(
            `m-${seed}`,
            Array.from({ length: dimensions }, (_, index) => Math.sin(seed * (index + 1))),
          ),
        ),
      );
      await checkFinds(store, dimensions);
    },
  })),
];

async function checkFinds(store: VectorStore, dimensions: number): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const embedding = Array.from({ length: dimensions }, (_, index) => Math.sin(seed * (index + 1)));
    const [best, ...others] = await nearest(store, 'anyone', { embedding });
    check(best !== undefined && best.score > 0.999, `What is nearest to itself should be so, but has ${best?.score}`);
    checkEqual(others.length, 2, 'The number of others');
    if (dimensions > 1) checkEqual(best.messageId, `m-${seed}`, 'The nearest');
  }
}

async function checkRefusal(call: Promise<unknown>, stored: number, given: number): Promise<void> {
  const error: unknown = await call.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  checkRefused(error, stored, given);
}

/** Whether it is a ConfigurationError, of any copy of the package, that names both numbers. */
function checkRefused(error: unknown, stored: number, given: number): void {
  const code = isHalyardError(error) ? error.code : error;
  checkEqual(code, 'INVALID_CONFIGURATION', 'The code of what the call rejects with');
  const numbers: readonly string[] = (error instanceof Error ? error.message : '').match(/\d+/g) ?? [];
  for (const number of [stored, given]) {
    check(numbers.includes(String(number)), `The message of the error should name the number ${number}`);
  }
}
