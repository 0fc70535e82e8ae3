import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import { begin, chunks, leaseMs, place, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

const minute = 60_000;

export const forgetCases: readonly StreamStoreCase[] = [
  {
    name: 'deletes a discarded stream, and no other',
    run: async ({ store }) => {
      await begin(store, 'live');
      await store.append('live', { after: 0, chunks: chunks(1, 2) }, leaseMs);
      await begin(store, 'other', { conversationId: 'other' });
      await store.discard('live');
      await store.discard('live');
      checkEqual(await whole(store, 'live'), undefined, 'What is discarded');
      checkEqual(await store.append('live', { after: 2, chunks: [] }, leaseMs), 'lost', 'The answer to its writer');
      checkEqual(await whole(store, 'other'), { chunks: [], status: 'live' }, 'What is live');
      checkEqual((await begin(store, 'next')).kind, 'begun', 'What begins in the same conversation');
    },
  },
  {
    name: 'purges streams that ended long enough ago, and no live ones',
    run: async ({ store, advance }) => {
      await begin(store, 'ended');
      await store.end('ended', { after: 0, chunks: chunks(1, 3) });
      await advance(2 * minute);
      await begin(store, 'live');
      checkEqual(await store.purge(3 * minute, 9), 0, 'The number forgotten too early');
      checkEqual(await whole(store, 'ended'), { chunks: chunks(1, 3), status: 'ended' }, 'What is stored');
      await advance(minute / 2);
      await store.append('live', { after: 0, chunks: chunks(1, 1) }, 60 * minute);
      await advance(minute / 2);
      checkEqual(await store.purge(3 * minute, 9), 1, 'The number forgotten');
      checkEqual(await whole(store, 'ended'), undefined, 'What is forgotten');
      checkEqual((await store.findLive(ada, place))?.id, 'live', 'What is live in its conversation');
      await advance(10 * minute);
      checkEqual(await store.purge(3 * minute, 9), 0, 'The number forgotten while one is live');
      checkEqual(await whole(store, 'live'), { chunks: chunks(1, 1), status: 'live' }, 'What is live');
      await begin(store, 'ended', { conversationId: 'other' });
      checkEqual(await whole(store, 'ended'), { chunks: [], status: 'live' }, 'What has the id now');
    },
  },
  {
    name: 'ends lost streams, and purges them later',
    run: async ({ store, advance }) => {
      await begin(store, 'lost');
      await store.append('lost', { after: 0, chunks: chunks(1, 1) }, leaseMs);
      await advance(leaseMs);
      checkEqual(await store.purge(3 * minute, 9), 0, 'The number forgotten when it is lost');
      checkEqual(await whole(store, 'lost'), { chunks: chunks(1, 1), status: 'lost' }, 'What is lost');
      await advance(4 * minute);
      checkEqual(await store.purge(3 * minute, 9), 1, 'The number forgotten later');
      checkEqual(await whole(store, 'lost'), undefined, 'What is forgotten');
      for (const id of ['replaced', 'late']) {
        await begin(store, id);
        await advance(leaseMs + 3 * minute);
      }
      checkEqual(await store.purge(3 * minute, 9), 2, 'The number forgotten of those that were lost long ago');
    },
  },
  {
    name: 'purges at most as many streams as requested',
    run: async ({ store, advance }) => {
      for (let index = 0; index < 5; index += 1) {
        await begin(store, `s-${index}`);
        await store.end(`s-${index}`, { after: 0, chunks: chunks(1, 2) });
      }
      await advance(minute);
      const counts: number[] = [];
      for (let time = 0; time < 4; time += 1) counts.push(await store.purge(0, 2));
      checkEqual(counts, [2, 2, 1, 0], 'The numbers forgotten');
    },
  },
  {
    name: 'deletes the streams of a user, live ones too, and of no other user',
    run: async ({ store }) => {
      await begin(store, 'ended');
      await store.end('ended', { after: 0, chunks: chunks(1, 2) });
      await begin(store, 'live');
      await store.append('live', { after: 0, chunks: chunks(1, 2) }, leaseMs);
      const others = ['ben', 'ada2', 'Ada', 'a_a', '', undefined];
      for (const userId of others) await begin(store, `of-${userId}`, { userId });
      for (const userId of ['%', 'null', 'unknown']) {
        checkEqual(await store.deleteUser(userId), 0, `The number forgotten of "${userId}"`);
      }
      checkEqual(await store.deleteUser('ada'), 2, 'The number forgotten');
      for (const id of ['ended', 'live']) checkEqual(await whole(store, id), undefined, id);
      checkEqual(await store.findLive(ada, place), undefined, 'What is live');
      checkEqual(
        await store.append('live', { after: 2, chunks: chunks(3, 3) }, leaseMs),
        'lost',
        'What its writer learns',
      );
      checkEqual(await store.end('live', { after: 2, chunks: chunks(3, 3) }), false, 'The answer to its end');
      checkEqual(await store.deleteUser('ada'), 0, 'The number forgotten again');
      for (const userId of others) {
        checkEqual(await whole(store, `of-${userId}`), { chunks: [], status: 'live' }, `What is of ${userId}`);
      }
      checkEqual((await store.findLive(ben, place))?.id, 'of-ben', 'What is live of Ben');
      checkEqual((await begin(store, 'live')).kind, 'begun', 'The answer to what begins with the id');
      checkEqual(await whole(store, 'live'), { chunks: [], status: 'live' }, 'What has the id now');
    },
  },
];
