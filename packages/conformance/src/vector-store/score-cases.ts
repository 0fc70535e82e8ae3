import type { VectorMatch } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { atCosine, nearest, nearestIds, sampleVector } from './sample-vectors.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';

export const scoreCases: readonly VectorStoreCase[] = [
  {
    name: 'finds the best matches first, with the cosine as score',
    run: async ({ store }) => {
      await store.upsert([0.3, 0.9, 0.5, 1, 0.7].map((cosine) => sampleVector(`at ${cosine}`, atCosine(cosine))));
      const matches = await nearest(store);
      checkEqual(
        matches.map(({ messageId }) => messageId),
        ['at 1', 'at 0.9', 'at 0.7', 'at 0.5', 'at 0.3'],
        'The matches',
      );
      for (const [index, cosine] of [1, 0.9, 0.7, 0.5, 0.3].entries()) checkScore(matches[index], cosine);
    },
  },
  {
    name: 'compares the direction of vectors, not their length',
    run: async ({ store }) => {
      await store.upsert([
        sampleVector('long', [900, 1_200]),
        sampleVector('short', [0.008, 0.006]),
        sampleVector('unit', [0, 1]),
      ]);
      for (const embedding of [
        [1, 0],
        [250, 0],
        [0.001, 0],
      ]) {
        const matches = await nearest(store, 'anyone', { embedding });
        checkEqual(
          matches.map(({ messageId }) => messageId),
          ['short', 'long', 'unit'],
          'The matches',
        );
        for (const [index, cosine] of [0.8, 0.6, 0].entries()) checkScore(matches[index], cosine);
      }
    },
  },
  {
    name: 'returns scores from 0 to 1, with 0 for negative cosines',
    run: async ({ store }) => {
      await store.upsert([
        sampleVector('same', [0.1, 0.7, 0.3]),
        sampleVector('opposite', [-0.1, -0.7, -0.3]),
        sampleVector('away', [-0.1, -0.7, 0.3]),
        sampleVector('across', [0.7, -0.1, 0]),
      ]);
      const matches = await nearest(store, 'anyone', { embedding: [0.1, 0.7, 0.3] });
      checkEqual(matches.length, 4, 'The number of matches');
      checkEqual(matches[0]?.messageId, 'same', 'The best');
      for (const { messageId, score } of matches) {
        check(score >= 0 && score <= 1, `The score of ${messageId} should be from 0 to 1, but is ${score}`);
      }
      for (const match of matches.slice(1)) checkScore(match, 0);
    },
  },
  {
    name: 'finds all vectors that reach the threshold, and none below it',
    run: async ({ store }) => {
      await store.upsert([0.2, 0.4, 0.6, 0.8].map((cosine) => sampleVector(`at ${cosine}`, atCosine(cosine))));
      await store.upsert([sampleVector('same', [2, 0]), sampleVector('away', [-1, 0])]);
      const pages: readonly (readonly [number, readonly string[]])[] = [
        [0, ['same', 'at 0.8', 'at 0.6', 'at 0.4', 'at 0.2', 'away']],
        [0.001, ['same', 'at 0.8', 'at 0.6', 'at 0.4', 'at 0.2']],
        [0.5, ['same', 'at 0.8', 'at 0.6']],
        [0.999, ['same']],
        [1, ['same']],
      ];
      for (const [threshold, expected] of pages) {
        checkEqual(await nearestIds(store, 'anyone', { threshold }), expected, `Those from ${threshold} on`);
      }
    },
  },
  {
    name: 'finds at most as many vectors as requested, and nothing in an empty store',
    run: async ({ store }) => {
      checkEqual(await nearest(store), [], 'What is found in an empty store');
      await store.upsert([0.2, 0.4, 0.6, 0.8].map((cosine) => sampleVector(`at ${cosine}`, atCosine(cosine))));
      checkEqual(await nearestIds(store, 'anyone', { limit: 2 }), ['at 0.8', 'at 0.6'], 'The two nearest');
      checkEqual(await nearestIds(store, 'anyone', { limit: 1 }), ['at 0.8'], 'The nearest');
      checkEqual((await nearest(store, 'anyone', { limit: 4 })).length, 4, 'The number of as many as there are');
    },
  },
  {
    name: 'accepts vectors of zeros',
    run: async ({ store }) => {
      await store.upsert([
        sampleVector('far', atCosine(0.3)),
        sampleVector('zero', [0, 0]),
        sampleVector('near', atCosine(0.9)),
      ]);
      const matches = await nearest(store);
      checkEqual(
        matches.slice(0, 2).map(({ messageId }) => messageId),
        ['near', 'far'],
        'The nearest',
      );
      checkEqual(
        matches
          .slice(2)
          .map(({ score }) => score)
          .filter((score) => score !== 0),
        [],
        'The scores of zeros, unless 0',
      );
      checkEqual(await nearestIds(store, 'anyone', { threshold: 0.1 }), ['near', 'far'], 'Those from 0.1 on');
      const none = await nearest(store, 'anyone', { embedding: [0, 0] });
      checkEqual(
        none.map(({ score }) => score).filter((score) => score !== 0),
        [],
        'The scores for zeros, unless 0',
      );
      const some = await nearest(store, 'anyone', { embedding: [0, 0], threshold: 0.1 });
      checkEqual(some, [], 'What is near to zeros');
      await store.upsert([sampleVector('zero', [1, 0]), sampleVector('near', [0, 0])]);
      checkEqual((await nearestIds(store)).slice(0, 2), ['zero', 'far'], 'The nearest when they are replaced');
    },
  },
];

/** Stores may use numbers of single precision. */
function checkScore(match: VectorMatch | undefined, expected: number): void {
  const { messageId, score = Number.NaN } = match ?? {};
  check(Math.abs(score - expected) < 1e-4, `The score of ${messageId} should be ${expected}, but is ${score}`);
}
