import { checkEqual } from '../check.ts';
import { ada } from '../sample-owners.ts';
import { begin, chunks, leaseMs, place, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const leaseCases: readonly StreamStoreCase[] = [
  {
    name: 'keeps a stream live until its lease expires',
    run: async ({ store, advance }) => {
      await begin(store, 's');
      await advance(leaseMs / 2);
      checkEqual((await begin(store, 'other')).kind, 'busy', 'The answer to another half a lease later');
      checkEqual((await store.findLive(ada, place))?.id, 's', 'What is live');
      await advance(leaseMs / 2);
      checkEqual(await store.findLive(ada, place), undefined, 'What is live after the lease');
      checkEqual((await begin(store, 'other')).kind, 'begun', 'The answer to another after the lease');
    },
  },
  {
    name: 'renews the lease with and without chunks',
    run: async ({ store, advance }) => {
      await begin(store, 's');
      for (const sent of [[], chunks(1, 1), []]) {
        await advance(leaseMs / 2);
        const { length: after } = (await whole(store, 's'))?.chunks ?? [];
        checkEqual(await store.append('s', { after, chunks: sent }, leaseMs), 'appended', 'The answer');
      }
      await advance(leaseMs / 2);
      // A repeated append renews the lease as well.
      await store.append('s', { after: 0, chunks: chunks(1, 1) }, leaseMs);
      await advance(leaseMs / 2);
      checkEqual((await begin(store, 'other')).kind, 'busy', 'The answer to another');
      await store.append('s', { after: 1, chunks: [] }, leaseMs / 4);
      await advance(leaseMs / 4);
      checkEqual((await begin(store, 'other')).kind, 'begun', 'The answer to another after a shorter lease');
    },
  },
  {
    name: 'treats a stream as lost after its lease has expired, whether another has begun or not',
    run: async ({ store, advance }) => {
      await begin(store, 's');
      await store.append('s', { after: 0, chunks: chunks(1, 2) }, leaseMs);
      await advance(leaseMs);
      const lost = { chunks: chunks(1, 2), status: 'lost' };
      checkEqual(await whole(store, 's'), lost, 'What is there of it');
      for (const what of ['before', 'after']) {
        const more = { after: 2, chunks: chunks(3, 3) };
        checkEqual(await store.append('s', more, leaseMs), 'lost', `The answer to chunks ${what} another began`);
        checkEqual(await store.end('s', more), false, `The answer to its end ${what} another began`);
        checkEqual(await whole(store, 's'), lost, `What is there of it ${what} another began`);
        await begin(store, 'other');
      }
      checkEqual(await store.append('other', { after: 0, chunks: ['x'] }, leaseMs), 'appended', 'The other’s chunks');
      checkEqual(await whole(store, 'other'), { chunks: ['x'], status: 'live' }, 'What is there of the other');
    },
  },
  {
    name: 'keeps an ended stream ended after its lease has expired',
    run: async ({ store, advance }) => {
      await begin(store, 's');
      await store.end('s', { after: 0, chunks: chunks(1, 1) });
      await advance(leaseMs * 2);
      checkEqual(await whole(store, 's'), { chunks: chunks(1, 1), status: 'ended' }, 'What is there');
      checkEqual(await store.end('s', { after: 0, chunks: chunks(1, 1) }), true, 'The answer to its end again');
    },
  },
];
