import type { MessageVector, VectorQuery } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import { atCosine, nearest, nearestIds, sampleVector } from './sample-vectors.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';

export const filterCases: readonly VectorStoreCase[] = [
  {
    name: 'finds only vectors of the owner, and for anyone all',
    run: async ({ store }) => {
      await store.upsert(ofTwoUsers);
      checkEqual(await nearestIds(store, ada), ['a-1', 'a-2'], 'What Ada finds');
      checkEqual(await nearestIds(store, ben), ['b-1', 'b-2'], 'What Ben finds');
      checkEqual(await nearestIds(store, 'anyone'), ['b-1', 'a-1', 'b-2', 'a-2'], 'What anyone finds');
      for (const user of ['', 'Ada', 'ad_', '%', 'unknown']) {
        checkEqual(await nearestIds(store, { user }), [], `What "${user}" finds`);
      }
    },
  },
  {
    name: 'finds nothing of another user or of another user’s conversation',
    run: async ({ store }) => {
      await store.upsert(ofTwoUsers);
      for (const filter of [
        { conversationId: 'c-a1' },
        { userId: 'ada' },
        { conversationId: 'unknown' },
        { userId: 'unknown' },
        { conversationId: 'c-a1', userId: 'ben' },
      ]) {
        checkEqual(await nearest(store, ben, filter), [], `What Ben finds with ${JSON.stringify(filter)}`);
      }
    },
  },
  {
    name: 'filters by conversation, by user and by both',
    run: async ({ store }) => {
      await store.upsert(ofTwoUsers);
      const found: readonly (readonly [Partial<VectorQuery>, readonly string[]])[] = [
        [{ conversationId: 'c-a1' }, ['a-1']],
        [{ userId: 'ada' }, ['a-1', 'a-2']],
        [{ userId: 'ada', conversationId: 'c-a2' }, ['a-2']],
        [{ userId: 'ben', conversationId: 'c-a2' }, []],
        [{ conversationId: 'c-_1' }, []],
        [{ conversationId: '' }, []],
        [{ userId: '' }, []],
      ];
      for (const [filter, expected] of found) {
        checkEqual(await nearestIds(store, 'anyone', filter), expected, `Those with ${JSON.stringify(filter)}`);
      }
      checkEqual(await nearestIds(store, ada, { conversationId: 'c-a2' }), ['a-2'], 'What Ada finds in one');
      checkEqual(await nearestIds(store, ada, { userId: 'ada', limit: 1 }), ['a-1'], 'What Ada finds of Ada');
    },
  },
  {
    name: 'finds matches of the filter although many other vectors are nearer',
    run: async ({ store }) => {
      const near = (index: number, values: Partial<MessageVector>): MessageVector =>
        sampleVector(`near-${index}`, atCosine(0.95 + index / 100_000), values);
      for (let start = 0; start < 1_500; start += 500) {
        const indices = Array.from({ length: 500 }, (_, index) => start + index);
        await store.upsert(indices.map((index) => near(index, { userId: 'ben', conversationId: 'c-b' })));
      }
      await store.upsert(Array.from({ length: 200 }, (_, index) => near(index, { conversationId: 'c-other' })));
      await store.upsert([0.2, 0.4, 0.6].map((cosine) => sampleVector(`at ${cosine}`, atCosine(cosine))));
      const inOne = { conversationId: 'c-1', limit: 3 };
      checkEqual(await nearestIds(store, ada, inOne), ['at 0.6', 'at 0.4', 'at 0.2'], 'Those in one conversation');
      checkEqual(await nearestIds(store, 'anyone', inOne), ['at 0.6', 'at 0.4', 'at 0.2'], 'Those for anyone');
      const own = await nearest(store, ada, { limit: 203 });
      checkEqual(own.length, 203, 'The number of one’s own');
      checkEqual((await nearest(store, 'anyone', { userId: 'ada', limit: 203 })).length, 203, 'The number of a user');
      const some = { conversationId: 'c-1', limit: 2, threshold: 0.3 };
      checkEqual(await nearestIds(store, ada, some), ['at 0.6', 'at 0.4'], 'The two nearest in one');
    },
  },
];

const ofTwoUsers: readonly MessageVector[] = [
  sampleVector('b-1', atCosine(0.9), { userId: 'ben', conversationId: 'c-b1' }),
  sampleVector('a-1', atCosine(0.8), { conversationId: 'c-a1' }),
  sampleVector('b-2', atCosine(0.7), { userId: 'ben', conversationId: 'c-b2' }),
  sampleVector('a-2', atCosine(0.6), { conversationId: 'c-a2' }),
];
