import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import { atCosine, nearest, nearestIds, sampleVector } from './sample-vectors.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';

export const writeCases: readonly VectorStoreCase[] = [
  {
    name: 'is available, and does nothing for empty inputs and unknown ids',
    run: async ({ store }) => {
      await store.check();
      await store.deleteMessages('c-1', ['m-1']);
      await store.deleteConversation('c-1');
      await store.deleteUser('ada');
      await store.upsert([]);
      checkEqual(await nearest(store), [], 'What is found');
    },
  },
  {
    name: 'replaces the whole vector of a message, and no other',
    run: async ({ store }) => {
      await store.upsert([
        sampleVector('m-1', atCosine(0.9)),
        sampleVector('m-2', atCosine(0.5)),
        sampleVector('m-1', atCosine(0.4), { conversationId: 'c-2' }),
      ]);
      const { embedding: _embedding, ...changed } = sampleVector('m-1', [0, 1], {
        role: 'assistant',
        text: 'Another text',
        createdAt: 1_760_000_000_000,
        userId: 'ben',
      });
      await store.upsert([{ ...changed, embedding: atCosine(0.2) }]);
      checkEqual(
        await nearestIds(store, 'anyone', { conversationId: 'c-1' }),
        ['m-2', 'm-1'],
        'Those of the conversation',
      );
      const [, replaced] = await nearest(store, 'anyone', { conversationId: 'c-1' });
      checkEqual({ ...replaced, score: 0 }, { ...changed, score: 0 }, 'The one that was replaced');
      checkEqual(await nearestIds(store, ben), ['m-1'], 'What is found for its owner');
      checkEqual(await nearestIds(store, ada, { conversationId: 'c-2' }), ['m-1'], 'That of the other conversation');
      checkEqual((await nearest(store)).length, 3, 'The number of all');
    },
  },
  {
    name: 'stores the last of several vectors of one message in one call',
    run: async ({ store }) => {
      await store.upsert([
        sampleVector('m-1', atCosine(0.9), { text: 'First' }),
        sampleVector('m-2', atCosine(0.5)),
        sampleVector('m-1', atCosine(0.3), { text: 'Last' }),
      ]);
      const matches = await nearest(store);
      checkEqual(
        matches.map(({ messageId, text }) => [messageId, text]),
        [
          ['m-2', 'Text of m-2'],
          ['m-1', 'Last'],
        ],
        'The matches',
      );
    },
  },
  {
    name: 'deletes the vectors of messages in their conversation only',
    run: async ({ store }) => {
      for (const conversationId of ['c-1', 'c-2']) {
        await store.upsert(
          [0.9, 0.8, 0.7].map((cosine) => sampleVector(`at ${cosine}`, atCosine(cosine), { conversationId })),
        );
      }
      await store.deleteMessages('c-1', ['at 0.9', 'unknown', 'at 0.7', 'at 0.9']);
      checkEqual(await nearestIds(store, 'anyone', { conversationId: 'c-1' }), ['at 0.8'], 'Those of the conversation');
      checkEqual((await nearest(store, 'anyone', { conversationId: 'c-2' })).length, 3, 'The number in the other');
      await store.deleteMessages('c-1', []);
      await store.deleteMessages('unknown', ['at 0.8']);
      checkEqual((await nearest(store)).length, 4, 'The number of all');
      await store.upsert([sampleVector('at 0.9', atCosine(0.9))]);
      checkEqual(
        (await nearest(store, 'anyone', { conversationId: 'c-1' })).length,
        2,
        'The number when one comes again',
      );
    },
  },
  {
    name: 'deletes the vectors of a conversation, and of no other',
    run: async ({ store }) => {
      for (const conversationId of ['c-1', 'c-2', 'c-12', 'c-_']) {
        await store.upsert([sampleVector('m-1', atCosine(0.9), { conversationId })]);
      }
      for (const id of ['c-1', 'c-_', 'unknown']) await store.deleteConversation(id);
      const left = (await nearest(store)).map(({ conversationId }) => conversationId);
      checkEqual(left.toSorted(), ['c-12', 'c-2'], 'The conversations of what is left');
    },
  },
  {
    name: 'deletes the vectors of a user in all conversations, and of no other user',
    run: async ({ store }) => {
      for (const userId of ['ada', 'ada2', 'ad_', 'ben']) {
        for (const conversationId of ['c-1', 'c-2']) {
          await store.upsert([sampleVector(`of ${userId}`, atCosine(0.9), { userId, conversationId })]);
        }
      }
      for (const id of ['ada', 'ad_', 'unknown']) await store.deleteUser(id);
      const left = (await nearest(store)).map(({ userId }) => userId);
      checkEqual(left.toSorted(), ['ada2', 'ada2', 'ben', 'ben'], 'The users of what is left');
    },
  },
  {
    name: 'stores all concurrent writes, and one vector of a message that several of them write, in any order',
    run: async ({ store }) => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const same = ['s-1', 's-2', 's-3'].map((id) => sampleVector(id, atCosine(0.1), { text: `Write ${index}` }));
          await store.upsert([
            sampleVector(`m-${index}`, atCosine(0.9)),
            ...(index % 2 === 0 ? same : same.toReversed()),
          ]);
        }),
      );
      const ids = await nearestIds(store);
      checkEqual([ids.length, new Set(ids).size], [23, 23], 'The number of matches, and of different ones');
    },
  },
];
